//! Key-shaped words, which must reach no file, log or brief.
//!
//! Promises: what is no key stays as it is, byte for byte; doing it twice is doing it once; the time is linear in the
//! text's length, whatever the text.
//!
//! Must never: be asked whether what is on record is right. A text meets these shapes once, when it enters the record; what
//! was recorded under other shapes is held against its source by [`is_redaction_of`], which knows none.

mod blocks;
mod borders;
mod encoded;
mod held;
mod kept;
mod letters;
mod places;
mod runs;
mod shapes;
mod spaced;
mod view;

pub use held::{Source, is_redaction_of, keys_removed};
pub use kept::keep_secret;

use aho_corasick::{AhoCorasick, MatchKind};
use places::Ends;
use std::sync::LazyLock;
use view::{Extent, View};

/// What stands in a key's place.
pub const BLOT: &str = "[key removed]";
/// How often a text in which keys were found is looked through again.
const PASSES_LIMIT: usize = 4;
/// How deep codes in codes are decoded.
const DEPTH_LIMIT: usize = 3;
/// Known keys that are so long are also known when they are broken over lines.
const BROKEN_CHARS: usize = 16;

/// Whether a text holds something key-shaped.
pub fn has_key(text: &str) -> bool {
    !Known::none().places(text, 0).is_empty()
}

/// The text with every key-shaped word, signed token, private key, password in an address, and key that this process was
/// given blotted out, however it is spelled.
pub fn redacted(text: &str) -> String {
    Known::none().redacted(text)
}

/// Keys that are known by their value, whatever their shape.
#[derive(Debug, Clone, Default)]
pub struct Known {
    values: Option<AhoCorasick>,
    long: Option<AhoCorasick>,
    /// Whether one of them goes over lines.
    has_lines: bool,
}

impl Known {
    /// None.
    pub const fn none() -> &'static Self {
        const NONE: &Known = &Known { values: None, long: None, has_lines: false };
        NONE
    }

    /// These.
    pub fn new<'v>(values: impl IntoIterator<Item = &'v str>) -> Self {
        let plain = |c: char| letters::plain(c).unwrap_or(c);
        let seen = |value: &str| value.chars().filter_map(crate::hidden::folded).map(plain).collect::<String>();
        let mut all: Vec<String> = values.into_iter().flat_map(|value| [value.to_owned(), seen(value)]).collect();
        let escaped = |value: &String| value.contains('/').then(|| value.replace('/', "\\/"));
        all.extend(all.iter().filter_map(escaped).collect::<Vec<_>>());
        all.retain(|value| !value.is_empty());
        all.sort();
        all.dedup();
        // The longest at each place, so that no part of one is left.
        let search = |values: &[&String]| {
            let builder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values);
            builder.ok().filter(|_| !values.is_empty())
        };
        let long: Vec<&String> = all.iter().filter(|value| value.len() >= BROKEN_CHARS).collect();
        let has_lines = all.iter().any(|value| value.contains('\n'));
        Self { long: search(&long), values: search(&all.iter().collect::<Vec<_>>()), has_lines }
    }

    /// The text without them, and without whatever looks like a key.
    pub fn redacted(&self, text: &str) -> String {
        let places = self.places(text, 0);
        if places.is_empty() {
            return text.to_owned();
        }
        let mut clean = blotted(text, &places);
        // A key that is glued to another one can be told from it only when that one is gone.
        for _ in 0..PASSES_LIMIT {
            let places = self.places(&clean, 0);
            if places.is_empty() {
                break;
            }
            clean = blotted(&clean, &places);
        }
        clean
    }

    /// Where keys stand, in their order, none within another.
    fn places(&self, text: &str, depth: usize) -> Vec<(usize, usize)> {
        let mut found = Found::default();
        let cuts = depth == 0 && !self.has_lines;
        for part in borders::parts(text).filter(|_| cuts) {
            let inner = self.found(&text[part.clone()], depth);
            found.places.extend(inner.places.into_iter().map(|(from, to)| (part.start + from, part.start + to)));
            found.has_block |= inner.has_block;
        }
        if !cuts || found.has_block {
            found = self.found(text, depth);
        }
        let kept = kept::known();
        for known in std::iter::once(self).chain(kept.as_deref()) {
            let joined = || View::joined(text);
            if let Some((long, joined)) = known.long.as_ref().and_then(|long| Some((long, joined()?))) {
                let seen = long.find_iter(&joined.text).map(|found| joined.source(found.start(), found.end()));
                found.places.extend(seen.flat_map(|place| words_of(text, place)));
            }
        }
        in_order(found.places)
    }

    /// The same for a part of a text, in no order.
    fn found(&self, text: &str, depth: usize) -> Found {
        let mut found = Found::default();
        self.scan(text, depth, &mut found);
        let extent = if found.has_block { Extent::Whole } else { Extent::Stretches };
        let had_block = found.has_block;
        self.scan_views(text, extent, depth, &mut found);
        if found.has_block && !had_block {
            self.scan_views(text, Extent::Whole, depth, &mut found);
        }
        found
    }

    /// The keys that show where its spelling is undone.
    fn scan_views(&self, text: &str, extent: Extent, depth: usize, found: &mut Found) {
        let views = view::views(text, extent);
        for (n, view) in views.iter().enumerate() {
            let mut seen = Found::default();
            self.scan(&view.text, depth, &mut seen);
            let source = |place| views[..=n].iter().rev().fold(place, |(from, to), view: &View| view.source(from, to));
            found.places.extend(seen.places.into_iter().map(source).flat_map(|place| words_of(text, place)));
            found.has_block |= seen.has_block;
        }
    }

    /// The keys that show in a text as it is written, or in what is encoded in it.
    fn scan(&self, text: &str, depth: usize, found: &mut Found) {
        let mut ends = Ends::default();
        marked(text, &mut ends, found);
        let places = &mut found.places;
        let mut ends = Ends::default();
        let mut decoded_to = 0;
        for word in runs::runs(text.as_bytes()) {
            runs::keys(text, &word, &mut ends, places);
            places.extend(places::announced(text, &word, &mut ends));
            if depth < DEPTH_LIMIT && word.start >= decoded_to {
                let (codes, end) = encoded::decoded(text, word.start, word.end);
                decoded_to = end;
                for code in codes {
                    let hidden = self.places(&code.text, depth + 1);
                    places.extend(hidden.into_iter().flat_map(|(from, to)| code.places(from, to)));
                }
            }
        }
        if depth < DEPTH_LIMIT {
            for one in spaced::spaced(text).into_iter().chain(spaced::dumps(text)) {
                let hidden = self.places(&one.text, depth + 1).into_iter().map(|(from, to)| one.place(from, to));
                places.extend(hidden.flat_map(|place| words_of(text, place)));
            }
        }
        let kept = kept::known();
        for values in std::iter::once(self).chain(kept.as_deref()).filter_map(|known| known.values.as_ref()) {
            places.extend(values.find_iter(text).map(|found| (found.start(), found.end())));
        }
    }
}

