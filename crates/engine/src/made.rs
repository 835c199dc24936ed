//! Which debates were made here. A plan, its files and its record are in a folder that anybody may have filled; that the
//! user made the debate is kept where only the user writes, as a copy of the plan.
//!
//! A debate that is not in it was found: its record counts as what it is, a record of others. But a file that lies at the
//! place of a person or of an agent speaks for neither, until the user takes the debate over, or hands it in by a command.

use crate::allowed::Allowed;
use crate::run::mover;
use crate::survey::Survey;
use crate::vote::is_taken_back;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Disk;
use forge_artifacts::formats::commitment;
use forge_artifacts::formats::plan::{self, PlanFile};
use forge_artifacts::store::{DebateFiles, Found, OnRecord, digest_of_turn};
use forge_artifacts::{document, git};
use forge_debate::brief::one_line;
use forge_debate::digest::Digest;
use forge_debate::plan::{Hand, Plan};
use forge_debate::protocols;
use forge_debate::turn::TurnKey;
use forge_workflow::snapshot::Origin;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Workspace {
    /// The plan of a debate as it was made here, if it was.
    pub fn made_here(&self, files: &DebateFiles) -> Result<Option<Plan>, EngineError> {
        let kept = self.kept_plan(files)?.map(|file| file.plan);
        Ok(kept.filter(|plan| plan.created_at == files.plan.created_at))
    }

    /// The plan that was made here at this place, whatever lies there now; else the one that was made in another worktree of
    /// the repository.
    pub(crate) fn kept_plan(&self, files: &DebateFiles) -> Result<Option<PlanFile>, EngineError> {
        let Some(made) = &self.made else { return Ok(None) };
        let read = |file: &str| -> Result<Option<PlanFile>, EngineError> {
            Ok(made.read(file)?.and_then(|bytes| plan::read(&document::decode(&bytes).text, self.protocols).ok()))
        };
        let place = files.layout.plan();
        if let Some(own) = read(&kept_plan_file(&self.whole_root(), &place))? {
            return Ok(Some(own));
        }
        let is_it = |file: &PlanFile| file.plan.created_at == files.plan.created_at;
        let shared = self.shared_root().unwrap_or_else(|| self.whole_root());
        if let Some(main) = read(&kept_plan_file(&shared, &place))?.filter(is_it) {
            return Ok(Some(main));
        }
        Ok(read(&shared_plan_file(&shared, &place, &files.plan.created_at))?.filter(is_it))
    }

    /// Whether a debate that is not on disk was made here, so that what came of it is more than a line in a file. Believed where
    /// nobody keeps it.
    pub(crate) fn knew_debate(&self, id: &str) -> Result<bool, EngineError> {
        let Some(made) = &self.made else { return Ok(true) };
        let places = [
            format!("docs/forge/debate/{id}/debate-plan.md"),
            format!("docs/forge/debate/{id}/plan.md"),
            format!("docs/forge/sadd/debate-{id}-plan.md"),
            format!("debates/{id}/plan.md"),
        ];
        let roots = [Some(self.whole_root()), self.shared_root()];
        for root in roots.iter().flatten() {
            for place in &places {
                if made.read(&kept_plan_file(root, place))?.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a debate is known to be somebody else's.
    pub fn is_found(&self, files: &DebateFiles) -> Result<bool, EngineError> {
        Ok(self.made.is_some() && self.made_here(files)?.is_none())
    }

    /// Keeps that nobody had spoken in a debate when it was gone on with here: what is said later is said here, as in a debate
    /// of one's own. Its plan and its rules stay a stranger's.
    pub(crate) fn note_empty(&self, files: &DebateFiles, survey: &Survey) -> Result<(), EngineError> {
        let is_empty = survey.heard.is_empty() && survey.writers().is_empty();
        let Some(made) = self.made.as_ref().filter(|_| is_empty) else { return Ok(()) };
        if self.is_found(files)? && !self.was_empty_here(files)? {
            // Where it cannot be kept it is asked about later.
            let _ = made.replace(&self.empty_file(files), b"");
        }
        Ok(())
    }

    fn was_empty_here(&self, files: &DebateFiles) -> Result<bool, EngineError> {
        let Some(made) = &self.made else { return Ok(false) };
        Ok(made.read(&self.empty_file(files))?.is_some())
    }

    fn empty_file(&self, files: &DebateFiles) -> String {
        self.kept_file(&files.layout.plan(), &files.plan, "empty")
    }

    /// What the words of a debate rest on that was not made here.
    pub fn origin(&self, files: &DebateFiles, survey: &Survey) -> Result<Option<Origin>, EngineError> {
        if !self.is_found(files)? || self.was_empty_here(files)? {
            return Ok(None);
        }
        let is_left = |one: &&Arc<OnRecord>| matches!(one.header.agent.as_str(), "outside" | "human");
        let spoke = survey.heard.iter().filter(|one| one.turn.speech().is_some());
        let seats: BTreeSet<_> = spoke.clone().map(|one| one.turn.seat()).collect();
        let by_files: BTreeSet<_> = spoke.filter(is_left).map(|one| one.turn.seat()).collect();
        let is_on_record = survey.heard.len() > survey.provisional.len();
        if survey.heard.is_empty() {
            return Ok(None);
        }
        Ok(Some(Origin { seats: seats.len(), by_files: by_files.len(), is_on_record }))
    }

    /// Whose words a debate rests on, where it lies here and is known to be somebody else's.
    pub(crate) fn strangers_words(&self, debate: &str) -> Result<Option<(DebateFiles, Origin)>, EngineError> {
        if self.made.is_none() {
            return Ok(None);
        }
        let Some(Ok(files)) = self.open_if_there(debate)? else { return Ok(None) };
        if !self.is_found(&files)? {
            return Ok(None);
        }
        let origin = self.origin(&files, &Survey::of(&files)?)?;
        Ok(origin.map(|origin| (files, origin)))
    }

    /// Takes a debate over as if it had been made here, with a person's decision that lies in it: the user's own word.
    pub fn adopt_debate(&self, files: &DebateFiles, allowed: Option<&Allowed>) -> Result<(), EngineError> {
        allowed.map(|allowed| allowed.check_scripts(self, files)).transpose()?;
        self.keep_plan(files)?;
        // What cannot be read is told by whoever goes on with it.
        for open in Survey::of(files).map(|survey| survey.open).unwrap_or_default() {
            if let Found::HandedIn { bytes } = &open.found {
                self.keep_spoken(files, &open.ask.key, bytes)?;
            }
        }
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
        self.keep_plan_text(made.as_ref(), &files.layout.plan(), &files.plan.created_at, &bytes)
    }

    /// What was made in an added worktree is known in the others, also when that worktree is gone.
    fn keep_plan_text(&self, made: &dyn Disk, plan_file: &str, at: &str, text: &[u8]) -> Result<(), EngineError> {
        if let Some(shared) = self.shared_root() {
            made.replace(&shared_plan_file(&shared, plan_file, at), text)?;
        }
        Ok(made.replace(&kept_plan_file(&self.whole_root(), plan_file), text)?)
    }

    /// Keeps that a debate is about to be made: if the process dies once its plan is there, it was made here.
    pub(crate) fn keep_making(&self, plan_file: &str, at: &str, text: &str) -> Result<(), EngineError> {
        let Some(made) = &self.made else { return Ok(()) };
        self.keep_plan_text(made.as_ref(), plan_file, at, text.as_bytes())
    }

    /// Refuses files that lie where only a person or an agent could have spoken: in a debate that was found all of them, in one's
    /// own those at an agent's place, but for roles whose file is what counts, whoever writes it. There people write their own.
    pub(crate) fn refuse_found_words(&self, files: &DebateFiles, survey: &Survey) -> Result<(), EngineError> {
        let is_found = self.is_found(files)?;
        let id = &files.plan.id;
        let (mut lying, mut is_persons) = (Vec::new(), false);
        for open in &survey.open {
            let Found::HandedIn { bytes } = &open.found else { continue };
            let (key, hand) = (&open.ask.key, mover(files, &open.ask.key));
            if self.has_spoken_here(files, key, bytes)? {
                continue;
            }
            if self.waits_here(files, key)? {
                let (file, seal) = (files.turn_path(key), commitment::path(&files.layout, key));
                return Err(EngineError::Usage(format!(
                    "{file} stands in the place of words that were handed in for {} here and wait, and {seal}, which commits to them, is gone. Take that from where it was kept (git); or let the file count: forge debate run {id} --adopt",
                    key.seat
                )));
            }
            is_persons |= hand == Hand::Human;
            let is_agents = hand.is_agent() && files.plan.protocol.absences_have_files;
            if hand != Hand::Outside && (is_found || is_agents || self.host.is_some()) {
                lying.push(files.turn_path(key));
            }
        }
        if lying.is_empty() {
            return Ok(());
        }
        let all = lying.join(", ");
        Err(EngineError::Usage(match &self.host {
            Some(host) if is_persons => format!(
                "{all}: this would speak for a person, and forge runs inside {host}. Run it in a terminal of your own: forge debate run {id}; or set inside_host.allow in your own configuration"
            ),
            _ if is_found => format!(
                "{all}: the debate {id} was not made here, and this would speak for a person or an agent that nobody asked. Move it away; or, if you know who wrote it, take the debate over as yours: forge debate run {id} --adopt"
            ),
            _ => format!(
                "{all}: this would speak for an agent that nobody asked. Move it away, and the agent is asked; or, if you know who wrote it, let it count: forge debate run {id} --adopt"
            ),
        }))
    }

    /// Whether words that were handed in for a turn with a command typed here wait to be published, and nothing in the tree says
    /// so any more.
    fn waits_here(&self, files: &DebateFiles, key: &TurnKey) -> Result<bool, EngineError> {
        let Some(vault) = &self.vault else { return Ok(false) };
        if files.disk().read(&commitment::path(&files.layout, key))?.is_some() {
            return Ok(false);
        }
        for entry in vault.list("")? {
            let Some(kept) = vault.read(&entry.name)?.as_deref().and_then(commitment::read_kept) else { continue };
            let is_its = kept.debate == files.plan.id && kept.turn == key.slug();
            if is_its
                && self.has_spoken_here(files, key, &kept.words)?
                && !is_taken_back(files, key, commitment::digest(&kept.salt, &kept.words))?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What a gate says of a plan of the user's own that is not as it was made, before what answers it is on record.
    pub(crate) fn changed_plan(&self, files: &DebateFiles) -> Result<Option<String>, EngineError> {
        if self.kept_plan(files)?.is_some() { told(self.hold_plan(files)) } else { Ok(None) }
    }

    /// What a gate says of words that a run would not take in: as long as they are not on record, they count as little here.
    pub(crate) fn found_words(&self, files: &DebateFiles) -> Result<Option<String>, EngineError> {
        told(self.refuse_found_words(files, &Survey::of(files)?))
    }

    /// What a gate says of a decision that nobody typed here.
    pub(crate) fn found_decision(&self, files: &DebateFiles) -> Result<Option<String>, EngineError> {
        told(self.refuse_found_decision(files))
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

    /// Whether a debate that was made here holds a person's decision that nobody typed here. Elsewhere nobody knows who could have
    /// typed it.
    pub(crate) fn is_decided_by_others(&self, files: &DebateFiles, survey: &Survey) -> Result<bool, EngineError> {
        let is_decided = survey.verdict.as_ref().is_some_and(|verdict| verdict.decision.is_some());
        Ok(is_decided && !self.is_found(files)? && self.found_decision(files)?.is_some())
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
        Ok(made.replace(&self.spoken_file(files, key, words), b"")?)
    }

    pub(crate) fn has_spoken_here(
        &self,
        files: &DebateFiles,
        key: &TurnKey,
        words: &[u8],
    ) -> Result<bool, EngineError> {
        let Some(made) = &self.made else { return Ok(true) };
        Ok(made.read(&self.spoken_file(files, key, words))?.is_some())
    }

    /// One file for all that was typed for a turn would forget the words that stand when others are refused after them.
    fn spoken_file(&self, files: &DebateFiles, key: &TurnKey, words: &[u8]) -> String {
        let what = format!("{}-{}", turn(key), digest_of_turn(words).short(32));
        self.kept_file(&files.layout.plan(), &files.plan, &what)
    }

    /// Where something about a debate is kept.
    pub(crate) fn kept_file(&self, plan_file: &str, plan: &Plan, what: &str) -> String {
        let place = Digest::of_parts([self.whole_root(), plan_file.to_owned(), plan.created_at.clone()]);
        format!("{}/{what}.md", place.short(32))
    }

    fn whole_root(&self) -> String {
        let root = self.locks.root();
        root.canonicalize().unwrap_or_else(|_| root.to_owned()).display().to_string()
    }

    /// The workspace's place, and that of all worktrees.
    pub(crate) fn own_roots(&self) -> Vec<String> {
        std::iter::once(self.whole_root()).chain(self.shared_root()).collect()
    }

    /// The one place of all worktrees, seen from an added one.
    fn shared_root(&self) -> Option<String> {
        Some(git::shared_place(self.locks.root())?.display().to_string())
    }
}

/// Where the plan is kept that was made at a place. One that names another time is no other debate's.
fn kept_plan_file(root: &str, plan_file: &str) -> String {
    let place = Digest::of_parts([root.to_owned(), plan_file.to_owned()]);
    format!("{}/plan.md", place.short(32))
}

/// Where the plan is kept that was made in an added worktree. Two of them may make different debates at one place.
fn shared_plan_file(root: &str, plan_file: &str, at: &str) -> String {
    let place = Digest::of_parts(["worktrees".to_owned(), root.to_owned(), plan_file.to_owned(), at.to_owned()]);
    format!("{}/plan.md", place.short(32))
}

/// A refusal as what is said of it.
fn told(done: Result<(), EngineError>) -> Result<Option<String>, EngineError> {
    match done {
        Ok(()) => Ok(None),
        Err(EngineError::Usage(text)) => Ok(Some(text)),
        Err(error @ EngineError::NotAsHeld { .. }) => Ok(Some(one_line(&error.to_string()))),
        Err(error) => Err(error),
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
