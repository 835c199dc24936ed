//! `components` and `challenges` in a phase document's front matter, in the forms in which people write lists.
//!
//! Whether a phase debates depends on them: what cannot be read is told, never guessed.
//!
//! Pure; if the process dies here nothing is left.

use super::plan::line_of;
use forge_prose::blanks::holds_place;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The most components that a number stands for.
const COUNT_LIMIT: u64 = 1000;
/// The longest id of a decision, in bytes.
const ID_LIMIT_BYTES: usize = 60;

/// A list that was read, and what could not be: its line, and what is wrong.
pub(crate) type Read = (Vec<String>, Vec<(usize, String)>);

/// The components: names, or as many nameless ones as a number says.
pub(crate) fn components(text: &str, fields: &Map<String, Value>) -> Read {
    let names = ["components", "affected_components", "components_affected"];
    let Some((key, value)) = names.iter().find_map(|name| found(fields, name)) else { return Default::default() };
    let mut problems = Vec::new();
    let mut unclear = |what: &str| {
        let example = "list them, such as `components: [mailer, catalogue]`, or give their number";
        problems.push((line_of(text, key), format!("{key} cannot be read: {what}; {example}")));
    };
    let mut names: Vec<String> = Vec::new();
    match value {
        Value::Null => {}
        Value::Number(count) => match count.as_u64() {
            Some(count) => names.extend((1..=count.min(COUNT_LIMIT)).map(|n| n.to_string())),
            None => unclear(&format!("{count} is no number of components")),
        },
        Value::String(list) if is_none(list) => {}
        Value::String(list) if holds_place(list) => unclear(&format!("{list:?} is left open")),
        Value::String(list) => match count_in(list) {
            Some(count) => names.extend((1..=count.min(COUNT_LIMIT)).map(|n| n.to_string())),
            None if !list.chars().any(char::is_alphabetic) => unclear(&format!("{list:?} is no number of components")),
            None if !is_list(list) => unclear(&format!("how many {list:?} are cannot be told")),
            None => names.extend(pieces(list)),
        },
        Value::Object(fields) => names.extend(fields.keys().cloned()),
        // `[mailer (with catalogue, desk)]`
        Value::Array(all) if all.iter().filter_map(name).any(|name| name.contains('(') != name.contains(')')) => {
            unclear("a bracket stands round several");
        }
        Value::Array(all) => {
            let is_alone = all.len() == 1;
            for one in all {
                match name(one) {
                    Some(name) if holds_place(&name) => {}
                    // `["mailer, catalogue"]`
                    Some(name) if is_alone && one.is_string() => names.extend(pieces(&name)),
                    Some(name) => names.push(name),
                    None => unclear(&format!("{one} is no name")),
                }
            }
        }
        Value::Bool(flag) => unclear(&format!("{flag} is no list")),
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.trim().to_lowercase()));
    (names, problems)
}

/// Entries in a header, where nothing reads them: a debate may depend on them. Ids alone only refer to some.
pub(crate) fn entries(text: &str, fields: &Map<String, Value>) -> Vec<(usize, String)> {
    const PLACES: [(&str, &str); 3] = [
        ("risks", "write them below `## Risks`"),
        ("decisions", "write them below `## Decisions`"),
        ("supersedes", "write `challenges: [D1]`"),
    ];
    let is_id = |text: &str| id_in(text).is_some_and(|id| id.eq_ignore_ascii_case(text.trim()));
    let says = |value: &Value, name: &str| match value {
        Value::String(text) => !is_none(text) && !holds_place(text) && (name == "supersedes" || !is_id(text)),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    };
    let mut found_here = Vec::new();
    for (name, instead) in PLACES {
        let Some((key, value)) = found(fields, name) else { continue };
        let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        if all.iter().any(|value| says(value, name)) {
            let what = format!("{key} in the header is not read, and a debate may depend on it; {instead}");
            found_here.push((line_of(text, key), what));
        }
    }
    found_here
}

