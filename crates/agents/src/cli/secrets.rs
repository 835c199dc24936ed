//! What must not leave a call: keys, by their value and by their shape, and what an address holds of them.

use forge_prose::secrets::Known;
use std::sync::OnceLock;

/// Shorter values are no keys, and would blot out words.
const VALUE_CHARS: usize = 8;
/// Shorter ones are left even where nothing but a secret stands.
const PASSWORD_CHARS: usize = 4;
/// What the names of variables that hold keys end with.
const ENDINGS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS"];
/// What the names of an address's parameters that hold keys have in them.
const PARAMETERS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASS", "AUTH", "SIG", "CODE", "PW"];
/// What the names of variables that hold lines of `Name: value` end with.
const HEADERS: &str = "HEADERS";

/// The values that a call knows to be secret.
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    values: Vec<String>,
    /// The same, ready to be looked for.
    known: OnceLock<Known>,
}

impl Secrets {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: &str) {
        self.add_from(value, VALUE_CHARS);
    }

    fn add_from(&mut self, value: &str, chars: usize) {
        let value = value.trim();
        if value.len() >= chars && !self.values.iter().any(|known| known == value) {
            self.values.push(value.to_owned());
            self.known = OnceLock::new();
        }
    }

    /// Adds a variable's value, where its name says that it is one, or what an address holds.
    pub(crate) fn add_variable(&mut self, name: &str, value: &str) {
        let name = name.to_ascii_uppercase();
        if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            self.add(value);
        } else if name.ends_with(HEADERS) {
            for said in value.lines().filter_map(|line| line.split_once(':')).map(|(_, said)| said) {
                self.add(said);
                // Without the word that says what kind of key it is.
                said.split_whitespace().skip(1).for_each(|word| self.add(word));
            }
        } else {
            self.add_address(value);
        }
    }

    /// Adds a text of somebody's settings that is a key, or an address that holds one.
    pub(crate) fn add_setting(&mut self, text: &str) {
        if text.contains("://") {
            self.add_address(text);
        } else {
            self.add(text);
            text.split_whitespace().skip(1).for_each(|word| self.add(word));
        }
    }

    /// Adds the user, the password and the parameters of an address, as they are written and as they are meant. A user
    /// beside a password and a parameter of no telling name are words more often than keys: only long ones are added.
    pub(crate) fn add_address(&mut self, address: &str) {
        let Some((_, rest)) = address.split_once("://") else { return };
        let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        // A password in which somebody has left a `/` or a `?` reaches further.
        let user =
            rest[..host_end].rsplit_once('@').or_else(|| rest.split_once('@').filter(|(user, _)| user.contains(':')));
        if let Some((user, _)) = user {
            match user.split_once(':') {
                Some((name, password)) => {
                    self.add_written(name, VALUE_CHARS);
                    self.add_written(password, PASSWORD_CHARS);
                }
                None => self.add_written(user, PASSWORD_CHARS),
            }
        }
        let query = rest.split_once('?').map_or("", |(_, query)| query.split('#').next().unwrap_or_default());
        for (name, value) in query.split('&').map(|pair| pair.split_once('=').unwrap_or(("", pair))) {
            let name = name.to_ascii_uppercase();
            let is_key = PARAMETERS.iter().any(|part| name.contains(part));
            self.add_written(value, if is_key { PASSWORD_CHARS } else { VALUE_CHARS });
        }
    }

    fn add_written(&mut self, written: &str, chars: usize) {
        self.add_from(written, chars);
        self.add_from(&meant(written), chars);
    }

    /// The text without them, however they are spelled, and without whatever looks like a key.
    pub(crate) fn blotted(&self, text: &str) -> String {
        self.known.get_or_init(|| Known::new(self.values.iter().map(String::as_str))).redacted(text)
    }
}

/// A part of an address with its `%XX` read.
fn meant(written: &str) -> String {
    let mut parts = written.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(&part.as_bytes()[2..]);
            }
            None => {
                bytes.push(b'%');
                bytes.extend(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_address_holds_is_blotted_out() {
        for (address, told, kept) in [
            ("https://ada:pw-4@host/v1", "pw-4", "ada host"),
            ("https://admin:p%40ss@host", "p%40ss p@ss", "admin"),
            ("https://long-user-name:pw12@host", "long-user-name pw12", "host"),
            ("http://tok1@host:8/v1", "tok1", "host:8"),
            ("https://host/v1?key=abcd&api-version=2024&region=northern-1#top", "abcd northern-1", "2024 top"),
            ("https://u:a/b?c@host/", "a/b?c", "host"),
        ] {
            let mut secrets = Secrets::default();
            secrets.add_variable("SOME_BASE_URL", address);
            let blots = vec!["[key removed]"; told.split(' ').count()].join(" ");
            assert_eq!(secrets.blotted(&format!("{told} {kept}")), format!("{blots} {kept}"), "{address}");
        }
        let mut secrets = Secrets::default();
        secrets.add_variable("ANTHROPIC_CUSTOM_HEADERS", "Authorization: Bearer abc-def-ghi\nX-Team: red");
        assert_eq!(secrets.blotted("abc-def-ghi of red"), "[key removed] of red");
    }

    #[test]
    fn known_values_and_key_shapes_are_blotted_out() {
        let mut secrets = Secrets::default();
        secrets.add("hunter2-hunter2");
        secrets.add("hunter2-hunter2-longer");
        secrets.add("x");
        secrets.add_variable("MY_TOKEN", "tok-abcdefgh");
        secrets.add_variable("HTTPS_PROXY", "http://me:pass-word-1@proxy:3128");
        secrets.add_variable("LANG", "de_DE.UTF-8");
        let text = "hunter2-hunter2-longer x tok-abcdefgh pass-word-1 de_DE.UTF-8 sk-ant-0123456789abcdef";
        assert_eq!(secrets.blotted(text), "[key removed] x [key removed] [key removed] de_DE.UTF-8 [key removed]");
    }
}
