//! The gate's question: is this debate really done, and did it really decide?

use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use crate::{report, verify, vote};
use forge_artifacts::formats::summary;
use forge_artifacts::store::{DebateFiles, Found, OnRecord};
use forge_debate::control::CONTROL;
use forge_debate::fact;
use forge_debate::turn::TurnKey;
use forge_debate::verdict::{Finding, FindingKind, Gravity, MissedTurn, Outcome};
use forge_workflow::snapshot::Origin;

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateReport {
    /// The debate.
    pub debate: String,
    /// Whether it passes.
    pub passed: bool,
    /// S0's status word.
    pub status: &'static str,
    /// The outcome, if there is one.
    pub outcome: Option<Outcome>,
    /// The decided options, by name.
    pub decided: Vec<String>,
    /// Whether the rehearsal agent took part.
    pub rehearsal: bool,
    /// The plan's file.
    pub plan_file: String,
    /// Whether the record, and the file of every turn on it, are as they were.
    pub holds: bool,
    /// Turns that were counted and are not on record yet, in words.
    pub not_on_record: Vec<String>,
    /// Whose words these are, where it was not made here. A gate is about the files: it passes or not wherever they lie.
    pub origin: Option<Origin>,
    /// A person's decision that nobody typed here, in words.
    pub foreign_decision: Option<String>,
    /// What is to be known of it and neither blocks nor warns.
    pub notes: Vec<String>,
    /// Everything found, with files from the workspace's top.
    pub findings: Vec<Finding>,
}

impl GateReport {
    /// The same for whoever wants everything on record: what is not blocks.
    pub fn require_record(mut self) -> Self {
        if !self.not_on_record.is_empty() {
            let (seats, debate) = (self.not_on_record.join(", "), &self.debate);
            let fact = fact!(
                "not_on_record",
                "not on record yet: {seats}; `forge debate run {debate}` puts it on record",
                seats = self.not_on_record
            );
            self.findings.push(Finding::blocks(&self.plan_file, None, fact));
            self.passed = false;
        }
        self
    }
}

impl Workspace {
    /// Checks a debate's gate, as if every wave that is complete were closed now. Changes nothing.
    pub fn gate(&self, name: &str, strict: bool) -> Result<GateReport, EngineError> {
        self.gate_opened(&self.open(name)?, strict)
    }

    /// Checks the gate of a debate that is open already. Changes nothing.
    pub fn gate_opened(&self, files: &DebateFiles, strict: bool) -> Result<GateReport, EngineError> {
        Ok(self.gate_of(files, strict)?.0)
    }

