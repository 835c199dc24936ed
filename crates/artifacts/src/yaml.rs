//! YAML in both directions: values from a text, and scalars that come back as they went.
//!
//! Promises: reading is bounded (bytes, nodes, depth, aliases) and reports the line in the reader's own file; every
//! scalar that [`quoted`], [`plain_or_quoted`] or [`block`] writes is read back as the same text, by this reader and
//! by YAML 1.1 ones. A scalar counts as a number only in its plain decimal spelling: `007`, `0x10`, `1_000`, `12e3`
//! and numbers too large to be exact stay the text that was written, because in forge's files these are ids and
//! digests.
//!
//! Must never: panic on any input, follow an include, or turn `yes` and `no` into flags (they are answers).
//!
//! Pure; if the process dies here nothing is left.

pub(crate) mod ours;

use forge_debate::brief::is_hidden;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::{MergeKeyPolicy, MessageFormatter, NonFiniteFloatPolicy, Options, Spanned, UserMessageFormatter};
use std::fmt;

/// The most bytes of YAML that are read.
pub const YAML_LIMIT_BYTES: usize = 1024 * 1024;
/// The most values in one YAML text, those that aliases repeat counted each time.
pub const YAML_LIMIT_NODES: usize = 20_000;
/// The deepest nesting of a YAML text.
pub const YAML_LIMIT_DEPTH: usize = 32;

/// The longest decimal fraction that a double keeps exactly.
const EXACT_DECIMAL_CHARS: usize = 16;

/// Why a YAML text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlProblem {
    /// The line in the file.
    pub line: usize,
    /// What is wrong with it.
    pub text: String,
}

/// Reads one YAML document whose first line is line `first_line` of its file. An empty text is `Null`.
pub fn read(text: &str, first_line: usize) -> Result<Value, YamlProblem> {
    if text.len() > YAML_LIMIT_BYTES {
        let text = format!("the YAML is larger than {} KiB", YAML_LIMIT_BYTES / 1024);
        return Err(YamlProblem { line: first_line, text });
    }
    serde_saphyr::from_str_with_options::<Node>(text, options()).map(|node| node.settled(text)).map_err(|error| {
        let within = error.location().map_or(1, |location| location.line());
        let line = first_line.saturating_add(usize::try_from(within).unwrap_or(1).saturating_sub(1));
        YamlProblem { line, text: message(&error) }
    })
}

fn message(error: &serde_saphyr::Error) -> String {
    if let serde_saphyr::Error::Budget { .. } = error.without_snippet() {
        return "the YAML is too large, too deeply nested, or repeats itself too often".to_owned();
    }
    let said = UserMessageFormatter.format_message(error);
    let plain: String = said.chars().filter(|c| !is_hidden(*c) && *c != '\n').collect();
    format!("the YAML cannot be read: {plain}")
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: YAML_LIMIT_NODES * 4,
            max_nodes: YAML_LIMIT_NODES,
            max_depth: YAML_LIMIT_DEPTH,
            flow_nesting_limit: YAML_LIMIT_DEPTH,
            max_documents: 2,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_recorded_anchor_events: YAML_LIMIT_NODES,
            max_recorded_anchor_bytes: YAML_LIMIT_BYTES,
            max_total_scalar_bytes: YAML_LIMIT_BYTES,
            max_merge_keys: 100,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: YAML_LIMIT_NODES },
        merge_keys: MergeKeyPolicy::Merge,
        strict_booleans: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    }
}

/// A YAML value whose parts know where they stand, so that a number's spelling can be looked up.
enum Node {
    Leaf(Value),
    List(Vec<Spanned<Node>>),
    Record(Vec<(String, Spanned<Node>)>),
}

impl Node {
    fn settled(self, source: &str) -> Value {
        match self {
            Node::Leaf(value) => value,
            Node::List(items) => Value::Array(items.into_iter().map(|item| part(item, source)).collect()),
            Node::Record(fields) => {
                let fields: Map<String, Value> =
                    fields.into_iter().map(|(name, value)| (name, part(value, source))).collect();
                Value::Object(fields)
            }
        }
    }
}

