//! Disk to values: everything that a step looks at.

use super::DEFINITION_FILE;
use super::Drive;
use super::apply::OWN_DOCUMENTS;
use super::log::Log;
use super::standing::{HANDOFFS, Standing};
use crate::run::mover;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::catalog::{self, FindError, NotForges};
use forge_artifacts::disk::{DiskError, EntryKind};
use forge_artifacts::document::{self, Document};
use forge_artifacts::formats::active_workflow;
use forge_artifacts::formats::{handoff as handoff_file, knowledge, phase_document};
use forge_artifacts::stamp::Stamp;
use forge_artifacts::store::{DebateFiles, Found, OpenError, without_keys};
use forge_debate::plan::{Choice, Hand, Material, Matter};
use forge_debate::protocols::DEFAULT_OF_PHASE;
use forge_prose::blanks::is_placeholder;
use forge_prose::secrets::redacted;
use forge_workflow::definition::{Definition, EntryAction, Phase};
use forge_workflow::earlier::{self, Earlier};
use forge_workflow::extract::ids::{ids_in, same_id};
use forge_workflow::extract::{self, passages::without_comments};
use forge_workflow::handoff;
use forge_workflow::knowledge::{Decision, Kind, Knowledge, says_the_same};
use forge_workflow::next::{STATE_FILE, Topic, debate_call, fewest_options, topic};
use forge_workflow::snapshot::{
    Artifact, ArtifactStanding, DebateRead, DebateThere, Document as PhaseDocument, HandoffRead, LockedDecision,
    OptionsRead, Reopened, Snapshot, Unclear, Waiting,
};
use forge_workflow::state::{DebateStatus, State};
use forge_workflow::tripwire::{Tripwire, tripwires};

/// A file of which more than one character in so many is no text cannot be read.
const UNREADABLE_SHARE: usize = 10;

/// What a workflow asks its phase's debate now.
pub(crate) struct AskedFor {
    pub protocol: String,
    pub question: String,
    pub options: Vec<Choice>,
    pub at_stake: Vec<Matter>,
    /// What its seats may read.
    pub documents: Vec<Material>,
}

impl Workspace {
    /// The question and the options that a workflow asks for now, if this is the debate of its phase.
    pub(crate) fn asked_for(&self, debate: &str) -> Result<Option<AskedFor>, EngineError> {
        let Standing::There(there) = self.standing()? else { return Ok(None) };
        let state = there.state;
        if state.debate.id.as_deref() != Some(debate) {
            return Ok(None);
        }
        let definition = self.definition()?;
        let Some(phase) = definition.phase(&state.phase) else { return Ok(None) };
        // Options are sent with the plan.
        self.read_to_send(&phase.options_document(), OWN_DOCUMENTS)?;
        let snapshot = self.snapshot(&definition, state, &Drive::default(), Counts::AsIfClosed)?;
        let call = debate_call(&snapshot, phase);
        let Topic { question, protocol, options, .. } = topic(&snapshot, phase, &call);
        let (protocol, options, documents) =
            (protocol.clone(), options.clone(), self.materials(phase, &mut Log::default())?);
        Ok(Some(AskedFor { protocol, question, options, at_stake: call.at_stake, documents }))
    }

    /// Everything around a state, and what is missing of it.
    pub(crate) fn snapshot(
        &self,
        definition: &Definition,
        state: State,
        drive: &Drive,
        counts: Counts,
    ) -> Result<Snapshot, EngineError> {
        let mut snapshot = self.around(definition, state, drive, counts)?;
        snapshot.knowledge.unclear.extend(self.lost_entries()?);
        let strangers = self.strangers(definition, &snapshot.state, &snapshot.knowledge)?;
        snapshot.traces.strangers = strangers.into_iter().map(|(one, _)| one).collect();
        snapshot.gone = self.gone(&snapshot, drive)?;
        Ok(snapshot)
    }

