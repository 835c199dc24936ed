//! Lists in which words act and sentences are for people.

use super::Defect;
use super::spot::Spot;
use forge_debate::plan::nearest;
use forge_prose::blanks::is_placeholder;
use forge_workflow::definition::{FileRead, Remark};
use forge_workflow::extract::passages::one_line;

/// What a list says.
pub(super) struct Sentences<T> {
    /// Words that forge knows, each once.
    pub(super) words: Vec<T>,
    /// Everything else.
    pub(super) prose: Vec<String>,
}

impl<T: PartialEq> Sentences<T> {
    /// Reads a list. A word that is only a slip away from one of forge's is refused; any other text is a sentence.
    pub(super) fn read(
        listed: &[Spot<'_>],
        parse: fn(&str) -> Option<T>,
        kind: &str,
        known: &[&str],
        read: &mut FileRead,
    ) -> Result<Self, Defect> {
        let mut all = Self { words: Vec::new(), prose: Vec::new() };
        for spot in listed {
            let said = spot.said().unwrap_or_default().trim();
            match parse(said) {
                Some(word) if all.words.contains(&word) => {}
                Some(word) => all.words.push(word),
                None if !said.contains(' ') && nearest(said, known.iter().copied()).is_some() => {
                    return Err(spot.unknown(kind, known));
                }
                None => all.prose.extend(sentence(spot, read)),
            }
        }
        Ok(all)
    }
}

/// The sentences of a list.
pub(super) fn prose(listed: &[Spot<'_>], read: &mut FileRead) -> Vec<String> {
    listed.iter().filter_map(|spot| sentence(spot, read)).collect()
}

/// A sentence on one line, without the box that it may begin with.
fn sentence(spot: &Spot<'_>, read: &mut FileRead) -> Option<String> {
    let line = one_line(spot.said().unwrap_or_default());
    let bare = line.trim_start_matches(['-', '*', ' ']);
    let unboxed = ["[ ]", "[]", "[x]", "[X]"].iter().find_map(|mark| bare.strip_prefix(mark));
    let said = unboxed.unwrap_or(&line).trim();
    if said.is_empty() || is_placeholder(said) {
        read.remarks.push(Remark::NoSentence { path: spot.path() });
        return None;
    }
    Some(said.to_owned())
}