    /// The gate of an opened debate, with the survey that it rests on.
    pub(crate) fn gate_of(&self, files: &DebateFiles, strict: bool) -> Result<(GateReport, Survey), EngineError> {
        let survey = Survey::as_if_closed(files)?;
        if !survey.provisional.is_empty() {
            // What was written answers the plan as it was laid out, not as it was edited since.
            files.check_laid_out()?;
        }
        // First of all: what follows below follows from files that somebody changed.
        let mut findings = broken(files, &survey)?;
        // A debate of which nothing is on record, though others know it as closed, has lost its record.
        if survey.heard.len() == survey.provisional.len()
            && let Some(file) = self.known_as_closed(&files.plan.id)?
        {
            let fact = fact!(
                "record_gone",
                "it knows this debate as closed, and the debate's record is gone; take it from where it was kept (git), or hold the debate anew"
            );
            findings.push(Finding::blocks(file, None, fact));
        }
        let holds = findings.is_empty();
        let least = files.plan.protocol.least_length;
        let plan = self.disk.read(&files.layout.plan())?.unwrap_or_default();
        let length = String::from_utf8_lossy(&plan).trim().chars().count();
        if length < least {
            let fact = fact!("too_short", "{length} characters; at least {least} are needed", length, least);
            findings.push(Finding::blocks(files.layout.plan(), None, fact));
        }
        let open = open_findings(files, &survey)?;
        findings.extend(open.into_iter().filter(|one| holds || one.kind != FindingKind::Missing));
        let mut outcome = None;
        let mut decided = Vec::new();
        if let Some(verdict) = &survey.verdict {
            outcome = Some(verdict.outcome());
            decided = verdict.options().iter().map(|id| files.plan.option_name(id)).collect();
            findings.extend(verdict.ruling.findings.iter().map(|finding| {
                let file = files.layout.path(&finding.file);
                Finding { file, ..finding.clone() }
            }));
            for missing in &verdict.ruling.missing {
                let MissedTurn { key: TurnKey { seat, .. }, kind, detail } = missing;
                let (phrase, file, id) = (kind.phrase(), files.turn_path(&missing.key), &files.plan.id);
                // An absence lies in the trail: what stands at the turn's own place came later.
                let is_written = !files.plan.protocol.absences_have_files && self.disk.read(&file)?.is_some();
                let then = match is_written {
                    true => format!(
                        "; what stands in this file now was written later and does not count yet: `forge debate run {id} --retry-absent` takes it in"
                    ),
                    false => String::new(),
                };
                let fact = fact!("seat_absent", "{seat} {phrase}: {detail}{then}", seat, kind = kind.word(), detail);
                let gravity = if verdict.outcome() == Outcome::Insufficient { Gravity::Blocks } else { Gravity::Warns };
                findings.push(Finding { gravity, ..Finding::blocks(file, None, fact) });
            }
            if verdict.outcome().needs_a_person() {
                let (outcome, id) = (verdict.outcome().word(), &files.plan.id);
                let fact = fact!(
                    "needs_a_person",
                    "{outcome}: a person must decide with `forge debate decide {id} OPTION --because WHY`",
                    outcome
                );
                findings.push(Finding::blocks(files.layout.plan(), None, fact));
            }
        }
        let origin = self.origin(files, &survey)?;
        if !survey.provisional.is_empty()
            && let Some(text) = self.found_words(files)?
        {
            findings.push(Finding::blocks(files.layout.plan(), None, fact!("found_words", "{text}")));
        }
        if !survey.provisional.is_empty()
            && let Some(text) = self.changed_plan(files)?
        {
            findings.push(Finding::blocks(files.layout.plan(), None, fact!("changed_plan", "{text}")));
        }
        let mut notes: Vec<String> = origin.iter().map(ToString::to_string).collect();
        notes.extend(summary::replaced(&self.replaced(files)?).map(|text| format!("REPLACED: {text}")));
        let mut foreign_decision = None;
        if survey.verdict.as_ref().is_some_and(|verdict| verdict.decision.is_some())
            && let Some(text) = self.found_decision(files)?
        {
            // In one's own debate it is held; a clone, as in CI, knows nobody who could have typed it.
            match origin {
                None => {
                    findings.push(Finding::blocks(files.layout.plan(), None, fact!("found_decision", "{text}")));
                }
                Some(_) => notes.push(text.clone()),
            }
            foreign_decision = Some(text);
        }
        let blocked = findings.iter().any(|finding| finding.gravity == Gravity::Blocks || strict);
        let concluded = matches!(outcome, Some(Outcome::Consensus | Outcome::Decided));
        let report = GateReport {
            debate: files.plan.id.clone(),
            passed: concluded && !blocked,
            status: survey.status(),
            outcome,
            decided,
            rehearsal: files.plan.is_rehearsal() || survey.heard.iter().any(|one| is_rehearsal(one)),
            plan_file: files.layout.plan(),
            holds,
            origin,
            foreign_decision,
            notes,
            not_on_record: survey.provisional.iter().map(|key| key.seat.to_string()).collect(),
            findings,
        };
        Ok((report, survey))
    }
}

/// The seat that answers alone is no part of the debate.
fn is_rehearsal(one: &OnRecord) -> bool {
    one.line.rehearsal && one.turn.key.stage != CONTROL
}