    /// What is there around a state.
    pub(super) fn around(
        &self,
        definition: &Definition,
        state: State,
        drive: &Drive,
        counts: Counts,
    ) -> Result<Snapshot, EngineError> {
        let (mut knowledge, lost) = self.known(definition, Some(&state))?;
        knowledge.taken_ids.extend(self.ids_elsewhere()?);
        knowledge.unclear.extend(self.other_knowledge(&knowledge));
        knowledge.unclear.extend(self.unreadable_registries()?);
        knowledge.unclear.extend(self.other_definition()?);
        knowledge.unclear.extend(self.ticked_kill_switches(&knowledge, state.reopened_decision.as_deref())?);
        let reopened = self.reopened(&state, &knowledge)?;
        let mut snapshot = Snapshot {
            definition: definition.clone(),
            phase_seconds: self.phase_seconds(&state),
            document: None,
            handoff: None,
            unwritten: lost,
            locked_elsewhere: Vec::new(),
            document_findings: Default::default(),
            earlier: Vec::new(),
            settled: Vec::new(),
            decided_here: None,
            accepted: Vec::new(),
            overturned: Vec::new(),
            gone: Vec::new(),
            options: Default::default(),
            artifacts: Vec::new(),
            debate: DebateRead::None,
            reopened,
            traces: self.traces(definition, &state)?,
            rehearsals: drive.rehearsals,
            framing: drive.framing,
            knowledge,
            state,
        };
        let Some(phase) = definition.phase(&snapshot.state.phase) else { return Ok(snapshot) };
        snapshot.document = self.phase_document(phase, &snapshot.state)?;
        if phase.entry_actions.contains(&EntryAction::ReadHandoff) {
            snapshot.handoff = self.handoff_into(definition, &phase.id, &snapshot.state.workflow_id)?;
            if let Some(handoff) = &snapshot.handoff {
                let over = self.written_over(definition, &snapshot.state, &mut snapshot.knowledge, &handoff.locked)?;
                snapshot.knowledge.unclear.extend(over);
                let against = self.against_locks(&snapshot.knowledge, &handoff.locked)?;
                snapshot.knowledge.unclear.extend(against);
                let unrecorded = self.unrecorded(&handoff.path, &snapshot.knowledge)?;
                snapshot.knowledge.unclear.extend(unrecorded);
                let (missing, told) = only_in_handoffs(&snapshot.knowledge, &handoff.locked);
                snapshot.knowledge.unclear.extend(told);
                snapshot.knowledge.decisions.extend(missing);
                snapshot.knowledge.lock(&handoff.locked);
                let locked = handoff.locked.iter().filter(|one| one.needs_debate);
                let known = locked.filter_map(|one| snapshot.knowledge.decision(&one.id));
                snapshot.locked_elsewhere = known.map(|one| one.id.clone()).collect();
            }
        }
        self.add_debates_of_others(&mut snapshot)?;
        if let Some(document) = &mut snapshot.document {
            let (id, date) = (&snapshot.state.workflow_id, self.now().date);
            snapshot.document_findings = extract::from_document(id, &phase.id, &date, &document.sections);
            document.unclear.extend(extract::unclear(&document.path, &document.sections, &snapshot.knowledge));
        }
        snapshot.earlier = self.earlier(&snapshot)?;
        let ids: Vec<String> = snapshot.earlier.iter().flat_map(|one| one.findings.ids()).collect();
        snapshot.knowledge.taken_ids.extend(ids.into_iter().filter(|id| !id.is_empty()));
        self.read_stakes(&mut snapshot)?;
        snapshot.options = self.options(phase, &snapshot.state.workflow_id)?;
        snapshot.debate = self.debate_read(&snapshot, counts)?;
        snapshot.artifacts = self.artifacts(phase, &snapshot)?;
        Ok(snapshot)
    }

    /// What the documents of the phases before say that is not on record.
    fn earlier(&self, snapshot: &Snapshot) -> Result<Vec<Earlier>, EngineError> {
        let (state, date) = (&snapshot.state, self.now().date);
        let mut all = Vec::new();
        for phase in earlier::phases(snapshot, state) {
            let Some(document) = self.phase_document(phase, state)? else { continue };
            let findings = extract::from_document(&state.workflow_id, &phase.id, &date, &document.sections);
            all.push(Earlier::of(snapshot, phase, document, findings));
        }
        Ok(all)
    }