/// What was found in a text.
#[derive(Default)]
struct Found {
    places: Vec<(usize, usize)>,
    /// Whether there is a private key in a block among them.
    has_block: bool,
}

/// What private keys, passwords and addresses are found by: the letters that all names of a password have, in any case.
static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let marks = [blocks::BEGIN, "://", "ssw", "ssW", "sSw", "sSW", "Ssw", "SsW", "SSw", "SSW"];
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(marks).ok()
});

/// Private keys, passwords after their names and passwords in addresses.
fn marked(text: &str, ends: &mut Ends, all: &mut Found) {
    let mut block_end = 0;
    let mut closings = blocks::Closings::default();
    let Some(marks) = MARKS.as_ref() else { return };
    for found in marks.find_iter(text) {
        let at = found.start();
        let place = match found.pattern().as_usize() {
            0 if at < block_end => None,
            0 => blocks::block(text, at, &mut closings).inspect(|(_, end)| {
                block_end = *end;
                all.has_block = true;
            }),
            1 => places::in_address(text, at),
            _ => places::password(text, at, ends),
        };
        all.places.extend(place);
    }
}

/// A place without the white space in it: what a blot stands for is one word, but for private keys as they are written.
fn words_of(text: &str, (from, to): (usize, usize)) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut at = from;
    for part in text[from..to].split_inclusive(|c: char| c.is_ascii_whitespace()) {
        let word = part.trim_end_matches(|c: char| c.is_ascii_whitespace());
        if !word.is_empty() {
            words.push((at, at + word.len()));
        }
        at += part.len();
    }
    words
}

/// Sorted, and what overlaps or touches put together.
fn in_order(mut places: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    places.sort_unstable();
    places.dedup_by(|next, last| {
        let is_one = next.0 <= last.1;
        if is_one {
            last.1 = last.1.max(next.1);
        }
        is_one
    });
    places
}