/// What is not as it was: the record, or the file of a turn on it.
fn broken(files: &DebateFiles, survey: &Survey) -> Result<Vec<Finding>, EngineError> {
    let changed = survey.changed_files(files);
    let mut found: Vec<Finding> =
        changed.map(|(file, text)| Finding::blocks(file, None, fact!("turn_changed", "{text}"))).collect();
    let id = &files.plan.id;
    for (file, difference) in report::differing(files, survey)? {
        let (word, what) = match difference {
            report::Difference::Gone => ("gone", "it is gone, and the verdict on file was derived from it"),
            report::Difference::Changed => ("changed", "it is not what the verdict on file was derived from"),
        };
        let is_record = file.starts_with(&format!("{}/", files.layout.trail_folder()));
        let then = match is_record {
            true => "take the record from where it was kept (git)".to_owned(),
            false => format!("`forge debate restore {id}` puts it back from its reply"),
        };
        found.push(Finding::blocks(file, None, fact!("source_changed", "{what}; {then}", difference = word)));
    }
    let breaks = survey.broken_chain();
    found.extend(breaks.map(|text| Finding::blocks(files.layout.verdict(), None, fact!("broken_chain", "{text}"))));
    let mut is_later_there = None;
    for open in &survey.open {
        match &open.found {
            Found::Damaged { path, problems, .. } => {
                let text = verify::without_path(path, problems);
                found.push(Finding::blocks(path, None, fact!("turn_damaged", "{text}", problems)));
            }
            Found::Nothing => {
                let is_later = match is_later_there {
                    Some(known) => known,
                    None => has_later_turns(files, survey)?,
                };
                is_later_there = Some(is_later);
                let path = files.turn_path(&open.ask.key);
                if is_later && !found.iter().any(|one| one.file == path) {
                    let key = &open.ask.key;
                    let fact = fact!("turn_gone", "it is gone, and later turns followed that of {key}", turn = key);
                    found.push(Finding::blocks(path, None, fact));
                }
            }
            Found::Turn(_) | Found::HandedIn { .. } | Found::NotYet { .. } => {}
        }
    }
    Ok(found)
}

/// Whether turns or calls are on file that were neither asked for by what is on record nor withdrawn: the debate went further
/// than its turns.
pub(crate) fn has_later_turns(files: &DebateFiles, survey: &Survey) -> Result<bool, EngineError> {
    let mut known: Vec<String> = survey.waves.iter().flat_map(|wave| wave.iter()).map(|ask| ask.key.slug()).collect();
    known.push(forge_debate::framing::ask().key.slug());
    known.push(forge_debate::protocols::decision_ask().key.slug());
    let names = |folder: &str| -> Result<Vec<String>, EngineError> {
        let entries = files.disk().list(&files.layout.trail(folder))?;
        Ok(entries.into_iter().map(|entry| entry.name).collect())
    };
    known.extend(names("withdrawn")?.iter().filter_map(|name| verify::slug_of(name)));
    let briefs = names("briefs")?.iter().filter_map(|name| verify::slug_of(name)).collect::<Vec<_>>();
    let turns =
        names("turns")?.iter().filter_map(|name| Some(name.strip_suffix(".md")?.to_owned())).collect::<Vec<_>>();
    Ok(briefs.iter().chain(&turns).any(|slug| !known.contains(slug)))
}

fn open_findings(files: &DebateFiles, survey: &Survey) -> Result<Vec<Finding>, EngineError> {
    let mut findings = Vec::new();
    for open in &survey.open {
        let path = files.turn_path(&open.ask.key);
        match &open.found {
            Found::NotYet { problems, .. } => {
                findings.extend(problems.iter().map(|problem| {
                    let fact = fact!("turn_unfinished", "not yet: {problem}", problem);
                    Finding { kind: FindingKind::Unfinished, ..Finding::blocks(&path, None, fact) }
                }));
            }
            Found::HandedIn { bytes } if !vote::is_what_was_sealed(files, &open.ask.key, bytes)? => {
                let seat = &open.ask.key.seat;
                let fact = fact!("not_as_sealed", "this is not what {seat} committed to", seat);
                findings.push(Finding::blocks(path, None, fact));
            }
            Found::Nothing => {
                let seat = &open.ask.key.seat;
                let fact = fact!("turn_missing", "missing: {seat} has not spoken", seat);
                findings.push(Finding { kind: FindingKind::Missing, ..Finding::blocks(path, None, fact) });
            }
            // Complete, and waiting for the others; or told already.
            Found::HandedIn { .. } | Found::Turn(_) | Found::Damaged { .. } => {}
        }
    }
    if forge_debate::framing::is_needed(&files.plan) {
        let fact = fact!("no_options", "the plan has no options yet");
        findings.push(Finding::blocks(files.layout.plan(), None, fact));
    }
    Ok(findings)
}