    /// The options of the phase's debate. Where its options document lists none, the working document may.
    fn options(&self, phase: &Phase, workflow_id: &str) -> Result<OptionsRead, EngineError> {
        let read = |path: &str| -> Result<OptionsRead, EngineError> {
            Ok(phase_document::read_options(path, self.own_document(path, workflow_id)?.map(clean).as_deref()))
        };
        let mut own = read(&phase.options_document())?;
        if own.path == phase.document() {
            return Ok(own);
        }
        let working = read(&phase.document())?;
        if !own.options.is_empty() || !own.unclear.is_empty() {
            let is_here = |label: &String| own.options.iter().any(|one| says_the_same(&one.label, label));
            let others: Vec<String> =
                working.options.into_iter().map(|one| one.label).filter(|label| !is_here(label)).collect();
            if !others.is_empty() {
                let text = format!(
                    "options stand here that {} does not list, and only those there are debated: {}",
                    own.path,
                    others.join(", ")
                );
                let line = working.line.unwrap_or(1);
                own.unclear.push(Unclear { file: working.path, line, text, holds: false });
            }
            return Ok(own);
        }
        let is_enough = working.options.len() >= fewest_options(&phase.debate.protocol).max(2);
        Ok(if is_enough { working } else { own })
    }

    /// How long the phase has been going; never less than nothing, whatever the clock does.
    fn phase_seconds(&self, state: &State) -> Option<i64> {
        let began = Stamp::parse(state.phase_started_at.as_deref().unwrap_or(&state.started_at))?;
        Some(((self.clock)().0 - began.0).max(0))
    }

    /// What the knowledge files say, without what looks like a key.
    pub fn knowledge(&self) -> Result<Knowledge, EngineError> {
        self.knowledge_with(Keys::Removed)
    }

    /// The same with keys as they are or not: a command that a person wrote runs as it was written.
    pub(super) fn knowledge_with(&self, keys: Keys) -> Result<Knowledge, EngineError> {
        let text = |kind: Kind| -> Result<String, DiskError> {
            let text = self.disk.read(kind.file())?.map(|bytes| document::decode(&bytes).text).unwrap_or_default();
            Ok(if keys == Keys::Removed { redacted(&text) } else { text })
        };
        Ok(knowledge::read_all(
            &text(Kind::Decision)?,
            &text(Kind::Constraint)?,
            &text(Kind::Assumption)?,
            &text(Kind::Risk)?,
        ))
    }

    /// Knowledge files with bytes that are no text. Where there are many, whatever stands there is not read, and that holds.
    fn unreadable_registries(&self) -> Result<Vec<Unclear>, EngineError> {
        let mut found = Vec::new();
        for kind in Kind::ALL {
            let decoded = self.disk.read(kind.file())?.map(|bytes| document::decode(&bytes));
            let Some((problem, text)) = decoded.and_then(|it| Some((it.problems.into_iter().next()?, it.text))) else {
                continue;
            };
            let lost = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
            let holds = lost * UNREADABLE_SHARE > text.chars().count();
            let what = if holds { "it cannot be read" } else { "what stands there may be misread" };
            let text = format!("{}: {what}; save it as UTF-8", problem.text);
            found.push(Unclear { file: kind.file().to_owned(), line: problem.line, text, holds });
        }
        Ok(found)
    }

    /// The ids that the state file and the handoffs give to entries.
    fn ids_elsewhere(&self) -> Result<Vec<String>, EngineError> {
        let text = |path: &str| -> Result<Option<String>, DiskError> {
            Ok(self.disk.read(path)?.map(|bytes| document::decode(&bytes).text))
        };
        let context = text(STATE_FILE)?.map(|state| active_workflow::context(&state)).unwrap_or_default();
        let first = |entry: &String| ids_in(entry).into_iter().next();
        let mut found: Vec<String> = context.decisions.iter().chain(&context.assumptions).filter_map(first).collect();
        for name in self.disk.list(HANDOFFS)?.into_iter().filter(|entry| entry.name.ends_with(".md")) {
            let handoff = text(&format!("{HANDOFFS}/{}", name.name)).unwrap_or_default();
            found.extend(handoff.map(|text| knowledge::ids_of(&text)).unwrap_or_default());
        }
        Ok(found)
    }