fn part(node: Spanned<Node>, source: &str) -> Value {
    let span = node.defined.span();
    let place = span.byte_offset().zip(span.byte_len()).and_then(|(start, length)| {
        let start = usize::try_from(start).ok()?;
        source.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    });
    match (node.value, place) {
        (Node::Leaf(value), Some(written)) if is_numeric(&value) && is_spelled_oddly(written.trim(), &value) => {
            Value::String(written.trim().to_owned())
        }
        (node, _) => node.settled(source),
    }
}

/// Whether the reader took it for a number, or for one that is not finite.
fn is_numeric(value: &Value) -> bool {
    value.is_number() || value.as_str().is_some_and(|text| matches!(text, ".inf" | "-.inf" | ".nan"))
}

/// Whether a plain scalar is not the decimal spelling of the number that it was taken for, or lost something on being
/// read.
fn is_spelled_oddly(written: &str, read: &Value) -> bool {
    let is_plain = written.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let magnitude = written.strip_prefix('-').unwrap_or(written);
    let (whole, fraction) = magnitude.split_once('.').map_or((magnitude, None), |(whole, rest)| (whole, Some(rest)));
    let canonical = digits(whole) && (whole == "0" || !whole.starts_with('0'));
    let exact = match fraction {
        None => read.is_i64() || read.is_u64(),
        Some(fraction) => digits(fraction) && magnitude.len() <= EXACT_DECIMAL_CHARS,
    };
    is_plain && !(canonical && exact)
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }
    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Leaf(Value::Null))
    }
    fn visit_bool<E>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Leaf(Value::Bool(flag)))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Leaf(number.into()))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Leaf(number.into()))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Leaf(number.into()))
    }
    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Leaf(text.into()))
    }
    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Leaf(text.into()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = access.next_entry()? {
            fields.push(field);
        }
        Ok(Node::Record(fields))
    }
}

/// A text as a double-quoted scalar on one line. It is a JSON string too.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if must_escape(c) => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Characters that YAML does not take as they are, that it takes for line breaks, or that nobody would see. Those
/// beyond four hexadecimal digits may stand as they are.
fn must_escape(c: char) -> bool {
    let small = (c as u32) <= 0xFFFF;
    small && (c.is_control() || is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FFFE}' | '\u{FFFF}'))
}

/// A text as it is where every YAML reader, also inside `[a, b]`, takes it for the same text; quoted otherwise.
pub fn plain_or_quoted(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str) -> bool {
    const TAKEN: &[&str] = &["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    let starts_like_a_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/'));
    let ends_like_one =
        text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | ')' | '?' | '!' | '%'));
    let tame = text.chars().all(|c| {
        c.is_ascii_alphanumeric()
            || (!c.is_ascii() && c.is_alphanumeric())
            || matches!(
                c,
                ' ' | '_' | '-' | '/' | '.' | '(' | ')' | '+' | '=' | '@' | '%' | '\'' | '?' | '!' | ';' | ':'
            )
    });
    let ambiguous = text.contains(": ") || TAKEN.contains(&text.to_ascii_lowercase().as_str());
    starts_like_a_word && ends_like_one && tame && !ambiguous
}

/// A text as a literal block (`|`) whose lines are indented by `indent` blanks, where that gives the same text back;
/// quoted otherwise. It stands after `key: ` and has no line break at its end.
pub fn block(text: &str, indent: usize) -> String {
    let (body, chomp) = match text.strip_suffix('\n') {
        Some(body) => (body, "|"),
        None => (text, "|-"),
    };
    let opens_well = body.starts_with(|c: char| !c.is_whitespace() && c != '#');
    let closes_well = body.ends_with(|c: char| !c.is_whitespace());
    let lines_are_sound = body.split('\n').all(|line| line.is_empty() || !line.trim().is_empty());
    let characters_are_sound = body.chars().all(|c| c == '\n' || c == '\t' || !must_escape(c));
    if indent == 0 || !(opens_well && closes_well && lines_are_sound && characters_are_sound) {
        return quoted(text);
    }
    let pad = " ".repeat(indent);
    let mut out = chomp.to_owned();
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(&pad);
            out.push_str(line);
        }
    }
    out
}
