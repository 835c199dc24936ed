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
use forge_artifacts::store::{DebateFiles, Found};
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
        Ok(plan::read(&document::decode(&bytes).text).ok())
    }

    /// Whether a debate is known to be somebody else's.
    pub fn is_found(&self, files: &DebateFiles) -> Result<bool, EngineError> {
        Ok(self.made.is_some() && self.made_here(files)?.is_none())
    }

    /// Takes a debate over as if it had been made here: the user's own word.
    pub fn adopt_debate(&self, files: &DebateFiles) -> Result<(), EngineError> {
        let (Some(made), Some(bytes)) = (&self.made, self.disk.read(&files.layout.plan())?) else { return Ok(()) };
        files.refuse_keys()?;
        Ok(made.replace(&self.kept_plan_file(&files.layout.plan()), &bytes)?)
    }

    /// Keeps that a debate was made here, or changed by a command that was typed here. Where it cannot be kept the debate is
    /// one that was found, and nothing else is lost.
    pub(crate) fn keep_made(&self, files: &DebateFiles) {
        let _ = self.adopt_debate(files);
    }

    /// Keeps that a debate is about to be made: if the process dies once its plan is there, it was made here.
    pub(crate) fn keep_making(&self, plan_file: &str, text: &str) {
        if let Some(made) = &self.made {
            let _ = made.replace(&self.kept_plan_file(plan_file), text.as_bytes());
        }
    }

    /// Refuses files that lie in a debate that was found where only a person or an agent could have spoken.
    pub(crate) fn refuse_found_words(&self, files: &DebateFiles, survey: &Survey) -> Result<(), EngineError> {
        let lies = |open: &&crate::survey::OpenAsk| {
            matches!(open.found, Found::HandedIn { .. }) && mover(files, &open.ask.key) != Hand::Outside
        };
        let mut lying = Vec::new();
        for open in survey.open.iter().filter(lies) {
            if !self.has_spoken_here(files, &open.ask.key)? {
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

    /// Refuses a person's decision on a debate that was found: whoever reads it with `show` is told whose it is.
    pub(crate) fn refuse_found_decision(&self, files: &DebateFiles) -> Result<(), EngineError> {
        if !self.is_found(files)? || self.has_spoken_here(files, &protocols::decision_ask().key)? {
            return Ok(());
        }
        let id = &files.plan.id;
        Err(EngineError::Usage(format!(
            "{}: the debate {id} was not made here, and this decides it in a person's name. `forge show {id}` shows it; if you know who decided, take the debate over as yours: forge debate run {id} --adopt",
            files.turn_path(&protocols::decision_ask().key)
        )))
    }

    /// Keeps that a turn was handed in, or a debate decided, with a command that was typed here.
    pub(crate) fn keep_spoken(&self, files: &DebateFiles, key: &TurnKey) {
        if let Some(made) = &self.made {
            let _ = made.replace(&self.kept_file(&files.layout.plan(), &files.plan, &turn(key)), b"");
        }
    }

    fn has_spoken_here(&self, files: &DebateFiles, key: &TurnKey) -> Result<bool, EngineError> {
        let Some(made) = &self.made else { return Ok(true) };
        Ok(made.read(&self.kept_file(&files.layout.plan(), &files.plan, &turn(key)))?.is_some())
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

/// Under what a turn is kept.
fn turn(key: &TurnKey) -> String {
    format!("turn-{}", Digest::of(key.slug().as_bytes()).short(16))
}