    /// Knowledge files in the place of another tool, where forge has no entries of that kind.
    fn other_knowledge(&self, known: &Knowledge) -> Option<Unclear> {
        let unknown = |kind: &Kind| known.has_none_of(*kind);
        let place = |kind: Kind| kind.file().replace("docs/forge/", ".claude/forge/");
        let written = |file: &String| {
            self.disk
                .read(file)
                .ok()
                .flatten()
                .is_some_and(|it| how_much_is_said(file, &it) != ArtifactStanding::Placeholder)
        };
        let files: Vec<String> = Kind::ALL.into_iter().filter(unknown).map(place).filter(written).collect();
        let (file, others) = files.split_first()?;
        let others: String = others.iter().filter_map(|file| Some(format!(", {}", file.rsplit('/').next()?))).collect();
        let text = format!(
            "not read{}; forge reads docs/forge/knowledge/: copy the entries there",
            match others.as_str() {
                "" => String::new(),
                others => format!(", nor are{} beside it", others.trim_start_matches(',')),
            }
        );
        Some(Unclear { file: file.clone(), line: 1, text, holds: false })
    }

    /// Kill-switch criteria that somebody ticked, but those of the decision that is debated again already.
    fn ticked_kill_switches(&self, known: &Knowledge, reopened: Option<&str>) -> Result<Vec<Unclear>, EngineError> {
        let ticked = tripwires(known).into_iter().filter(|one| one.ticked && reopened != Some(one.decision.as_str()));
        let file = Kind::Decision.file();
        let text = self.disk.read(file)?.map(|bytes| document::decode(&bytes).text).unwrap_or_default();
        let note = |one: Tripwire| {
            let line = text.lines().position(|line| line.contains(&one.condition)).map_or(1, |at| at + 1);
            let text = format!(
                "the kill-switch {} is ticked, so it has tripped; `forge tripwires --trip {}` reopens {} for a debate. If it has not tripped, take the tick away",
                one.id, one.id, one.decision
            );
            Unclear { file: file.to_owned(), line, text, holds: true }
        };
        Ok(ticked.map(note).collect())
    }

