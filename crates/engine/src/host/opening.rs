//! When a session begins: where the workflow stands, and which debate waits for whom.
//!
//! The lines go into a model's context, and the folder may be anybody's. So they hold names and forge's own words, and only of
//! debates that were made here: no question, no title, nothing that somebody else wrote.

use super::Decision;
use crate::run::mover;
use crate::survey::Survey;
use crate::vote::BlindVotes;
use crate::workflow::Standing;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::catalog;
use forge_artifacts::formats::workflow_file;
use forge_debate::plan::{Hand, check_id};
use std::fmt;

/// The most lines.
const LINES_LIMIT: usize = 10;
/// How many debates that are not over are looked at.
const LOOKS_LIMIT: usize = 12;

/// Something that a session should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Where the workflow stands.
    Workflow {
        /// The phase.
        phase: String,
        /// How it stands.
        status: String,
    },
    /// A debate waits for somebody.
    Waits {
        /// The debate.
        debate: String,
        /// Seats for somebody outside.
        outside: Vec<String>,
        /// Seats of people.
        people: Vec<String>,
    },
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Workflow { phase, status } => {
                write!(f, "forge: the workflow is in the phase {phase} ({status}); forge status tells more")
            }
            Line::Waits { debate, outside, people } if outside.is_empty() => {
                let people = people.join(", ");
                write!(f, "forge: the debate {debate} waits for a person ({people}): forge debate vote {debate}")
            }
            Line::Waits { debate, outside, .. } => {
                let seats = outside.join(", ");
                write!(f, "forge: the debate {debate} waits for {seats}: forge turn next {debate}")
            }
        }
    }
}

impl Workspace {
    pub(super) fn session_start(&self) -> Result<Decision, EngineError> {
        let mut lines: Vec<Line> = self.workflow_line()?.into_iter().collect();
        let is_there = |path: &str| matches!(self.locks.names(path), Ok(Some(_)));
        // The last first: names that begin with a time sort by it.
        for plan_file in catalog::unfinished(self.disk.as_ref(), is_there)?.iter().rev().take(LOOKS_LIMIT) {
            lines.extend(self.waits_line(plan_file));
        }
        lines.truncate(LINES_LIMIT);
        Ok(if lines.is_empty() { Decision::Nothing } else { Decision::Tell(lines) })
    }

    fn workflow_line(&self) -> Result<Option<Line>, EngineError> {
        let Standing::There(there) = self.standing()? else { return Ok(None) };
        let state = there.state;
        let is_told = state.is_open() && is_forges(&state.phase);
        Ok(is_told.then(|| Line::Workflow { phase: state.phase, status: state.phase_status.word().to_owned() }))
    }

    /// One that cannot be read is told by whoever asks for it.
    fn waits_line(&self, plan_file: &str) -> Option<Line> {
        let files = self.open_file(plan_file).ok()?;
        let is_own = self.made_here(&files).ok()?.is_some() && self.is_as_made(&files).ok()?;
        if check_id(&files.plan.id).is_err() || !is_own {
            return None;
        }
        let survey = Survey::of(&files).ok()?;
        let votes = BlindVotes::of(&files, &survey).ok()?;
        let waits_for = |hand: Hand| -> Vec<String> {
            let theirs = survey.open.iter().filter(|open| {
                let key = &open.ask.key;
                // A person's vote may wait on the machine where it was cast.
                let has_voted = hand == Hand::Human && votes.sealed_since(key).is_some();
                mover(&files, key) == hand && !has_voted && !self.has_spoken(&files, open).unwrap_or(true)
            });
            theirs.map(|open| open.ask.key.seat.to_string()).collect()
        };
        let (outside, people) = (waits_for(Hand::Outside), waits_for(Hand::Human));
        let is_waiting = !outside.is_empty() || !people.is_empty();
        is_waiting.then(|| Line::Waits { debate: files.plan.id.clone(), outside, people })
    }
}

/// Whether a phase is one of the ten. A project gives its own phases any name.
pub(super) fn is_forges(phase: &str) -> bool {
    workflow_file::ten().phase(phase).is_some()
}
