//! Values to disk: the moves of a step, then the state file.

use super::archive::record_path;
use super::evidence::shows_a_handoff;
use super::{Drive, Log};
use crate::create::{Freshness, Request, Seating};
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Created;
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow::{self, Context, Layout, Metadata};
use forge_artifacts::formats::{handoff as handoff_file, knowledge, phase_document};
use forge_artifacts::stamp::Stamp;
use forge_debate::plan::{Families, MATERIAL_LIMIT_BYTES, Material};
use forge_debate::profile::IdScheme;
use forge_prose::secrets::redacted;
use forge_workflow::definition::Phase;
use forge_workflow::handoff::{self, Handoff};
use forge_workflow::knowledge::{Findings, Kind};
use forge_workflow::next::{BlockerKind, DebateOrder, Move, PhaseOutcome, STATE_FILE, Step, fewest_options, touch};
use forge_workflow::notes::Notes;
use forge_workflow::snapshot::{Now, Snapshot};
use forge_workflow::state::{DebateFlag, DebateState, DebateStatus, PhaseStatus, State};

/// What every seat of a phase's debate may read, besides the phase's own documents.
const SUPPLIED: [&str; 3] = ["docs/forge/knowledge/brief.md", Kind::Decision.file(), Kind::Constraint.file()];
/// forge's own folder for documents.
pub(super) const OWN_DOCUMENTS: &str = "docs/forge";
/// Where documents of earlier workflows go when a later one needs their place.
const ARCHIVE: &str = "docs/forge/archive";
/// The most copies of one document in the archive.
const COPIES_LIMIT: usize = 100;

impl Workspace {
    /// Makes a step's moves and writes the state, last. Tells the state as it is now.
    pub(crate) fn apply(
        &self,
        snapshot: &Snapshot,
        step: &Step,
        drive: &Drive,
        now: &Now,
        log: &mut Log,
    ) -> Result<State, EngineError> {
        let mut state = step.state.clone();
        let id = &state.workflow_id;
        for one in &step.moves {
            match one {
                Move::KeepSnapshot => drop(self.keep()?),
                Move::CreateDocument { phase, todo } => {
                    let phase = of(snapshot, phase)?;
                    let text = phase_document::template(phase, id, state.current_objective(), todo, &now.stamp);
                    self.put_document(&phase.document(), &text, id, log)?;
                }
                Move::CreateOptions { phase } => {
                    let phase = of(snapshot, phase)?;
                    let fewest = fewest_options(&phase.debate.protocol);
                    let text =
                        phase_document::options_template(phase, id, state.current_objective(), fewest, &now.stamp);
                    self.put_document(&phase.options_document(), &text, id, log)?;
                }
                Move::MakeAgain(gone) => self.make_again(gone, &state, log)?,
                Move::PlanDebate(order) => {
                    let debate = self.plan_debate(snapshot, order, drive, log)?;
                    let known = (order.owner.clone(), debate.clone());
                    if !state.debates.contains(&known) {
                        state.debates.push(known);
                    }
                    state.debate = DebateState {
                        id: Some(debate),
                        phase: Some(order.phase.clone()),
                        status: DebateStatus::Pending,
                        gate_passed: false,
                    };
                }
                Move::Learn(news) => self.learn(news)?,
                Move::WriteOutcome(outcome) => self.write_outcome(outcome, log)?,
                Move::WriteHandoff(handoff) => {
                    // After this the debate is an earlier phase's, and nobody shows it unasked.
                    if let Some(debate) = snapshot.debate.there() {
                        debate.notes.iter().for_each(|note| log.note(format!("{}: {note}", debate.id)));
                    }
                    self.write_handoff(handoff, &state, log)?;
                }
                Move::Archive => self.write_archive(snapshot, &state)?,
            }
        }
        // Where the workflow is may be learned late, and is not learned anew: what the file says stays.
        state.branch = state.branch.or_else(|| drive.branch.clone());
        state.issue = state.issue.or_else(|| drive.issue.as_deref().map(redacted));
        if !state.says_the_same(&snapshot.state) {
            if state.revision == snapshot.state.revision {
                touch(&mut state, now);
            }
            self.write_state(&state, log)?;
        }
        Ok(state)
    }

    /// Writes the state file. The commit point of everything that was done before.
    pub(crate) fn write_state(&self, state: &State, log: &mut Log) -> Result<(), EngineError> {
        let previous = self.disk.read(STATE_FILE)?.map(|bytes| document::decode(&bytes).text);
        // The first time that forge writes into another tool's file it keeps the file as it was.
        let read = previous.as_deref().map(active_workflow::read);
        if let Some(active_workflow::Read::State { layout, .. }) = read
            && layout != Layout::Ours
        {
            let kept = self.copy_aside(STATE_FILE)?;
            log.did(format!("went on with {STATE_FILE} in place ({}); as it was it is kept as {kept}", layout.word()));
        }
        self.write_state_over(previous.as_deref(), state)
    }

