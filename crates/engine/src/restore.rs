//! Putting back the files of turns that are on record: those from outside from their copies in the trail, agents' from their
//! raw replies. Asks nobody.
//!
//! Promises: what is put back is what was counted; what somebody wrote in its place is kept aside; a debate whose record is
//! not what it was is left as it is.
//!
//! If the process dies here: each file is put back whole or not at all, and the next call puts back the rest.

use crate::answer::Asking;
use crate::budget::{Budget, MAX_OUTPUT_TOKENS};
use crate::event::Silent;
use crate::gate::has_later_turns;
use crate::report;
use crate::run::{Unseated, mover};
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Created;
use forge_artifacts::store::{DebateFiles, Found, OnRecord, Since};
use forge_debate::brief;
use forge_debate::digest::Digest;
use forge_debate::record::Ask;
use futures_util::FutureExt as _;
use std::sync::Arc;
use std::time::Duration;

/// A debate has no more waves than this to put back.
const PASSES_LIMIT: usize = 1000;

/// A file that was put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutBack {
    /// The file.
    pub file: String,
    /// Where that went which stood in its place.
    pub aside: Option<String>,
}

impl Workspace {
    /// Puts back the turn files of closed waves that are gone or changed, and tells which.
    pub fn restore_turns(&self, name: &str) -> Result<Vec<PutBack>, EngineError> {
        let files = self.open(name)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let mut done = Vec::new();
        for (seat, file) in files.lost_personas() {
            files.put_persona(&seat)?;
            done.push(PutBack { file, aside: None });
        }
        for _ in 0..PASSES_LIMIT {
            let survey = Survey::of(&files)?;
            refuse_changed_record(&files, &survey)?;
            let before = done.len();
            for one in survey.heard.iter().filter(|one| one.since.is_some()) {
                done.push(put_left_back(&files, one)?);
            }
            self.put_replies_back(&files, &survey, &mut done)?;
            if done.len() > before {
                continue;
            }
            // What was kept aside is listed in the verdict.
            match survey.verdict {
                Some(_) => report::publish(&files, &survey)?,
                None => report::publish_open(&files, &survey)?,
            };
            return Ok(done);
        }
        Err(EngineError::Bug(format!("{}: no end after {PASSES_LIMIT} passes", files.plan.id)))
    }

    /// Makes agents' turns anew that are gone or damaged, though the debate went on from them.
    fn put_replies_back(
        &self,
        files: &DebateFiles,
        survey: &Survey,
        done: &mut Vec<PutBack>,
    ) -> Result<(), EngineError> {
        let listed = report::listed(files)?;
        let is_closed = has_later_turns(files, survey)?;
        for open in &survey.open {
            let path = files.turn_path(&open.ask.key);
            let was_counted = is_closed || listed.iter().any(|turn| turn.file == path);
            if !was_counted || files.attempts(&open.ask.key)?.is_empty() {
                continue;
            }
            let aside = match &open.found {
                Found::Nothing => None,
                _ => Some(files.set_aside(&open.ask.key, &path)?),
            };
            self.make_anew(files, survey, &open.ask)?;
            done.push(PutBack { file: path, aside });
        }
        Ok(())
    }

    fn make_anew(&self, files: &DebateFiles, survey: &Survey, ask: &Ask) -> Result<(), EngineError> {
        let hand = mover(files, &ask.key);
        let agent = Arc::new(Unseated { name: hand.to_string(), why: "nobody is asked here".to_owned() });
        let brief = brief::render(&files.plan, ask, &survey.turns, &files.texts)?;
        let asking = Asking {
            roster: &self.roster,
            files,
            ask,
            asked: Digest::of(brief.text().as_bytes()),
            brief,
            hand,
            agent,
            chain: survey.chain,
            budget: &Budget::of(self, files, &files.plan.limits, MAX_OUTPUT_TOKENS)?,
            clock: &self.clock,
            watch: &Silent,
            deadline: Duration::ZERO,
            is_settled: true,
        };
        asking
            .run()
            .now_or_never()
            .unwrap_or_else(|| Err(EngineError::Bug("a restored turn was waited for".to_owned())))
    }
}

/// Puts a file back that somebody left, from its copy in the trail.
fn put_left_back(files: &DebateFiles, one: &OnRecord) -> Result<PutBack, EngineError> {
    let (key, file) = (&one.turn.key, files.turn_path(&one.turn.key));
    let aside = match one.since {
        Some(Since::Changed) => Some(files.set_aside(key, &file)?),
        _ => None,
    };
    let Some(text) = files.text_taken_in(key)? else {
        return Err(report::contradicted(files, &[format!("{} is gone", one.line.file)]));
    };
    match files.hand_in(key, text.as_bytes())? {
        Created::New => Ok(PutBack { file, aside }),
        Created::AlreadyThere => Err(EngineError::Usage(format!("{file} was written by somebody else meanwhile"))),
    }
}

/// Refuses a record that is not what it was: what would be put back is not what was counted.
fn refuse_changed_record(files: &DebateFiles, survey: &Survey) -> Result<(), EngineError> {
    report::refuse_changed_turns(&report::listed(files)?, files, survey)?;
    let mut found: Vec<String> = survey.broken_chain().collect();
    for open in &survey.open {
        // A turn in the trail is the record itself; an agent's turn is made anew from its replies.
        if let Found::Damaged { path, problems, .. } = &open.found
            && *path != files.turn_path(&open.ask.key)
        {
            found.extend(problems.iter().cloned());
        }
    }
    for turn in report::listed(files)? {
        let is_home = |open: &crate::survey::OpenAsk| files.turn_path(&open.ask.key) == turn.file;
        let is_trail = turn.file.starts_with(&format!("{}/", files.layout.trail_folder()));
        if is_trail && files.disk().read(&turn.file)?.is_none() && !survey.open.iter().any(is_home) {
            found.push(format!("{} is gone, and the verdict on file was derived from it", turn.file));
        }
    }
    match found.is_empty() {
        true => Ok(()),
        false => Err(report::contradicted(files, &found)),
    }
}
