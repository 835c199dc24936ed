//! What is to be done in a phase: its tasks, the handoff's TODO list, and the boxes that people added. A box may be ticked
//! wherever it stands.

use crate::definition::{DoneWhen, Phase};
use crate::next::{STATE_FILE, fewest_options};
use crate::shell::word;
use crate::snapshot::{Checkbox, Snapshot};
use crate::trigger::Call;
use forge_debate::plan::words;

/// One thing to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// The task, where it is one.
    pub task: Option<String>,
    /// What is to be done.
    pub text: String,
    /// How it is known to be done.
    pub done_when: DoneWhen,
    /// Whether it is.
    pub done: bool,
    /// Whether the project's own exit criteria ask for it: then it holds the phase, whatever else does.
    pub is_criterion: bool,
    /// The file in which it can be ticked or done.
    pub file: String,
    /// Its line there.
    pub line: Option<usize>,
}

impl Todo {
    /// Whether it follows from the gate, which speaks for itself.
    pub fn is_about_the_gate(&self) -> bool {
        matches!(self.done_when, DoneWhen::DebatePlanned | DoneWhen::GatePassed | DoneWhen::DecisionRecorded)
    }

    /// What is wanted, for the one who is held up by it.
    pub fn wanted(&self) -> String {
        match self.done_when {
            DoneWhen::OptionsListed => format!("not done: {}", self.text),
            _ if self.line.is_none() => {
                let name = self.task.as_deref().unwrap_or_default();
                let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | ':');
                let name = match name.contains(' ') && name.chars().all(is_plain) {
                    true => format!("\"{name}\""),
                    false => word(name),
                };
                format!("not ticked: {}; write it as a ticked box below TODO, or: forge task done {name}", self.text)
            }
            _ => format!("not ticked: {}", self.text),
        }
    }
}

/// What tells one box from another: the task's id, or the words.
pub fn key(text: &str) -> String {
    let bare = text.trim().trim_start_matches(['`', '*', ' ']);
    let first = bare.split(|c: char| c.is_whitespace() || matches!(c, ':' | '`' | '*')).next().unwrap_or_default();
    if first.starts_with("task-") {
        return first.to_owned();
    }
    words(text).collect::<Vec<_>>().join(" ")
}

/// Everything to be done in the current phase.
pub fn list(snapshot: &Snapshot, phase: &Phase, call: &Call) -> Vec<Todo> {
    let mut todo: Vec<Todo> = phase.tasks.iter().map(|task| of_task(snapshot, phase, call, task)).collect();
    todo.extend(phase.checklist.iter().map(|task| Todo {
        text: task.title.clone(),
        is_criterion: true,
        ..of_task(snapshot, phase, call, task)
    }));
    todo.extend(tasks_of_others(snapshot).into_iter().map(|id| Todo {
        task: Some(id.clone()),
        text: id,
        done_when: DoneWhen::Ticked,
        done: false,
        is_criterion: false,
        file: STATE_FILE.to_owned(),
        line: None,
    }));
    let document = snapshot.document.iter().flat_map(|document| boxes(&document.path, &document.todo));
    let handoff = snapshot.handoff.iter().flat_map(|handoff| boxes(&handoff.path, &handoff.todo));
    for (file, one) in document.chain(handoff) {
        let wanted = key(&one.text);
        let same = |known: &&mut Todo| known.task.as_deref() == Some(&wanted) || key(&known.text) == wanted;
        match todo.iter_mut().find(same) {
            Some(known) if known.done_when == DoneWhen::Ticked => {
                // The boxes decide where there are any; the working document is named first: it is where people are.
                known.done = one.ticked || (known.done && known.line.is_some());
                if known.line.is_none() {
                    known.file = file.to_owned();
                    known.line = Some(one.line);
                }
            }
            Some(_) => {}
            None => todo.push(Todo {
                task: None,
                text: one.text.clone(),
                done_when: DoneWhen::Ticked,
                done: one.ticked,
                is_criterion: false,
                file: file.to_owned(),
                line: Some(one.line),
            }),
        }
    }
    todo
}

/// Pending tasks that somebody else put into the state file: no phase has them.
fn tasks_of_others(snapshot: &Snapshot) -> Vec<String> {
    let is_known =
        |id: &String| snapshot.definition.phases.iter().any(|phase| phase.all_tasks().any(|one| one.id == *id));
    snapshot.state.pending_tasks.iter().filter(|id| !is_known(id)).cloned().collect()
}

fn boxes<'b>(file: &'b str, boxes: &'b [Checkbox]) -> impl Iterator<Item = (&'b str, &'b Checkbox)> {
    boxes.iter().map(move |one| (file, one))
}

fn of_task(snapshot: &Snapshot, phase: &Phase, call: &Call, task: &crate::definition::Task) -> Todo {
    let debate = snapshot.debate.there();
    let passed = debate.is_some_and(|debate| debate.passed && snapshot.accepts(debate));
    let needed = if call.debate { fewest_options(&phase.debate.protocol) } else { 1 };
    let (done, file) = match task.done_when {
        DoneWhen::Ticked => (snapshot.state.completed_tasks.contains(&task.id), phase.document()),
        DoneWhen::OptionsListed => {
            // A framer's options stand in the debate's plan.
            let planned = debate.is_some();
            (planned || snapshot.options.options.len() >= needed, snapshot.options.path.clone())
        }
        DoneWhen::DebatePlanned => (!call.debate || debate.is_some(), phase.document()),
        DoneWhen::GatePassed => (!call.debate || passed, phase.document()),
        DoneWhen::DecisionRecorded => {
            let recorded = debate.is_some_and(|debate| snapshot.knowledge.news(&debate.knowledge).is_empty());
            (!call.debate || (passed && recorded), phase.document())
        }
    };
    Todo {
        task: Some(task.id.clone()),
        text: format!("{}: {}", task.id, task.title),
        done_when: task.done_when,
        done,
        is_criterion: false,
        file,
        line: None,
    }
}
