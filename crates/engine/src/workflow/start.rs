//! Beginning a workflow: the knowledge files, the state file, the first handoff.

use super::keep::Kept;
use super::read::Counts;
use super::standing::Standing;
use super::{Drive, Log, Progress, Until, archive};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Created;
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow::Layout;
use forge_artifacts::formats::summary::shortened;
use forge_artifacts::formats::{brief, knowledge, phase_document};
use forge_debate::plan::QUESTION_LIMIT_BYTES;
use forge_prose::secrets::redacted;
use forge_workflow::definition::Definition;
use forge_workflow::knowledge::Kind;
use forge_workflow::next::{STATE_FILE, touch};
use forge_workflow::state::{PhaseStatus, State, WorkflowStatus};

/// How much of an objective stands in a message.
pub(super) const OBJECTIVE_CHARS: usize = 60;
/// The most workflows that begin within one second.
const NAMESAKES_LIMIT: usize = 100;

/// What git is not told of.
const IGNORED: [(&str, &str); 2] = [
    (".claude/forge/.gitignore", "*.lock\nrequests/\nsnapshots/\nao-generation\nao-metadata.json\n.forge-tmp-*\n"),
    ("docs/forge/.gitignore", "lock\n.forge-tmp-*\n"),
];

/// How a workflow is begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartSettings {
    /// What it is for.
    pub objective: String,
    /// Whether another one that is under way is given up for it.
    pub abandon: bool,
}

impl Workspace {
    /// Begins a workflow, or goes on with beginning it: the same objective again finds the same workflow.
    pub fn start_workflow(&self, settings: &StartSettings, drive: &Drive) -> Result<Progress, EngineError> {
        Log::telling(|log| {
            let objective = redacted(settings.objective.trim());
            let objective = objective.as_str();
            if objective.is_empty() {
                return Err(EngineError::Usage("what is it for? forge start \"<objective>\"".to_owned()));
            }
            if objective.len() > QUESTION_LIMIT_BYTES {
                return Err(EngineError::Usage(format!(
                    "the objective has {} bytes; at most {QUESTION_LIMIT_BYTES} are taken. Put the rest into docs/forge/knowledge/brief.md",
                    objective.len()
                )));
            }
            let _held = self.hold_workflow()?;
            let definition = self.definition()?;
            let standing = self.standing()?;
            let is_ours = matches!(&standing, Standing::There(there) if there.layout == Layout::Ours);
            let earlier = match &standing {
                Standing::There(there) => there.state.workflow_id.clone(),
                _ => "earlier".to_owned(),
            };
            match standing {
                Standing::There(there) if there.state.is_open() => {
                    let state = self.load(log)?;
                    if state.objective.trim() == objective {
                        log.did(format!("{} is under way already", state.workflow_id));
                        // Beginning ends with the first phase; whatever comes after it is for `forge continue`.
                        let is_left = state.phase_status == PhaseStatus::Completed;
                        let until = if is_left || state.completed_phases.is_empty() {
                            Until::Left
                        } else {
                            Until::Entered(&state.phase.clone())
                        };
                        return self.advance(state, drive, until, log);
                    }
                    if !settings.abandon {
                        return Err(EngineError::Usage(format!(
                            "the workflow {} ({}) is under way in phase {}; finish it, or give it up with `forge start --abandon \"<objective>\"`",
                            state.workflow_id,
                            shortened(&state.objective, OBJECTIVE_CHARS),
                            state.phase
                        )));
                    }
                    self.abandon(state, drive, log)?;
                }
                Standing::Foreign(foreign) if !settings.abandon => {
                    return Err(EngineError::Usage(format!(
                        "{foreign}; `forge start --abandon \"<objective>\"` leaves it alone and begins anew"
                    )));
                }
                Standing::Damaged { path, line, problem } if !settings.abandon => {
                    let recovers = match self.recovered()? {
                        Some((_, from)) => format!("`forge continue` recovers the workflow from {from},"),
                        None => "mend it, or".to_owned(),
                    };
                    return Err(EngineError::Usage(format!(
                        "{path}:{line}: {problem}; {recovers} `forge start --abandon \"<objective>\"` begins anew"
                    )));
                }
                Standing::Damaged { path, .. } => {
                    let kept = self.set_aside(&path)?;
                    log.did(format!("the damaged state file is kept as {kept}"));
                }
                Standing::Absent if !settings.abandon => {
                    if let Some((lost, from)) = self.lost_workflow()?
                        && lost.is_open()
                    {
                        return Err(EngineError::Usage(format!(
                            "the state file is gone, but {from} tells of the workflow {} in phase {}; `forge continue` recovers it, `forge start --abandon \"<objective>\"` begins anew",
                            lost.workflow_id, lost.phase
                        )));
                    }
                }
                Standing::There(_) | Standing::Foreign(_) | Standing::Idle | Standing::Absent => {}
            }
            if is_ours || earlier != "earlier" || self.has_archive()? {
                self.make_room(&definition, &earlier, log)?;
            }
            self.make_knowledge(objective, &earlier, log)?;
            let Some(first) = definition.phases.first() else {
                return Err(EngineError::Bug("a workflow without phases".to_owned()));
            };
            let now = self.now();
            let id = self.free_id()?;
            let mut state = State::new(&id, objective, &first.id, &now.stamp);
            state.next_phase = definition.after(&first.id).map(|next| next.id.clone());
            state.branch.clone_from(&drive.branch);
            state.issue = drive.issue.as_deref().map(redacted);
            state.revision = 1;
            // What stands there is over, or another tool's. It makes room, and its notes do not come along.
            match (is_ours, self.keep()?) {
                (true, Kept::Made(kept) | Kept::Already(kept)) => {
                    log.did(format!("{STATE_FILE} as it was is kept as {kept}"))
                }
                (true, Kept::Nothing) => {}
                (false, _) => self.copy_state_file(log)?,
            }
            self.write_state_over(None, &state)?;
            log.did(format!("began {id}"));
            self.advance(state, drive, Until::Left, log)
        })
    }

