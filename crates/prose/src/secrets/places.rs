//! Secrets that are known by where they stand: after a name, in a header, in an address.

use super::run;
use super::shapes::{LEAD_INS, LeadIn, Then};
use std::ops::Range;

/// The most characters of a user, a password, or the space around a sign.
const PART_LIMIT: usize = 256;
/// One part of a secret with dots in it has at least so many characters.
const DOTTED_PART: usize = 20;
/// No lead-in is longer.
const LEAD_IN_LIMIT: usize = 32;

/// The secret in a long word that a name or a header announces: `aws_secret_access_key = ...`, `Authorization: Bearer ...`.
pub(super) fn announced(text: &str, word: &Range<usize>, ends: &mut Ends) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let back = |from: usize, is_part: fn(&u8) -> bool| {
        from - bytes[..from].iter().rev().take(PART_LIMIT).take_while(|byte| is_part(byte)).count()
    };
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'\\');
    let mut at = back(word.start, is_space);
    // The kind of secret stands between.
    if at < word.start && at.checked_sub(1).is_some_and(|last| bytes[last].is_ascii_alphabetic()) {
        at = back(back(at, u8::is_ascii_alphabetic), is_space);
    }
    at.checked_sub(1).filter(|sign| matches!(bytes[*sign], b':' | b'='))?;
    let at = back(at - 1, is_space);
    let name = &bytes[at.saturating_sub(LEAD_IN_LIMIT)..at];
    name.last().filter(|byte| byte.is_ascii_alphabetic())?;
    let folded = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    // Most names end in another letter.
    let ends_so = |words: &[u8]| {
        let is_last = words.last() == name.last().map(|last| folded(*last)).as_ref();
        let tail = name.len().checked_sub(words.len()).filter(|_| is_last).map(|from| &name[from..]);
        tail.is_some_and(|tail| tail.iter().zip(words).all(|(byte, letter)| folded(*byte) == *letter))
    };
    let said = LEAD_INS.iter().filter(|lead_in| ends_so(lead_in.words.as_bytes()));
    said.filter_map(|lead_in| secret_after(text, at, lead_in, ends)).next()
}

/// The password that follows its name, which may be shorter than a long word; `at` is where the letters `ssw` of it stand.
pub(super) fn password(text: &str, at: usize, ends: &mut Ends) -> Option<(usize, usize)> {
    let begin = at.checked_sub("pa".len())?;
    let is_here = |lead_in: &&LeadIn| {
        let end = begin + lead_in.words.len();
        text.get(begin..end).is_some_and(|name| name.eq_ignore_ascii_case(lead_in.words))
    };
    let lead_in = LEAD_INS.iter().filter(|lead_in| lead_in.words.contains("ssw")).find(is_here)?;
    secret_after(text, begin + lead_in.words.len(), lead_in, ends)
}

/// The runs in which the last secrets were looked for, so that each is walked through once.
#[derive(Default)]
pub(super) struct Ends {
    plain: Range<usize>,
    dotted: Range<usize>,
}

/// Where the run ends that has this byte in it. A secret may be looked for before the last one: that is another run.
fn end_of(last: &mut Range<usize>, bytes: &[u8], from: usize, is_part: impl Fn(u8) -> bool) -> usize {
    if !last.contains(&from) {
        *last = from..run(bytes, from, is_part);
    }
    last.end
}

/// The secret that follows a lead-in which ends here.
pub(super) fn secret_after(text: &str, at: usize, lead_in: &LeadIn, ends: &mut Ends) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let from = match lead_in.then {
        Then::Nothing => at,
        Then::Sign => after_sign(bytes, at)?,
        Then::Scheme(scheme) => {
            let from = after_sign(bytes, at)?;
            let after = from + scheme.len();
            let is_said = text.get(from..after)?.eq_ignore_ascii_case(scheme);
            let secret = run_of(bytes, after, |byte| byte == b' ');
            (is_said && secret > after).then_some(secret)?
        }
    };
    let is_dotted = matches!(lead_in.then, Then::Scheme(_));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let to = if is_dotted {
        end_of(&mut ends.dotted, bytes, from, |byte| is_plain(byte) || matches!(byte, b'.' | b'~'))
    } else {
        end_of(&mut ends.plain, bytes, from, is_plain)
    };
    // A secret of several parts, with dots between them; a name has no part that is so long and so random.
    let to = if is_dotted || !goes_on(bytes, to) { to } else { of_parts(text, from).unwrap_or(to) };
    let secret = &text[from..to];
    // A call, a field or an element of something is code that fetches a secret.
    let is_code = matches!(bytes.get(to), Some(b'(' | b'[')) || (!is_dotted && goes_on(bytes, to));
    let is_secret = secret.len() >= lead_in.least && is_random(secret);
    (is_secret && !is_code).then_some((from, to))
}