    /// Writes the state file so that whatever else a text says, notes and unknown keys, is in it.
    pub(crate) fn write_state_over(&self, text: Option<&str>, state: &State) -> Result<(), EngineError> {
        let written = active_workflow::write(text, state, &self.context(state, text)?);
        if self.disk.read(STATE_FILE)?.as_deref() != Some(written.as_bytes()) {
            self.disk.replace(STATE_FILE, written.as_bytes())?;
        }
        Ok(())
    }

    /// Keeps the notes and the metadata of forge's own state file current. Decides nothing, and is no change of the state.
    pub(super) fn keep_notes(&self, snapshot: &Snapshot, step: &Step) -> Result<(), EngineError> {
        let Some(bytes) = self.disk.read(STATE_FILE)? else { return Ok(()) };
        let text = document::decode(&bytes).text;
        let is_ours = matches!(active_workflow::read(&text), active_workflow::Read::State { layout: Layout::Ours, .. });
        if !is_ours || step.blockers.iter().any(|blocker| blocker.kind == BlockerKind::State) {
            return Ok(());
        }
        let state = &snapshot.state;
        let seconds =
            Stamp::parse(&state.last_updated).zip(Stamp::parse(&state.started_at)).map(|(to, from)| to.0 - from.0);
        let metadata = Metadata {
            risk_level: snapshot.knowledge.highest_risk().and_then(|risk| risk.score()).map(|score| match score {
                6.. => "high",
                3..=5 => "medium",
                _ => "low",
            }),
            actual_hours: seconds
                .map(|seconds| seconds.max(0) / 360)
                .map(|tenths| format!("{}.{}", tenths / 10, tenths % 10)),
        };
        let written = active_workflow::keep_current(&text, &Notes::of(snapshot, step), &metadata);
        if written != text {
            self.disk.replace(STATE_FILE, written.as_bytes())?;
        }
        Ok(())
    }

    /// What the state file says of what surrounds it. What stands there already and is not forge's to know stays.
    pub(crate) fn context(&self, state: &State, previous: Option<&str>) -> Result<Context, EngineError> {
        let known = self.knowledge()?;
        let before = previous.map(active_workflow::context).unwrap_or_default();
        let mut related = vec![format!("docs/forge/phases/{}.md", state.phase)];
        // Named here, a handoff is missed when it is gone.
        let definition = self.definition()?;
        let into = |phase: &Phase| definition.before(&phase.id).map(|before| handoff::path(&before.id, &phase.id));
        let handoffs: Vec<String> = definition.phases.iter().filter_map(into).collect();
        let left = state.phase_status == PhaseStatus::Completed;
        let next = definition.after(&state.phase).filter(|_| left);
        for path in definition.phase(&state.phase).into_iter().chain(next).filter_map(into) {
            if before.related_docs.contains(&path) || self.disk.read(&path)?.is_some() {
                related.push(path);
            }
        }
        if let Some(debate) = &state.debate.id
            && let Some(Ok(files)) = self.open_if_there(debate)?
        {
            related.push(files.layout.plan());
        }
        let decisions = known.standing_decisions().map(|one| format!("{}: {}", one.id, one.title)).collect();
        let assumptions = known.open_assumptions().map(|one| format!("{}: {}", one.id, one.text)).collect();
        // Lines that forge wrote, now or before; a person's own words for the same entry stay.
        let decided = |line: &str| known.decisions.iter().any(|one| line == format!("{}: {}", one.id, one.title));
        let assumed = |line: &str| known.assumptions.iter().any(|one| line == format!("{}: {}", one.id, one.text));
        let is_ours = |path: &str| {
            let of_a_debate =
                path.starts_with("docs/forge/debate/") || path.starts_with("debates/") || path.contains("sadd/");
            path.starts_with("docs/forge/phases/")
                || handoffs.iter().any(|one| one == path)
                || (of_a_debate && (path.ends_with("plan.md") || path.ends_with("/context.md")))
        };
        Ok(Context {
            feature: if before.feature.is_empty() { state.objective.clone() } else { before.feature },
            related_docs: joined(before.related_docs, related, is_ours),
            decisions: joined(before.decisions, decisions, decided),
            assumptions: joined(before.assumptions, assumptions, assumed),
        })
    }

    /// Makes a document that people fill in, unless it is there. One of another workflow goes to the archive first.
    fn put_document(&self, path: &str, text: &str, workflow_id: &str, log: &mut Log) -> Result<(), EngineError> {
        self.archive_if_others(path, workflow_id, log)?;
        if self.disk.create_new(path, text.as_bytes())? == Created::New {
            log.did(format!("made {path}"));
        }
        Ok(())
    }