    /// A document, unless it belongs to another workflow.
    pub(crate) fn own_document(&self, path: &str, workflow_id: &str) -> Result<Option<Vec<u8>>, EngineError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(None) };
        let others = phase_document::workflow_of(&bytes).is_some_and(|owner| owner != workflow_id);
        Ok(Some(bytes).filter(|_| !others))
    }

    pub(crate) fn phase_document(&self, phase: &Phase, state: &State) -> Result<Option<PhaseDocument>, EngineError> {
        let path = phase.document();
        Ok(self.own_document(&path, &state.workflow_id)?.map(|bytes| phase_document::read(&path, &clean(bytes))))
    }

    pub(crate) fn handoff_into(
        &self,
        definition: &Definition,
        phase: &str,
        workflow_id: &str,
    ) -> Result<Option<HandoffRead>, EngineError> {
        let Some(before) = definition.before(phase) else { return Ok(None) };
        let path = handoff::path(&before.id, phase);
        let others = self.other_handoffs(&path, workflow_id)?;
        // One that was emptied says as much as none.
        let mut read = match self.own_document(&path, workflow_id)?.filter(|bytes| !document::is_blank(bytes)) {
            Some(bytes) => handoff_file::read(&path, &clean(bytes)),
            None => match others.iter().find(|one| one.path.ends_with(&format!("-to-{phase}.md"))) {
                Some(other) => under_another_name(other, &path),
                None => return Ok(None),
            },
        };
        for decision in others.into_iter().flat_map(|one| one.locked) {
            if !read.locked.iter().any(|known| known.id == decision.id) {
                read.locked.push(decision);
            }
        }
        Ok(Some(read))
    }

    /// Constraints and open assumptions of a handoff that the knowledge files do not have: only what stands there is handed on.
    fn unrecorded(&self, path: &str, known: &Knowledge) -> Result<Vec<Unclear>, EngineError> {
        let bytes = self.disk.read(path)?.map(clean).unwrap_or_default();
        let named = handoff_file::named(&bytes);
        let text = document::decode(&bytes).text;
        let constraints = named.constraints.into_iter().map(|one| (Kind::Constraint, one.id, one.text));
        let assumptions = named.assumptions.into_iter().map(|one| (Kind::Assumption, one.id, one.text));
        let is_known = |kind: Kind, id: &str, said: &str| match kind {
            Kind::Constraint => {
                known.constraints.iter().any(|one| same_id(&one.id, id) || says_the_same(&one.text, said))
            }
            _ => known.assumptions.iter().any(|one| same_id(&one.id, id) || says_the_same(&one.text, said)),
        };
        let open = constraints.chain(assumptions).filter(|(kind, id, said)| !is_known(*kind, id, said));
        let told = open.map(|(kind, id, said)| {
            let line = text.lines().position(|line| line.contains(&id) && line.contains(&said)).map_or(1, |at| at + 1);
            let text = format!(
                "{id} ({said}) is not in {}, so no phase hears of it; write `- {id}: {said}` there",
                kind.file()
            );
            Unclear { file: path.to_owned(), line, text, holds: false }
        });
        Ok(told.collect())
    }

    /// A file with the project's phases in a form that is not read.
    fn other_definition(&self) -> Result<Option<Unclear>, EngineError> {
        for file in ["workflows/forge-workflow.yaml", "workflows/forge-workflow.yml"] {
            if self.disk.read(file)?.is_some() {
                let text = format!(
                    "not read: forge takes the project's phases from {DEFINITION_FILE}; write it there, as JSON"
                );
                return Ok(Some(Unclear { file: file.to_owned(), line: 1, text, holds: false }));
            }
        }
        Ok(None)
    }

    /// The handoffs of this workflow besides the one at `path`.
    fn other_handoffs(&self, path: &str, workflow_id: &str) -> Result<Vec<HandoffRead>, EngineError> {
        let mut found = Vec::new();
        for entry in self.disk.list(HANDOFFS)?.into_iter().filter(|entry| entry.kind == EntryKind::File) {
            let other = format!("{HANDOFFS}/{}", entry.name);
            if other == path || !other.ends_with(".md") {
                continue;
            }
            let bytes = self.own_document(&other, workflow_id)?;
            found.extend(bytes.map(|bytes| handoff_file::read(&other, &clean(bytes))));
        }
        Ok(found)
    }

    fn reopened(&self, state: &State, knowledge: &Knowledge) -> Result<Option<Reopened>, EngineError> {
        let Some(id) = &state.reopened_decision else { return Ok(None) };
        let Some(decision) = knowledge.decisions.iter().find(|decision| decision.id == *id) else { return Ok(None) };
        let plan = match decision.debate.as_deref().map(|debate| self.open_if_there(debate)).transpose()? {
            Some(Some(Ok(files))) => Some(files.plan),
            _ => None,
        };
        let question = plan.as_ref().map_or(decision.title.as_str(), |plan| plan.question.as_str());
        Ok(Some(Reopened {
            decision: id.clone(),
            question: format!("{question}\n\n{id} ({}) is reopened: its kill-switch tripped.", decision.title),
            protocol: plan.as_ref().map_or(&DEFAULT_OF_PHASE.profile, |plan| plan.protocol).name.to_owned(),
            options: plan.map(|plan| plan.options).unwrap_or_default(),
        }))
    }

    /// Opens a debate by its whole id. `None` when it is not there; the inner error when it cannot be read.
    pub(crate) fn open_if_there(&self, id: &str) -> Result<Option<Result<DebateFiles, OpenError>>, EngineError> {
        let path = match catalog::find(self.disk.as_ref(), id) {
            Ok(path) => path,
            // The workflow names it: it is not gone, and what is wrong with its plan is told.
            Err(FindError::NotForges { dir, why: NotForges::NoHeader }) => format!("{dir}/debate-plan.md"),
            Err(FindError::Unknown { .. } | FindError::PlanGone { .. } | FindError::NotForges { .. }) => {
                return Ok(None);
            }
            Err(FindError::Disk(error)) => return Err(error.into()),
            Err(error @ FindError::Ambiguous { .. }) => return Err(error.into()),
        };
        match DebateFiles::open(&self.disk, self.protocols, &path) {
            Ok(files) if files.plan.id != id => Ok(None),
            Err(OpenError::Disk(error)) => Err(error.into()),
            opened => Ok(Some(opened)),
        }
    }

    /// Whether a run would do something: somebody left something, or an earlier run ended before it had written all that
    /// follows from what it took in. `known` is how the debate stood when the state was written, which comes after that.
    pub(crate) fn has_something_to_take_in(
        &self,
        files: &DebateFiles,
        known: DebateStatus,
    ) -> Result<bool, EngineError> {
        let survey = Survey::of(files)?;
        if survey.heard.is_empty() && self.known_as_closed(&files.plan.id)?.is_some() {
            // Its record is gone, and what lies there now is not made one.
            return Ok(false);
        }
        // With a verdict a run only publishes, and writes nothing where that is done.
        let is_running = survey.status() == DebateStatus::Running.word();
        if survey.is_complete() || survey.verdict.is_some() || (is_running && known != DebateStatus::Running) {
            return Ok(true);
        }
        for open in survey.open.iter().filter(|_| !survey.heard.is_empty()) {
            let key = &open.ask.key;
            let is_agent = files.plan.seat(&key.seat).is_some_and(|seat| seat.hand.is_agent());
            if !is_agent && self.disk.read(&files.outside_brief_path(key))?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Which file knows a debate as closed, if one does: a debate that was has a record.
    pub(crate) fn known_as_closed(&self, debate: &str) -> Result<Option<&'static str>, EngineError> {
        if let Ok(Standing::There(there)) = self.standing()
            && there.state.debate.gate_passed
            && there.state.debate.id.as_deref() == Some(debate)
        {
            return Ok(Some(STATE_FILE));
        }
        let knowledge = self.knowledge()?;
        let mut forges = knowledge.decisions.iter().filter(|decision| extract::taken_from(decision).is_none());
        let is_of_it = forges.any(|decision| decision.debate.as_deref() == Some(debate));
        Ok(is_of_it.then(|| Kind::Decision.file()))
    }

    fn debate_read(&self, snapshot: &Snapshot, counts: Counts) -> Result<DebateRead, EngineError> {
        let state = &snapshot.state;
        let Some(id) = state.debate.id.clone() else { return Ok(DebateRead::None) };
        let files = match self.open_if_there(&id)? {
            None => {
                let left = self.disk.list(&format!("docs/forge/debate/{id}"))?;
                let Some(file) = left.iter().find(|entry| entry.kind == EntryKind::File) else {
                    return Ok(DebateRead::Gone { id });
                };
                let problem = format!("docs/forge/debate/{id}/debate-plan.md is not there, and {} is", file.name);
                return Ok(DebateRead::Damaged { id, problem, of_the_record: false });
            }
            Some(Err(error)) => {
                let of_the_record = error.is_of_the_record();
                return Ok(DebateRead::Damaged { id, problem: error.to_string(), of_the_record });
            }
            Some(Ok(files)) if !self.is_of_phase(snapshot, &files)? => return Ok(DebateRead::Another { id }),
            Some(Ok(files)) => files,
        };
        let (mut report, survey) = self.gate_of(&files, false)?;
        if counts == Counts::OnRecord {
            self.note_empty(&files, &survey)?;
        }
        if counts == Counts::OnRecord && report.passed {
            report = report.require_record();
        }
        let date: String = survey
            .heard
            .last()
            .map(|one| one.line.answered_at.chars().take(10).collect())
            .unwrap_or_else(|| self.now().date);
        // Where an earlier debate decided on the workflow's objective, a later one is about its phase.
        let is_first = state.debates.first().is_none_or(|(_, first)| *first == id);
        // What is at stake stands below the objective.
        let objective = state.objective.trim();
        let is_objective = match files.plan.at_stake.is_empty() {
            true => files.plan.question.trim() == objective,
            // A decision that is reopened is asked about in its own debate's words.
            false => state.reopened_decision.is_none() && files.plan.question.starts_with(objective),
        };
        let phase = snapshot.definition.phase(&state.phase).filter(|_| is_objective && !is_first);
        let learned = match &survey.verdict {
            Some(verdict) if report.passed && !report.rehearsal => extract::from_debate(&extract::Debated {
                plan: &files.plan,
                verdict,
                turns: &survey.turns,
                phase: &state.phase,
                date: &date,
                about: phase.map(|phase| phase.name.as_str()),
                supersedes: &self.superseded(snapshot, &files.plan, verdict)?,
            }),
            _ => Default::default(),
        };
        let mut waiting = Vec::new();
        for open in survey.open.iter().filter(|open| !matches!(open.found, Found::HandedIn { .. })) {
            let key = &open.ask.key;
            let brief = files.outside_brief_path(key);
            // What was handed in by command waits for the other seats.
            if mover(&files, key) == Hand::Outside && self.has_spoken(&files, open)? {
                continue;
            }
            waiting.push(Waiting {
                seat: key.seat.to_string(),
                is_agent: mover(&files, key).is_agent(),
                turn_file: files.turn_path(key),
                brief_file: self.disk.read(&brief)?.map(|_| brief),
            });
        }
        Ok(DebateRead::There(Box::new(DebateThere {
            origin: report.origin,
            notes: report.notes,
            protocol: files.plan.protocol,
            options: files.plan.options.clone(),
            at_stake: files.plan.at_stake.clone(),
            plan_file: report.plan_file,
            result_file: self.result_file(&files, &survey)?,
            status: match report.status {
                "complete" => DebateStatus::Complete,
                "running" => DebateStatus::Running,
                _ => DebateStatus::Pending,
            },
            passed: report.passed,
            holds: report.holds,
            not_on_record: report.not_on_record,
            rehearsal: report.rehearsal,
            outcome: report.outcome,
            decided: report.decided,
            confidence: survey.verdict.as_ref().map(|verdict| verdict.confidence().word().to_owned()),
            findings: report.findings,
            by: survey.verdict.as_ref().and_then(|verdict| verdict.decision.as_ref()).map(|one| one.by.clone()),
            spoken: (spoken(&survey), files.plan.seats.len()),
            waiting,
            knowledge: learned,
            id,
        })))
    }

    /// The file that tells how a debate ended: what the synthesizer wrote, or the verdict.
    fn result_file(&self, files: &DebateFiles, survey: &Survey) -> Result<Option<String>, EngineError> {
        let written = survey.turns.values().filter(|turn| turn.key.stage.0 == "synthesis" && turn.speech().is_some());
        let derived = ["verdict.md", "result.yaml"].map(|name| files.layout.path(name));
        for path in written.map(|turn| files.turn_path(&turn.key)).next_back().into_iter().chain(derived) {
            if self.disk.read(&path)?.is_some() {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn artifacts(&self, phase: &Phase, snapshot: &Snapshot) -> Result<Vec<Artifact>, EngineError> {
        let (state, options) = (&snapshot.state, &snapshot.options.options);
        let handoff_out = snapshot.definition.after(&phase.id).map(|next| handoff::path(&phase.id, &next.id));
        // What forge itself writes on the way out is not waited for.
        let ours = [Some(phase.outcome_document()), Some(phase.document()), Some(STATE_FILE.to_owned()), handoff_out];
        let mut found = Vec::new();
        for wanted in &phase.artifacts {
            let Some(path) = named(wanted, phase, state) else { continue };
            if path == phase.options_document() && !options.is_empty() {
                // Headings alone list options, and so may another document.
                found.push(Artifact { path, standing: ArtifactStanding::There });
            } else if !ours.iter().flatten().any(|own| *own == path) {
                found.push(Artifact { standing: self.artifact_standing(&path)?, path });
            }
        }
        Ok(found)
    }

    fn artifact_standing(&self, path: &str) -> Result<ArtifactStanding, EngineError> {
        if let Some(folder) = path.strip_suffix('/') {
            let empty = self.disk.list(folder)?.is_empty();
            return Ok(if empty { ArtifactStanding::Missing } else { ArtifactStanding::There });
        }
        Ok(match self.disk.read(path) {
            Ok(None) => ArtifactStanding::Missing,
            // forge makes and fills the knowledge files; one without an entry is no place to fill in.
            Ok(Some(_)) if Kind::ALL.iter().any(|kind| kind.file() == path) => ArtifactStanding::There,
            Ok(Some(bytes)) => how_much_is_said(path, &bytes),
            Err(DiskError::TooLarge { .. }) => ArtifactStanding::There,
            Err(error) if error.is_about_one_file() => ArtifactStanding::Unreadable(error.to_string()),
            Err(error) => return Err(error.into()),
        })
    }
}

/// Decisions that handoffs lock and that have no entry, and what is said of them: a person wrote them there, or took the entry
/// out. They bind, and are not written down: whose word they are nobody knows.
fn only_in_handoffs(known: &Knowledge, locked: &[LockedDecision]) -> (Vec<Decision>, Vec<Unclear>) {
    let is_known = |one: &LockedDecision| {
        known.decision(&one.id).is_some() || known.decisions.iter().any(|it| says_the_same(&it.title, &one.title))
    };
    let (mut missing, mut told): (Vec<Decision>, Vec<Unclear>) = (Vec::new(), Vec::new());
    for one in locked.iter().filter(|one| one.needs_debate && !is_known(one)) {
        if missing.iter().any(|it| same_id(&it.id, &one.id)) {
            continue;
        }
        let from = one.file.rsplit('/').next().and_then(|name| name.split_once("-to-")).map_or("", |(from, _)| from);
        let (id, title, phase) = (one.id.clone(), one.title.clone(), from.to_owned());
        let text = format!(
            "{id} ({title}) is locked here and has no entry in {}: it binds; write it there too",
            Kind::Decision.file()
        );
        told.push(Unclear { file: one.file.clone(), line: one.line, text, holds: false });
        missing.push(Decision { id, title, phase, locked: true, ..Decision::default() });
    }
    (missing, told)
}

/// A handoff into the phase from another phase than the one before it.
fn under_another_name(other: &HandoffRead, path: &str) -> HandoffRead {
    let mut read = other.clone();
    let text = format!("read in the place of {path}, which is not there");
    read.unclear.push(Unclear { file: other.path.clone(), line: 1, text, holds: false });
    read
}

/// What counts of a debate's open wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Only what is on record: for whoever writes what follows from it.
    OnRecord,
    /// What would be on record if the wave were closed now: for whoever only looks.
    AsIfClosed,
}

/// What is done about what looks like a key in a person's own file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// It stays.
    Kept,
    /// It goes.
    Removed,
}

/// A document without what looks like a key: what is read from it goes into files that forge writes.
fn clean(bytes: Vec<u8>) -> Vec<u8> {
    without_keys(&bytes).unwrap_or(bytes)
}

/// How many seats have said something, on record or not yet.
fn spoken(survey: &Survey) -> usize {
    let heard = survey.heard.iter().filter(|one| one.turn.speech().is_some()).map(|one| one.turn.seat().as_str());
    let handed_in = survey.open.iter().filter(|open| matches!(open.found, Found::HandedIn { .. }));
    let mut seats: Vec<&str> = heard.chain(handed_in.map(|open| open.ask.key.seat.as_str())).collect();
    seats.sort_unstable();
    seats.dedup();
    seats.len()
}

/// An artifact's path with the debate's id in it; `None` where it belongs to a debate that is not held.
fn named(wanted: &str, phase: &Phase, state: &State) -> Option<String> {
    if !wanted.contains("<id>") {
        return Some(wanted.to_owned());
    }
    let id = state.debate.id.as_deref()?;
    Some(wanted.replace(&format!("{}-<id>", phase.id), id).replace("<id>", id))
}

/// Whether a file is more than headings, comments and places to fill in. Only of prose can that be told.
fn how_much_is_said(path: &str, bytes: &[u8]) -> ArtifactStanding {
    let decoded = document::decode(bytes);
    let is_prose = [".md", ".markdown", ".txt"].iter().any(|ending| path.ends_with(ending));
    if bytes.is_empty() {
        return ArtifactStanding::Placeholder;
    }
    if !is_prose || !decoded.problems.is_empty() {
        return ArtifactStanding::There;
    }
    let body = without_comments(&Document::parse(&decoded.text).body);
    let is_said = |line: &str| !is_placeholder(line.trim_start_matches(['-', '*', '>', ' ']));
    let (mut said, mut open, mut below) = (false, false, None);
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with('#') {
            // A heading with nothing below it is open, unless another one divides it further.
            let level = line.chars().take_while(|c| *c == '#').count();
            open |= below.is_some_and(|above| level <= above);
            below = Some(level);
        } else if is_said(line) {
            (said, below) = (true, None);
        }
    }
    match (said, open || below.is_some()) {
        (false, _) => ArtifactStanding::Placeholder,
        (true, true) => ArtifactStanding::Begun,
        (true, false) => ArtifactStanding::There,
    }
}
