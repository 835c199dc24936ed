//! Which debates were made here. A plan, its files and its record are in a folder that anybody may have filled; that the
//! user made the debate is kept where only the user writes, as a copy of the plan.
//!
//! A debate that is not in it was found: its record counts as what it is, a record of others. But a file that lies at the
//! place of a person or of an agent speaks for neither, until the user takes the debate over, or hands it in by a command.

use crate::run::mover;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::plan::{self, PlanFile};
use forge_artifacts::store::{DebateFiles, Found, digest_of_turn};
use forge_debate::digest::Digest;
use forge_debate::plan::{Hand, Plan};
use forge_debate::protocols;
use forge_debate::turn::TurnKey;

impl Workspace {
    /// The plan of a debate as it was made here, if it was.
    pub fn made_here(&self, files: &DebateFiles) -> Result<Option<Plan>, EngineError> {
        let kept = self.kept_plan(files)?.map(|file| file.plan);
        Ok(kept.filter(|plan| plan.created_at == files.plan.created_at))
    }

    /// The plan that was made here at this place, whatever lies there now.
    pub(crate) fn kept_plan(&self, files: &DebateFiles) -> Result<Option<PlanFile>, EngineError> {
        let Some(made) = &self.made else { return Ok(None) };
        let Some(bytes) = made.read(&self.kept_plan_file(&files.layout.plan()))? else { return Ok(None) };
        Ok(plan::read(&document::decode(&bytes).text, self.protocols).ok())
    }

    /// Whether a debate is known to be somebody else's.
    pub fn is_found(&self, files: &DebateFiles) -> Result<bool, EngineError> {
        Ok(self.made.is_some() && self.made_here(files)?.is_none())
    }

    /// Takes a debate over as if it had been made here, with a person's decision that lies in it: the user's own word.
    pub fn adopt_debate(&self, files: &DebateFiles) -> Result<(), EngineError> {
        self.keep_plan(files)?;
        self.keep_decision(files)
    }

    /// Keeps that a debate was made here, or changed by a command that was typed here. Where it cannot be kept the debate is
    /// one that was found, and nothing else is lost.
    pub(crate) fn keep_made(&self, files: &DebateFiles) {
        let _ = self.keep_plan(files);
    }

    fn keep_plan(&self, files: &DebateFiles) -> Result<(), EngineError> {
        let (Some(made), Some(bytes)) = (&self.made, self.disk.read(&files.layout.plan())?) else { return Ok(()) };
        files.refuse_keys()?;
        Ok(made.replace(&self.kept_plan_file(&files.layout.plan()), &bytes)?)
    }

    /// Keeps that a debate is about to be made: if the process dies once its plan is there, it was made here.
    pub(crate) fn keep_making(&self, plan_file: &str, text: &str) -> Result<(), EngineError> {
        let Some(made) = &self.made else { return Ok(()) };
        Ok(made.replace(&self.kept_plan_file(plan_file), text.as_bytes())?)
    }

    /// Refuses files that lie in a debate that was found where only a person or an agent could have spoken.
    pub(crate) fn refuse_found_words(&self, files: &DebateFiles, survey: &Survey) -> Result<(), EngineError> {
        let lies = |open: &&crate::survey::OpenAsk| {
            matches!(open.found, Found::HandedIn { .. }) && mover(files, &open.ask.key) != Hand::Outside
        };
        let mut lying = Vec::new();
        for open in survey.open.iter().filter(lies) {
            let Found::HandedIn { bytes } = &open.found else { continue };
            if !self.has_spoken_here(files, &open.ask.key, bytes)? {
                lying.push(files.turn_path(&open.ask.key));
            }
        }
        if lying.is_empty() {
            return Ok(());
        }
        let id = &files.plan.id;
        let is_person = |open: &&crate::survey::OpenAsk| mover(files, &open.ask.key) == Hand::Human;
        if let Some(host) = self.host.as_ref().filter(|_| survey.open.iter().filter(lies).any(|open| is_person(&open)))
        {
            return Err(EngineError::Usage(format!(
                "{}: this would speak for a person, and forge runs inside {host}. Run it in a terminal of your own: forge debate run {id}; or set inside_host.allow in your own configuration",
                lying.join(", ")
            )));
        }
        if !self.is_found(files)? {
            return Ok(());
        }
        Err(EngineError::Usage(format!(
            "{}: the debate {id} was not made here, and this would speak for a person or an agent that nobody asked. Move it away; or, if you know who wrote it, take the debate over as yours: forge debate run {id} --adopt",
            lying.join(", ")
        )))
    }

