//! What another tool's finished debate decided: its synthesis is all that there is of it.

use super::passages::one_line;
use super::{REOPEN, TITLE_LIMIT_CHARS, joined, kill_switch, shortened};
use crate::knowledge::{Constraint, Decision, Findings};
use forge_debate::turn::Section;

/// The synthesis of a debate that another tool held.
#[derive(Debug, Clone, Copy)]
pub struct Synthesis<'s> {
    /// The file.
    pub file: &'s str,
    /// The debate's id.
    pub debate: &'s str,
    /// The phase that it belongs to.
    pub phase: &'s str,
    /// The day of the decision, as YYYY-MM-DD; empty where nothing tells it.
    pub date: &'s str,
    /// What was asked.
    pub question: &'s str,
    /// What was chosen.
    pub chosen: &'s str,
    /// Its sections.
    pub sections: &'s [Section],
}

/// The decision of another tool's debate, locked like every debate's.
pub fn from_synthesis(synthesis: &Synthesis<'_>) -> Findings {
    let source = |letter: char| format!("{}#{letter}1", synthesis.file);
    let decision = Decision {
        title: joined(synthesis.question, shortened(&one_line(synthesis.chosen), TITLE_LIMIT_CHARS)),
        phase: synthesis.phase.to_owned(),
        debate: Some(synthesis.debate.to_owned()),
        date: synthesis.date.to_owned(),
        kill_switch: kill_switch(synthesis.sections),
        locked: true,
        source: Some(source('D')),
        ..Decision::default()
    };
    let constraint = Constraint {
        origin: source('D'),
        violation: REOPEN.to_owned(),
        locked_by: Some(synthesis.debate.to_owned()),
        source: Some(source('C')),
        ..Constraint::default()
    };
    Findings { decisions: vec![decision], constraints: vec![constraint], ..Findings::default() }
}

/// The synthesis from which a decision of another tool's debate was taken over: forge has no record of that debate.
pub fn taken_from(decision: &Decision) -> Option<&str> {
    let (file, _) = decision.source.as_deref()?.rsplit_once('#')?;
    file.ends_with("/synthesis.md").then_some(file)
}