    /// Moves a document that belongs to another workflow to that workflow's archive.
    pub(crate) fn archive_if_others(&self, path: &str, workflow_id: &str, log: &mut Log) -> Result<(), EngineError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(()) };
        if let Some(owner) = phase_document::workflow_of(&bytes).filter(|owner| owner != workflow_id) {
            let kept = self.move_to_archive(path, &owner)?;
            let is_over = self.disk.read(&record_path(&owner))?.is_some();
            let back = format!(
                ". If it is this workflow's, write `workflow_id: {workflow_id}` into it, then: mv {kept} {path}"
            );
            let back = if is_over { "" } else { back.as_str() };
            log.did(format!("{path} belongs to the workflow {owner}; it is kept as {kept}{back}"));
        }
        Ok(())
    }

    /// Moves a document to a workflow's archive, and tells where it went. Copy first, remove second.
    pub(crate) fn move_to_archive(&self, path: &str, workflow_id: &str) -> Result<String, EngineError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(path.to_owned()) };
        let owner = if forge_debate::plan::check_id(workflow_id).is_ok() { workflow_id } else { "other" };
        let inner = path.strip_prefix("docs/forge/").unwrap_or(path);
        let stem = inner.strip_suffix(".md").unwrap_or(inner);
        for number in 1..=COPIES_LIMIT {
            let suffix = if number == 1 { String::new() } else { format!(".{number}") };
            let target = format!("{ARCHIVE}/{owner}/{stem}{suffix}.md");
            match self.disk.read(&target)? {
                Some(there) if there != bytes => continue,
                Some(_) => {}
                None if self.disk.create_new(&target, &bytes)? == Created::AlreadyThere => continue,
                None => {}
            }
            self.disk.remove(path)?;
            return Ok(target);
        }
        Err(EngineError::Usage(format!("{path} has {COPIES_LIMIT} copies in {ARCHIVE}/{owner} already; tidy them up")))
    }

    fn plan_debate(
        &self,
        snapshot: &Snapshot,
        order: &DebateOrder,
        drive: &Drive,
        log: &mut Log,
    ) -> Result<String, EngineError> {
        let phase = of(snapshot, &order.phase)?;
        let DebateOrder { protocol, question, options, .. } = order;
        if let Some(open) = self.open_debate(snapshot, order)? {
            log.did(format!("the debate {open} of {} is not over; it goes on", order.phase));
            return Ok(open);
        }
        let rules = &self.protocols.newest(protocol).map_err(EngineError::Usage)?.profile;
        let is_by_phase = rules.id_scheme == IdScheme::PhaseAndTime;
        let wanted = drive.defaults.request(rules, question, options.clone(), None);
        let has_agents = drive.hand.is_agent() || wanted.seats.iter().any(|(_, hand)| hand.is_agent());
        let request = Request {
            materials: self.materials(phase, log)?,
            hand: drive.hand.clone(),
            seating: Seating::Named,
            stated_families: self.roster.stated_families(),
            // Nobody can say here that one family will do; the verdict says that it was one.
            families: if has_agents { Families::MayBeTheSame } else { Families::MustDiffer },
            phase: is_by_phase.then(|| order.phase.clone()),
            occasion: Some(order.occasion.clone()),
            at_stake: order.at_stake.clone(),
            ..wanted
        };
        let opened = self.open_or_create(&request, Freshness::GoOn)?;
        if !opened.existed {
            log.did(format!("planned the debate {} in {}", opened.files.plan.id, opened.files.layout.plan()));
        }
        Ok(opened.files.plan.id.clone())
    }

    /// A debate that was planned for the same and is not over, although the state file does not name it any more: whatever lies
    /// there counts. Who asks for another with `--debate` gets one.
    fn open_debate(&self, snapshot: &Snapshot, order: &DebateOrder) -> Result<Option<String>, EngineError> {
        let state = &snapshot.state;
        let last = state.debates.iter().rev().find(|(owner, _)| *owner == order.owner);
        let Some((_, id)) = last.filter(|_| state.debate_flag == DebateFlag::Unsaid) else { return Ok(None) };
        let Some(Ok(files)) = self.open_if_there(id)? else { return Ok(None) };
        let is_open = Survey::of(&files)?.verdict.is_none();
        let is_own = is_open && self.is_planned_for(&state.workflow_id, &order.owner, &files)?;
        Ok(is_own.then(|| id.clone()))
    }

    /// What every seat may read: the brief, what is decided and what binds, and the phase's own documents.
    pub(super) fn materials(&self, phase: &Phase, log: &mut Log) -> Result<Vec<Material>, EngineError> {
        let mut materials = Vec::new();
        for path in supplied(phase) {
            let Some(bytes) = self.read_to_send(&path, OWN_DOCUMENTS)? else { continue };
            let text = redacted(&document::decode(&bytes).text).to_string();
            if text.len() > MATERIAL_LIMIT_BYTES {
                log.did(format!(
                    "{path} is too large for the debate's seats to read: at most {MATERIAL_LIMIT_BYTES} bytes"
                ));
            } else if !text.trim().is_empty() {
                materials.push(Material { name: path, text });
            }
        }
        Ok(materials)
    }

    pub(crate) fn learn(&self, news: &Findings) -> Result<(), EngineError> {
        self.keep_written(&news.decisions);
        for kind in Kind::ALL {
            let before = match self.disk.read(kind.file())? {
                Some(bytes) => as_it_is(kind.file(), bytes)?,
                None => knowledge::template(kind).to_owned(),
            };
            let after = knowledge::append(kind, &before, news);
            if after != before {
                self.disk.replace(kind.file(), after.as_bytes())?;
            }
        }
        Ok(())
    }

    /// What came of a phase. A document of the same name that a person wrote is left alone; one of forge's says what came of
    /// the phase before, and perhaps what people added since.
    fn write_outcome(&self, outcome: &PhaseOutcome, log: &mut Log) -> Result<(), EngineError> {
        self.archive_if_others(&outcome.path, &outcome.workflow_id, log)?;
        let text = phase_document::outcome(outcome);
        match self.disk.read(&outcome.path)? {
            Some(bytes) if !phase_document::is_our_outcome(&bytes) || bytes == text.as_bytes() => return Ok(()),
            Some(_) => {
                let kept = self.move_to_archive(&outcome.path, &outcome.workflow_id)?;
                log.did(format!("{} is written anew; as it was it is kept as {kept}", outcome.path));
            }
            None => {}
        }
        Ok(self.disk.replace(&outcome.path, text.as_bytes())?)
    }

    /// A handoff is written once: people tick boxes in it. What cannot pass for this one makes room for it.
    pub(super) fn write_handoff(&self, handoff: &Handoff, state: &State, log: &mut Log) -> Result<(), EngineError> {
        let path = handoff::path(&handoff.from.0, &handoff.to.0);
        self.archive_if_others(&path, &handoff.workflow_id, log)?;
        let text = handoff_file::write(handoff);
        let why = match self.disk.read(&path)? {
            Some(bytes) if document::is_blank(&bytes) => return Ok(self.disk.replace(&path, text.as_bytes())?),
            Some(bytes) => match document::damage(&bytes) {
                Some((line, what)) => Some(format!("cannot be read (line {line}: {what})")),
                None if !shows_a_handoff(&bytes) => Some("is a draft or a template".to_owned()),
                None if !self.traces(&self.definition()?, state)?.is_handed_over(&handoff.from.0) => {
                    Some("names no workflow, and another one was here before".to_owned())
                }
                None => None,
            },
            None => None,
        };
        if let Some(why) = why {
            let kept = self.move_to_archive(&path, &handoff.workflow_id)?;
            log.did(format!("{path} {why}; it is kept as {kept}"));
        }
        if self.disk.create_new(&path, text.as_bytes())? == Created::AlreadyThere
            && self.disk.read(&path)?.as_deref() != Some(text.as_bytes())
        {
            log.note(format!("{path} is there already and stays as it is"));
        }
        Ok(())
    }
}