    /// Refuses a person's decision that nobody typed here: whoever reads it with `show` is told whose it is.
    pub(crate) fn refuse_found_decision(&self, files: &DebateFiles) -> Result<(), EngineError> {
        let key = protocols::decision_ask().key;
        let Some(bytes) = self.disk.read(&files.turn_path(&key))? else { return Ok(()) };
        if self.has_spoken_here(files, &key, &bytes)? {
            return Ok(());
        }
        let (file, id) = (files.turn_path(&key), &files.plan.id);
        Err(EngineError::Usage(match &self.host {
            Some(host) => format!(
                "{file}: this decides {id} in a person's name, and forge runs inside {host}. If you know who decided, say so in a terminal of your own: forge debate run {id} --adopt; or set inside_host.allow in your own configuration"
            ),
            None => format!(
                "{file}: this decides {id} in a person's name, and nobody typed it here. `forge show {id}` shows it; if you know who decided, take the debate over with it: forge debate run {id} --adopt"
            ),
        }))
    }

    /// Keeps that the decision that lies in a debate is what the user says.
    pub(crate) fn keep_decision(&self, files: &DebateFiles) -> Result<(), EngineError> {
        let key = protocols::decision_ask().key;
        match self.disk.read(&files.turn_path(&key))? {
            Some(bytes) => self.keep_spoken(files, &key, &bytes),
            None => Ok(()),
        }
    }

    /// Keeps what was handed in for a turn, or decided, with a command that was typed here.
    pub(crate) fn keep_spoken(&self, files: &DebateFiles, key: &TurnKey, words: &[u8]) -> Result<(), EngineError> {
        let Some(made) = &self.made else { return Ok(()) };
        let file = self.kept_file(&files.layout.plan(), &files.plan, &turn(key));
        Ok(made.replace(&file, digest_of_turn(words).to_string().as_bytes())?)
    }

    fn has_spoken_here(&self, files: &DebateFiles, key: &TurnKey, words: &[u8]) -> Result<bool, EngineError> {
        let Some(made) = &self.made else { return Ok(true) };
        let kept = made.read(&self.kept_file(&files.layout.plan(), &files.plan, &turn(key)))?;
        Ok(kept.is_some_and(|kept| kept == digest_of_turn(words).to_string().as_bytes()))
    }

    /// Where something about a debate is kept.
    pub(crate) fn kept_file(&self, plan_file: &str, plan: &Plan, what: &str) -> String {
        let place = Digest::of_parts([self.whole_root(), plan_file.to_owned(), plan.created_at.clone()]);
        format!("{}/{what}.md", place.short(32))
    }

    /// Where the plan is kept that was made at a place. One that names another time is no other debate's.
    fn kept_plan_file(&self, plan_file: &str) -> String {
        let place = Digest::of_parts([self.whole_root(), plan_file.to_owned()]);
        format!("{}/plan.md", place.short(32))
    }

    fn whole_root(&self) -> String {
        let root = self.locks.root();
        root.canonicalize().unwrap_or_else(|_| root.to_owned()).display().to_string()
    }
}

/// What is said where something could not be kept: everything else goes on.
pub(crate) fn not_kept(kept: Result<(), EngineError>) -> Option<String> {
    let error = kept.err()?;
    Some(format!(
        "that this is yours could not be kept, so it counts as somebody else's until you say --adopt: {error}"
    ))
}

/// Under what a turn is kept.
fn turn(key: &TurnKey) -> String {
    format!("turn-{}", Digest::of(key.slug().as_bytes()).short(16))
}
