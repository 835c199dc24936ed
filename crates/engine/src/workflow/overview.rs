//! Where a workflow stands, and what would come of going on. Changes nothing.

use super::Drive;
use super::read::Counts;
use super::standing::{Foreign, Standing, There};
use crate::workspace::{EngineError, Workspace};
use forge_workflow::definition::Definition;
use forge_workflow::extract;
use forge_workflow::next::{Registry, Step, next, trigger_call};
use forge_workflow::snapshot::Snapshot;
use forge_workflow::state::{DebateFlag, State};
use forge_workflow::trigger::Call;

/// Where a workflow stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// What was read.
    pub snapshot: Snapshot,
    /// What it comes to; its moves are what `forge continue` would do.
    pub step: Step,
    /// What was odd about the state file.
    pub notes: Vec<String>,
    /// Whether the phases after the current one would debate, as things stand.
    pub coming: Vec<Coming>,
}

/// A phase that is still to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coming {
    /// The phase.
    pub phase: String,
    /// Whether it would debate, and why.
    pub call: Call,
}

/// Why there is no workflow to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoWorkflow {
    /// There is none.
    Here,
    /// The state file is gone, although snapshots or documents tell of a workflow.
    Lost {
        /// Which of them.
        from: String,
        /// The workflow.
        workflow_id: String,
        /// Its phase.
        phase: String,
    },
    /// The state file is another tool's.
    Foreign(Foreign),
    /// The state file cannot be read.
    Damaged {
        /// The file.
        path: String,
        /// The line.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What the workflow can be recovered from.
        from: Option<String>,
    },
}

impl Workspace {
    /// Where the workflow stands, or why that cannot be told.
    pub fn overview(&self, drive: &Drive) -> Result<Result<Overview, NoWorkflow>, EngineError> {
        let There { state, mut notes, .. } = match self.standing()? {
            Standing::There(there) => *there,
            Standing::Absent => return Ok(Err(self.lost()?)),
            Standing::Idle => return Ok(Err(NoWorkflow::Here)),
            Standing::Foreign(foreign) => return Ok(Err(NoWorkflow::Foreign(foreign))),
            Standing::Damaged { path, line, problem } => {
                let from = self.recovered()?.map(|(_, from)| from);
                return Ok(Err(NoWorkflow::Damaged { path, line, problem, from }));
            }
        };
        let definition = self.definition()?;
        let snapshot = self.snapshot(&definition, state, drive, Counts::AsIfClosed)?;
        let step = next(&snapshot, &self.now());
        notes.extend(step.notes.iter().cloned());
        notes.extend(drive.other_branch(&snapshot.state));
        let coming = self.coming(&definition, &snapshot)?;
        Ok(Ok(Overview { snapshot, step, notes, coming }))
    }

    /// What an absent state file leaves behind.
    fn lost(&self) -> Result<NoWorkflow, EngineError> {
        Ok(match self.lost_workflow()?.filter(|(state, _)| state.is_open()) {
            Some((State { workflow_id, phase, .. }, from)) => NoWorkflow::Lost { from, workflow_id, phase },
            None => NoWorkflow::Here,
        })
    }

    fn coming(&self, definition: &Definition, snapshot: &Snapshot) -> Result<Vec<Coming>, EngineError> {
        let state = &snapshot.state;
        let Some(position) = definition.position(&state.phase).filter(|_| state.is_open()) else {
            return Ok(Vec::new());
        };
        let mut coming = Vec::new();
        for phase in definition.phases.iter().skip(position + 1) {
            let document = self.phase_document(phase, state)?;
            let sections = document.as_ref().map(|document| document.sections.as_slice()).unwrap_or_default();
            let findings = extract::from_document(&state.workflow_id, &phase.id, &self.now().date, sections);
            let mut there = Snapshot {
                handoff: self.handoff_into(definition, &phase.id, &state.workflow_id)?,
                document_findings: findings,
                earlier: Vec::new(),
                decided_here: None,
                document,
                ..snapshot.clone()
            };
            there.state.debate_flag = DebateFlag::Unsaid;
            there.state.called.clear();
            self.read_settled(&mut there)?;
            // What a person superseded is asked about where the workflow stands.
            there.overturned.clear();
            let call = trigger_call(&there, phase, Registry::StoodBefore);
            coming.push(Coming { phase: phase.id.clone(), call });
        }
        Ok(coming)
    }
}