/// The documents that the seats of a phase's debate may read.
fn supplied(phase: &Phase) -> Vec<String> {
    let mut paths: Vec<String> = SUPPLIED.iter().map(|path| (*path).to_owned()).collect();
    paths.extend([phase.document(), phase.options_document()]);
    paths.dedup();
    paths
}

/// A file's text byte for byte, to be added to: line ends and marks are their writer's.
pub(super) fn as_it_is(path: &str, bytes: Vec<u8>) -> Result<String, EngineError> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n').count() + 1;
        EngineError::Usage(format!(
            "{path}:{line}: bytes that are not UTF-8; forge adds to this file and changes nothing in it, so save it as UTF-8 first"
        ))
    })
}

fn of<'s>(snapshot: &'s Snapshot, phase: &str) -> Result<&'s Phase, EngineError> {
    snapshot.definition.phase(phase).ok_or_else(|| EngineError::Bug(format!("there is no phase {phase}")))
}

/// What stood there and is not forge's, then what forge says now.
fn joined(before: Vec<String>, now: Vec<String>, is_ours: impl Fn(&str) -> bool) -> Vec<String> {
    let kept = before.into_iter().filter(|entry| !is_ours(entry) && !now.contains(entry));
    kept.collect::<Vec<_>>().into_iter().chain(now).collect()
}