/// The ids of the decisions that are challenged. A reason may stand behind each.
pub(crate) fn challenges(text: &str, fields: &Map<String, Value>) -> Read {
    let names = ["challenges", "challenged_decisions", "challenged", "decisions_challenged"];
    let Some((key, value)) = names.iter().find_map(|name| found(fields, name).filter(|(_, value)| !is_empty(value)))
    else {
        return Default::default();
    };
    let mut problems = Vec::new();
    let mut unclear = |what: &str| {
        let example = "name decisions by their ids, such as `challenges: [D1, D2]`";
        problems.push((line_of(text, key), format!("{key} cannot be read: {what}; {example}")));
    };
    let mut ids: Vec<String> = Vec::new();
    let mut add = |id: String| {
        if !ids.contains(&id) {
            ids.push(id);
        }
    };
    match value {
        Value::Null => {}
        Value::String(list) if is_none(list) => {}
        Value::String(list) => {
            let found: Vec<String> = pieces(&without_brackets(list)).filter_map(|piece| id_in(&piece)).collect();
            if found.is_empty() {
                unclear(&format!("there is no id in {list:?}"));
            }
            found.into_iter().for_each(&mut add);
        }
        Value::Object(fields) => {
            for name in fields.keys() {
                id_in(name).map_or_else(|| unclear(&format!("there is no id in {name:?}")), &mut add);
            }
        }
        Value::Array(all) => {
            for one in all {
                match name(one).map(|name| (is_none(&name) || holds_place(&name), id_in(&name), name)) {
                    Some((true, ..)) => {}
                    Some((_, Some(id), _)) => add(id),
                    Some((.., name)) => unclear(&format!("there is no id in {name:?}")),
                    None => unclear(&format!("{one} is no id")),
                }
            }
        }
        Value::Bool(_) | Value::Number(_) => unclear(&format!("{value} is no id")),
    }
    (ids, problems)
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Whether a text names components one by one: not `several`, `3 + 1 optional` or four words without a mark between them.
fn is_list(list: &str) -> bool {
    const NAME_WORDS: usize = 3;
    const VAGUE: [&str; 6] = ["several", "many", "various", "multiple", "most", "all"];
    let is_name = |piece: &String| {
        let words: Vec<String> = piece.split_whitespace().map(str::to_lowercase).collect();
        let counts = |word: &String| word.chars().all(|c| c.is_ascii_digit()) || VAGUE.contains(&word.as_str());
        !words.first().is_some_and(counts)
    };
    let pieces: Vec<String> = pieces(list).collect();
    let is_run_on = matches!(pieces.as_slice(), [only] if only.split_whitespace().count() > NAME_WORDS);
    !is_run_on && pieces.iter().all(is_name)
}

/// `7`, `7 parts`, `four`: a number, alone or with the word for what is counted.
fn count_in(text: &str) -> Option<u64> {
    const WORDS: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let said: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let first = said.first().filter(|_| said.len() <= 2 && !text.contains([',', ';']))?;
    let spelled = || WORDS.iter().position(|word| word == first).and_then(|at| u64::try_from(at + 1).ok());
    first.parse().ok().or_else(spelled)
}

/// A field by its name, in any case, with or without its last letter.
fn found<'f>(fields: &'f Map<String, Value>, name: &str) -> Option<(&'f String, &'f Value)> {
    let is_it = |key: &str| key.eq_ignore_ascii_case(name) || key.eq_ignore_ascii_case(name.trim_end_matches('s'));
    fields.get_key_value(name).or_else(|| fields.iter().find(|(key, _)| is_it(key)))
}

/// The name of an entry: a text, a number, `{name: ..}`, `{D1: reason}`.
fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => {
            let named = ["name", "id", "decision", "component"].iter().find_map(|key| fields.get(*key)?.as_str());
            let only = fields.keys().next().filter(|_| fields.len() == 1);
            named.or(only.map(String::as_str)).map(str::to_owned)
        }
        _ => None,
    }
}

fn is_none(text: &str) -> bool {
    let bare = text.trim().trim_end_matches('.').to_lowercase();
    matches!(bare.as_str(), "" | "none" | "no" | "nothing" | "n/a" | "-" | "[]" | "~" | "keine")
}

/// The pieces of a list in one text.
fn pieces(list: &str) -> impl Iterator<Item = String> {
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    let parted = [" and ", " & ", " + ", " / ", " | ", "; ", "\n"]
        .iter()
        .fold(list.to_owned(), |text, mark| text.replace(mark, ","));
    let pieces: Vec<String> =
        parted.split([',', ';']).map(|piece| piece.trim().trim_start_matches("- ").to_owned()).collect();
    pieces.into_iter().filter(|piece| !holds_place(piece))
}

/// A text without what stands in round brackets: reasons may have commas.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

/// The first id in a text: a word of letters with a number, such as `D1`, `D014`, `DB1`, `D-build-4`, `auth/D1`.
fn id_in(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches(['-', '_', '/', '.']));
    let is_id = |word: &&str| {
        word.len() <= ID_LIMIT_BYTES
            && word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.ends_with(|c: char| c.is_ascii_digit())
    };
    words.into_iter().find(is_id).map(|word| {
        let is_small = word.starts_with('d') && word[1..].bytes().all(|byte| byte.is_ascii_digit());
        if is_small { word.to_uppercase() } else { word.to_owned() }
    })
}