    fn has_archive(&self) -> Result<bool, EngineError> {
        Ok(!self.disk.list(archive::FOLDER)?.is_empty())
    }

    /// Documents at the places of the phases that name no workflow are taken for those of the one before.
    fn make_room(&self, definition: &Definition, earlier: &str, log: &mut Log) -> Result<(), EngineError> {
        let places = definition.phases.iter().flat_map(|phase| [phase.document(), phase.options_document()]);
        let mut places: Vec<String> = places.collect();
        places.dedup();
        for path in places {
            let Some(bytes) = self.disk.read(&path)?.filter(|bytes| !document::is_blank(bytes)) else { continue };
            if phase_document::workflow_of(&bytes).is_none() {
                let kept = self.move_to_archive(&path, earlier)?;
                log.did(format!(
                    "{path} names no workflow, and another one was here before; it is kept as {kept}. If it is for this one: mv {kept} {path}"
                ));
            }
        }
        Ok(())
    }

    /// An id that no workflow with a record has: two may begin within one second.
    fn free_id(&self) -> Result<String, EngineError> {
        let base = format!("forge-{}", (self.clock)().compact());
        for number in 1..=NAMESAKES_LIMIT {
            let id = if number == 1 { base.clone() } else { format!("{base}-{number}") };
            if self.disk.read(&archive::record_path(&id))?.is_none() {
                return Ok(id);
            }
        }
        Err(EngineError::Usage(format!("{NAMESAKES_LIMIT} workflows are named {base}; wait a second")))
    }

    fn make_knowledge(&self, objective: &str, earlier: &str, log: &mut Log) -> Result<(), EngineError> {
        let date = self.now().date;
        let path = "docs/forge/knowledge/brief.md";
        if self.disk.create_new(path, brief::template(objective, &date).as_bytes())? == Created::New {
            log.did(format!("made {path}"));
        }
        self.make_knowledge_files(log)?;
        self.renew_brief(objective, &date, earlier, log)
    }

    /// Makes the knowledge files that are not there.
    pub(super) fn make_knowledge_files(&self, log: &mut Log) -> Result<(), EngineError> {
        let mut files = vec![
            ("docs/forge/knowledge/glossary.md".to_owned(), knowledge::glossary_template().to_owned()),
            ("docs/forge/knowledge/traceability.md".to_owned(), knowledge::traceability_template().to_owned()),
        ];
        files.extend(Kind::ALL.map(|kind| (kind.file().to_owned(), knowledge::template(kind).to_owned())));
        for (path, text) in files {
            if self.disk.create_new(&path, text.as_bytes())? == Created::New {
                log.did(format!("made {path}"));
            }
        }
        Ok(())
    }

    /// Locks, indexes and snapshots tell git nothing; the rest of what forge writes is history worth keeping. A file that
    /// somebody else made stays as it is.
    pub(super) fn ignore_own_files(&self) -> Result<(), EngineError> {
        for (path, text) in IGNORED {
            if self.disk.read(path)?.is_none() {
                let _ = self.disk.create_new(path, text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// The brief of an earlier workflow goes to the archive: the new one is for something else.
    fn renew_brief(&self, objective: &str, date: &str, earlier: &str, log: &mut Log) -> Result<(), EngineError> {
        let path = "docs/forge/knowledge/brief.md";
        let Some(bytes) = self.disk.read(path)? else { return Ok(()) };
        let text = forge_artifacts::document::decode(&bytes).text;
        match brief::objective(&text) {
            Some(known) if known.trim() != objective => {
                let kept = self.move_to_archive(path, earlier)?;
                let _ = self.disk.create_new(path, brief::template(objective, date).as_bytes())?;
                log.did(format!("the brief of an earlier workflow is kept as {kept}"));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn abandon(&self, mut state: State, drive: &Drive, log: &mut Log) -> Result<(), EngineError> {
        self.keep()?;
        state.status = WorkflowStatus::Abandoned;
        touch(&mut state, &self.now());
        let snapshot = self.snapshot(&self.definition()?, state.clone(), drive, Counts::OnRecord)?;
        self.write_archive(&snapshot, &state)?;
        self.write_state(&state, log)?;
        log.did(format!("gave up {}; its record is in .claude/forge/archive", state.workflow_id));
        Ok(())
    }
}