fn blotted(text: &str, places: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (from, to) in places {
        out.push_str(&text[copied..*from]);
        out.push_str(BLOT);
        copied = *to;
    }
    out.push_str(&text[copied..]);
    out
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// How far a run of such bytes reaches from here.
fn run(bytes: &[u8], from: usize, is_part: impl Fn(u8) -> bool) -> usize {
    bytes.get(from..).unwrap_or_default().iter().position(|byte| !is_part(*byte)).map_or(bytes.len(), |n| from + n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is found when nothing is cut and every view is read as a whole.
    fn in_the_whole(known: &Known, text: &str) -> Vec<(usize, usize)> {
        let mut all = Found::default();
        known.scan(text, 0, &mut all);
        known.scan_views(text, Extent::Whole, 0, &mut all);
        in_order(all.places)
    }

    fn secrets() -> impl Strategy<Value = String> {
        const BASE: &str = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4fGhI7kLm0oPqR3tUvW6yZ";
        let beginnings =
            ["gh", "sk-ant-", "hf", "AIz", "api_key = \"", "Authorization: Bearer ", "a://b:", "password: "];
        let ends = ["p_", "", "_", "a", "@c"];
        let put = |(begin, end, length): (&str, &str, usize)| match end {
            "@c" => format!("{begin}{}{end}", &BASE[..length]),
            _ => format!("{begin}{end}{}", &BASE[..length]),
        };
        let private = format!("-----BEGIN RSA PRIVATE KEY-----\n{BASE}\n{BASE}\n-----END RSA PRIVATE KEY-----");
        let shaped = (prop::sample::select(beginnings.to_vec()), prop::sample::select(ends.to_vec()), 16..52_usize)
            .prop_map(put);
        prop_oneof![12 => shaped, 1 => Just(private), 3 => Just("known,value!1".to_owned())]
    }

    fn spelled(secret: &str, how: usize, every: usize) -> String {
        let some = |write: &dyn Fn(char) -> String| -> String {
            let one = |(n, c): (usize, char)| if n % every == 0 { write(c) } else { c.to_string() };
            secret.chars().enumerate().map(one).collect()
        };
        let code = |c: char| u32::from(c);
        let hex = |between: &str| secret.bytes().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(between);
        match how {
            0 => some(&|c| format!("\\u{:04x}", code(c))),
            1 => some(&|c| format!("\\\\u{:04x}", code(c))),
            2 => some(&|c| format!("%{:02x}", code(c))),
            3 => some(&|c| format!("%25{:02x}", code(c))),
            4 => some(&|c| format!("&amp;#{};", code(c))),
            5 => some(&|c| format!("{c}\u{200B}")),
            6 => some(&|c| format!("{c}\\u001b[0m")),
            7 => some(&|c| format!("{c}<b>")),
            8 => some(&|c| format!("{c}\n")),
            9 => some(&|c| format!("{c}\\n> ")),
            10 => hex(""),
            11 => hex(":"),
            12 => secret.replace('"', "\\\"").replace('/', "\\/").replace('\n', "\\n"),
            _ => secret.to_owned(),
        }
    }

    fn words() -> impl Strategy<Value = String> {
        let words = [
            "We keep it,\n",
            "it is small.\n\n",
            "{\"a\": \"",
            "\"},\n",
            "https:\\/\\/example.org\\/a ",
            "\\n",
            "\\\"",
            "caf\\u00e9 ",
            "**so**, ",
            "`code` ",
            "fn f(a: &Vec<u8>) {\n",
            "}\n",
            "-----BEGIN ",
            "> ",
            "| ",
            "\n",
            ", ",
            "x",
            "token:",
            "= ",
            "9f86d081884c7d659a2feaa0c55ad015",
            "%20",
            "\\",
            "(see below)\n",
            "Größe ",
            "sk-",
            "eyJ",
            ".",
        ];
        prop::collection::vec(prop::sample::select(words.to_vec()), 0..12).prop_map(|words| words.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

        /// The secrets stand around the place at which the text is cut.
        #[test]
        fn what_is_found_in_parts_is_what_is_found_in_the_whole(
            pieces in prop::collection::vec((words(), secrets(), 0..16_usize, 1..9_usize), 1..6),
            back in 0..400_usize,
        ) {
            let known = Known::new(["known,value!1"]);
            let middle: String = pieces.iter().map(|(words, secret, how, every)| words.clone() + &spelled(secret, *how, *every)).collect();
            let line = "What nobody has to look at, and where it could be cut:\n";
            let before = line.repeat(16 * 1024 / line.len() + 1);
            let text = format!("{}{middle}{before}", &before[back..]);
            prop_assert_eq!(known.places(&text, 0), in_the_whole(&known, &text));
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        let text = "What nobody has to look at.\n\nAnd more of it:\n".repeat(4000);
        assert!(borders::parts(&text).count() > 8);
        assert_eq!(borders::parts(&text).map(|part| part.len()).sum::<usize>(), text.len());
    }
}
