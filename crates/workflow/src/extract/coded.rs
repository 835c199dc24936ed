//! Code that looks like an entry: `- id: R1`, `risk: The disk fills up`, `probability: high`. Code is not read, and it is told.
//!
//! Pure; if the process dies here nothing is left.

use super::passages::lines;
use super::statements::Statement;
use forge_prose::blanks::is_placeholder;

/// Words of headings above what shows how an entry looks.
const SAMPLE_WORDS: [&str; 6] = ["format", "template", "example", "sample", "schema", "beispiel"];
/// What people call what an entry says.
const TITLES: [&str; 5] = ["title", "decision", "risk", "name", "description"];

/// An entry in code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coded {
    /// Its line in the text.
    pub line: usize,
    /// Its id; empty where it has none.
    pub id: String,
    /// What it says.
    pub statement: Statement,
}

/// The entries in the code fences of a text, one of each fence; those below a heading that shows how entries look are none.
pub fn coded(text: &str) -> Vec<Coded> {
    let mut found = Vec::new();
    let mut heading = String::new();
    let mut code: Vec<(usize, String)> = Vec::new();
    for line in lines(text).all.into_iter().filter(|line| !line.comment) {
        let bare = line.text.trim();
        if !line.hidden {
            heading = if bare.starts_with('#') { bare.to_lowercase() } else { heading };
        } else if !(bare.starts_with("```") || bare.starts_with("~~~")) {
            code.push((line.number, bare.to_owned()));
        } else {
            let is_sample = SAMPLE_WORDS.iter().any(|word| heading.contains(word));
            found.extend(entry(&std::mem::take(&mut code)).filter(|_| !is_sample));
        }
    }
    found
}

fn entry(code: &[(usize, String)]) -> Option<Coded> {
    let fields: Vec<(usize, String, String)> = code
        .iter()
        .filter_map(|(line, text)| {
            let (name, value) = text.trim_start_matches(['-', '{', ' ']).split_once(':')?;
            let bare = |text: &str| text.trim().trim_matches(['"', '\'', ',', '}', ' ']).to_owned();
            Some((*line, bare(name).to_lowercase(), bare(value)))
        })
        .collect();
    let get = |names: &[&str]| fields.iter().find(|(_, name, _)| names.contains(&name.as_str()));
    let (line, _, title) = get(&TITLES)?;
    let statement = Statement {
        text: title.clone(),
        fields: fields.iter().map(|(_, name, value)| (name.replace('_', " "), value.clone())).collect(),
        ..Statement::default()
    };
    let id = get(&["id"]).map(|(.., id)| id.clone()).unwrap_or_default();
    (!is_placeholder(title)).then_some(Coded { line: *line, id, statement })
}