/// What follows a `:` or `=` with spaces and quotes around it. `:=`, `==` and `=>` are code.
fn after_sign(bytes: &[u8], at: usize) -> Option<usize> {
    let space = |from: usize| run_of(bytes, from, |byte| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'\\'));
    let sign = space(at);
    let is_sign = matches!(bytes.get(sign), Some(b':' | b'='));
    (is_sign && !matches!(bytes.get(sign + 1), Some(b'=' | b'>'))).then(|| space(sign + 1))
}

/// Where a secret ends that has dots in it.
fn of_parts(text: &str, from: usize) -> Option<usize> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let to = run_of(text.as_bytes(), from, is_part);
    let is_long = |part: &str| part.len() >= DOTTED_PART && part.bytes().any(|b| b.is_ascii_digit()) && is_random(part);
    let secret = text[from..to].trim_end_matches('.');
    secret.split(['.', '_', '-']).any(is_long).then_some(from + secret.len())
}

/// Whether a dot follows with a name behind it.
fn goes_on(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)
}

/// Whether these are letters and digits that nobody would choose as a name: both cases, or several digits.
fn is_random(secret: &str) -> bool {
    let secret = secret.as_bytes().get(..PART_LIMIT).unwrap_or(secret.as_bytes());
    let digits = secret.iter().filter(|byte| byte.is_ascii_digit()).count();
    let has = |is: fn(&u8) -> bool| secret.iter().any(is);
    let is_encoded = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    (is_encoded && (digits > 0 || secret.len() < 16)) || (digits >= 3 && has(u8::is_ascii_alphabetic))
}

/// How far a run reaches, within a limit.
fn run_of(bytes: &[u8], from: usize, is_part: impl Fn(u8) -> bool) -> usize {
    let window = bytes.get(..(from + PART_LIMIT).min(bytes.len())).unwrap_or(bytes);
    run(window, from.min(window.len()), is_part)
}

/// The password in an address such as `postgres://user:password@host`, whose `://` stands here. The rest of the address stays.
pub(super) fn in_address(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_scheme = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
    let from = at + "://".len();
    let is_name =
        |byte: u8| byte > b' ' && !matches!(byte, b'/' | b':' | b'@' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'`');
    let colon = run_of(bytes, from, is_name);
    if !is_scheme || bytes.get(colon) != Some(&b':') {
        return None;
    }
    let is_open = |byte: u8| byte > b' ' && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`');
    let end = run_of(bytes, colon + 1, is_open);
    // A password may have an `@` in it; a host has none.
    let host = bytes[colon + 1..end].iter().rposition(|byte| *byte == b'@')? + colon + 1;
    let password = &bytes[colon + 1..host];
    // A variable, or dots for what nobody is to know.
    let is_stand_in = matches!(password.first(), None | Some(b'$' | b'{' | b'<' | b'%' | b'['))
        || password.iter().all(|byte| matches!(byte, b'*' | b'.' | b'x' | b'X'));
    (!is_stand_in).then_some((colon + 1, host))
}

#[cfg(test)]
mod tests {
    use super::super::redacted;

    #[test]
    fn only_the_password_goes() {
        let text = "see postgres://app:hunter2@db.internal:5432/x?y=1 and http://localhost:8080/a@b";
        assert_eq!(
            redacted(text),
            "see postgres://app:[key removed]@db.internal:5432/x?y=1 and http://localhost:8080/a@b"
        );
    }
}
