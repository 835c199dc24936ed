//! Tasks that are done, or cannot go on, because somebody says so.

use super::{Drive, Log, Progress, Until};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::formats::phase_document;
use forge_debate::plan::nearest;
use forge_prose::secrets::redacted;
use forge_workflow::definition::{Definition, DoneWhen, Phase, Task};
use forge_workflow::next::touch;
use forge_workflow::state::{REVISIT, State};
use forge_workflow::todo;

/// What is said about a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskWord {
    /// It is done.
    Done,
    /// It cannot go on, and why.
    Blocked(String),
}

impl Workspace {
    /// Marks a task of the current phase. A box in the phase document is ticked with it. Does not leave the phase.
    pub fn mark_task(&self, name: &str, word: &TaskWord, drive: &Drive) -> Result<Progress, EngineError> {
        Log::telling(|log| {
            let _held = self.hold_existing()?;
            let state = self.load(log)?;
            self.keep_hourly()?;
            let definition = self.definition()?;
            let Some(phase) = definition.phase(&state.phase).filter(|_| state.is_open()) else {
                return Err(EngineError::Usage(format!("the workflow {} has no open phase", state.workflow_id)));
            };
            // Tasks that no phase has: going back leaves one, and others write their own into the state file.
            let by_name = |id: &str| Task { id: id.to_owned(), title: String::new(), done_when: DoneWhen::Ticked };
            let is_pending = state.pending_tasks.iter().any(|known| known == name.trim());
            let is_blocked = state.blocked_tasks.iter().any(|(known, _)| known == name.trim());
            let nameless = by_name(name.trim());
            let is_nameless = name.trim() == REVISIT || is_pending || is_blocked;
            // A name that stands in the state as it was typed means that task, and no other that begins like it.
            let is_known = phase.all_tasks().any(|task| task.id == name.trim());
            let task = if is_nameless && !is_known { &nameless } else { found(phase, name)? };
            let mut after = state.clone();
            after.blocked_tasks.retain(|(known, _)| *known != task.id);
            match word {
                TaskWord::Done => {
                    if task.done_when != DoneWhen::Ticked {
                        return Err(EngineError::Usage(format!(
                            "{} is not for anyone to tick: it is done when {}",
                            task.id,
                            meaning(task.done_when)
                        )));
                    }
                    self.tick(&definition, phase, task, &state)?;
                    if task.id != REVISIT && !after.completed_tasks.contains(&task.id) {
                        after.completed_tasks.push(task.id.clone());
                    }
                    after.pending_tasks.retain(|known| *known != task.id);
                    log.did(format!("{} is done", task.id));
                }
                TaskWord::Blocked(reason) => {
                    let reason = redacted(&reason.split_whitespace().collect::<Vec<_>>().join(" "));
                    if reason.is_empty() {
                        return Err(EngineError::Usage("--reason is empty; say what stands in the way".to_owned()));
                    }
                    after.blocked_tasks.push((task.id.clone(), reason));
                    after.pending_tasks.retain(|known| *known != task.id);
                    log.did(format!("{} is blocked", task.id));
                }
            }
            after.current_task = after.pending_tasks.first().cloned();
            if !after.says_the_same(&state) {
                touch(&mut after, &self.now());
                self.write_state(&after, log)?;
                // Nowhere else is it written that a task is blocked; a lost state file must not take that along.
                self.keep()?;
            }
            let here = after.phase.clone();
            self.advance(after, drive, Until::Entered(&here), log)
        })
    }

    /// Ticks the task's box in the phase document, or in the handoff where it stands only there.
    fn tick(&self, definition: &Definition, phase: &Phase, task: &Task, state: &State) -> Result<(), EngineError> {
        let document = self.phase_document(phase, state)?.map(|document| (document.path, document.todo));
        let handoff = self.handoff_into(definition, &phase.id, &state.workflow_id)?;
        let handoff = handoff.map(|handoff| (handoff.path, handoff.todo));
        let wanted = |text: &str| todo::key(text) == task.id || todo::key(text) == todo::key(&task.title);
        for (path, boxes) in document.into_iter().chain(handoff) {
            let Some(found) = boxes.iter().find(|one| wanted(&one.text)) else { continue };
            if found.ticked {
                return Ok(());
            }
            let Some(bytes) = self.disk.read(&path)? else { continue };
            let Ok(text) = String::from_utf8(bytes) else {
                return Err(EngineError::Usage(format!("{path} is not UTF-8; tick the box in it by hand")));
            };
            return Ok(self.disk.replace(&path, phase_document::tick(&text, found.line).as_bytes())?);
        }
        Ok(())
    }
}

/// The task that a name means: its id, its beginning, its number, its id without `task-`, or the words of its box.
fn found<'p>(phase: &'p Phase, name: &str) -> Result<&'p Task, EngineError> {
    let bare = name.trim();
    let is_exact = |task: &&Task| task.id == bare || todo::key(&task.title) == todo::key(bare);
    let matches: Vec<&Task> = match phase.all_tasks().find(is_exact) {
        Some(exact) => vec![exact],
        None => phase.all_tasks().filter(|task| is_meant(&task.id, bare)).collect(),
    };
    let ids = |tasks: &[&Task]| tasks.iter().map(|task| task.id.clone()).collect::<Vec<_>>().join(", ");
    match matches.as_slice() {
        [task] => Ok(task),
        [] if phase.all_tasks().next().is_none() => {
            Err(EngineError::Usage(format!("{} has no tasks; tick the boxes in its documents instead", phase.id)))
        }
        [] => {
            let names = phase.all_tasks().flat_map(|task| [task.id.as_str(), words_of(&task.id)]);
            let near = nearest(bare, names.filter(|name| !name.is_empty()));
            let near =
                near.and_then(|near| phase.all_tasks().find(|task| task.id == near || words_of(&task.id) == near));
            let hint = near.map(|near| format!("; did you mean {:?}?", near.id)).unwrap_or_default();
            let all: Vec<&Task> = phase.all_tasks().collect();
            Err(EngineError::Usage(format!("{} has no task {name:?}; it has {}{hint}", phase.id, ids(&all))))
        }
        several => Err(EngineError::Usage(format!("{name:?} could be {}; say which", ids(several)))),
    }
}

/// Whether `task-01-explore-options` is meant by `task-01`, `01`, `1`, `01-explore` or `explore`.
fn is_meant(id: &str, name: &str) -> bool {
    let short = id.strip_prefix("task-").unwrap_or(id);
    let (number, words) = (short.split('-').next().unwrap_or(short), words_of(id));
    let same_number = matches!((number.parse::<u32>(), name.parse::<u32>()), (Ok(known), Ok(said)) if known == said);
    !name.is_empty() && (same_number || id.starts_with(name) || short.starts_with(name) || words.starts_with(name))
}

/// What a task is called behind its number.
fn words_of(id: &str) -> &str {
    id.strip_prefix("task-")
        .or_else(|| id.strip_prefix("check-"))
        .unwrap_or(id)
        .split_once('-')
        .map_or("", |(_, words)| words)
}

fn meaning(done_when: DoneWhen) -> &'static str {
    match done_when {
        DoneWhen::Ticked => "its box is ticked",
        DoneWhen::OptionsListed => "enough options are listed in the options document",
        DoneWhen::DebatePlanned => "the debate is planned (`forge continue` does it)",
        DoneWhen::GatePassed => "the debate's gate is passed",
        DoneWhen::DecisionRecorded => "the debate's decision is in the knowledge files (`forge continue` does it)",
    }
}
