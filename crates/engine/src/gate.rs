//! The gate's question: is this debate really done, and did it really decide?

use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use crate::{report, verify, vote};
use forge_artifacts::formats::summary;
use forge_artifacts::store::{DebateFiles, Found, OnRecord};
use forge_debate::control::CONTROL;
use forge_debate::verdict::{Finding, Gravity, Outcome};
use forge_workflow::snapshot::Origin;

/// How a finding about a file begins that nobody has written.
const MISSING: &str = "missing: ";

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
            let text = format!(
                "not on record yet: {}; `forge debate run {}` puts it on record",
                self.not_on_record.join(", "),
                self.debate
            );
            self.findings.push(blocks(self.plan_file.clone(), text));
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
            let text = "it knows this debate as closed, and the debate's record is gone; take it from where it was kept (git), or hold the debate anew";
            findings.push(blocks(file.to_owned(), text.to_owned()));
        }
        let holds = findings.is_empty();
        let least = files.plan.protocol.least_length;
        let plan = self.disk.read(&files.layout.plan())?.unwrap_or_default();
        let length = String::from_utf8_lossy(&plan).trim().chars().count();
        if length < least {
            findings.push(blocks(files.layout.plan(), format!("{length} characters; at least {least} are needed")));
        }
        let open = open_findings(files, &survey)?;
        findings.extend(open.into_iter().filter(|one| holds || !one.text.starts_with(MISSING)).collect::<Vec<_>>());
        let mut outcome = None;
        let mut decided = Vec::new();
        if let Some(verdict) = &survey.verdict {
            outcome = Some(verdict.outcome);
            decided = verdict.options.iter().map(|id| files.plan.option_name(id)).collect();
            findings.extend(verdict.findings.iter().map(|finding| {
                let file = files.layout.path(&finding.file);
                Finding { file, ..finding.clone() }
            }));
            for missing in &verdict.missing {
                findings.push(Finding {
                    gravity: if verdict.outcome == Outcome::Insufficient { Gravity::Blocks } else { Gravity::Warns },
                    file: files.turn_path(&missing.key),
                    line: None,
                    text: format!("{} {}: {}", missing.key.seat, missing.kind.phrase(), missing.detail),
                });
            }
            if verdict.outcome.needs_a_person() {
                findings.push(Finding {
                    gravity: Gravity::Blocks,
                    file: files.layout.plan(),
                    line: None,
                    text: format!(
                        "{}: a person must decide with `forge debate decide {} OPTION --because WHY`",
                        verdict.outcome.word(),
                        files.plan.id
                    ),
                });
            }
        }
        let origin = self.origin(files, &survey)?;
        if !survey.provisional.is_empty()
            && let Some(text) = self.found_words(files)?
        {
            findings.push(blocks(files.layout.plan(), text));
        }
        let mut notes: Vec<String> = origin.iter().map(ToString::to_string).collect();
        notes.extend(summary::replaced(&self.replaced(files)?).map(|text| format!("REPLACED: {text}")));
        let mut foreign_decision = None;
        if survey.verdict.as_ref().is_some_and(|verdict| verdict.decision.is_some())
            && let Some(text) = self.found_decision(files)?
        {
            // In one's own debate it is held; a clone, as in CI, knows nobody who could have typed it.
            match origin {
                None => findings.push(blocks(files.layout.plan(), text.clone())),
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
            rehearsal: files.plan.is_rehearsal() || survey.heard.iter().any(is_rehearsal),
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

fn blocks(file: String, text: String) -> Finding {
    Finding { gravity: Gravity::Blocks, file, line: None, text }
}

/// What is not as it was: the record, or the file of a turn on it.
fn broken(files: &DebateFiles, survey: &Survey) -> Result<Vec<Finding>, EngineError> {
    let mut found: Vec<Finding> = survey.changed_files(files).map(|(file, text)| blocks(file, text)).collect();
    let id = &files.plan.id;
    for (file, difference) in report::differing(files, survey)? {
        let what = match difference {
            report::Difference::Gone => "it is gone, and the verdict on file was derived from it",
            report::Difference::Changed => "it is not what the verdict on file was derived from",
        };
        let is_record = file.starts_with(&format!("{}/", files.layout.trail_folder()));
        let then = match is_record {
            true => "take the record from where it was kept (git)".to_owned(),
            false => format!("`forge debate restore {id}` puts it back from its reply"),
        };
        found.push(blocks(file, format!("{what}; {then}")));
    }
    found.extend(survey.broken_chain().map(|text| blocks(files.layout.verdict(), text)));
    let mut is_later_there = None;
    for open in &survey.open {
        match &open.found {
            Found::Damaged { path, problems, .. } => {
                let text = verify::without_path(path, problems);
                found.push(blocks(path.clone(), text));
            }
            Found::Nothing => {
                let is_later = match is_later_there {
                    Some(known) => known,
                    None => has_later_turns(files, survey)?,
                };
                is_later_there = Some(is_later);
                let path = files.turn_path(&open.ask.key);
                if is_later && !found.iter().any(|one| one.file == path) {
                    found.push(blocks(path, format!("it is gone, and later turns followed that of {}", open.ask.key)));
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
    let mut known: Vec<String> = survey.waves.iter().flatten().map(|ask| ask.key.slug()).collect();
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
                findings.extend(problems.iter().map(|problem| blocks(path.clone(), format!("not yet: {problem}"))));
            }
            Found::HandedIn { bytes } if !vote::is_what_was_sealed(files, &open.ask.key, bytes)? => {
                findings.push(blocks(path, format!("this is not what {} committed to", open.ask.key.seat)));
            }
            Found::Nothing => {
                findings.push(blocks(path, format!("{MISSING}{} has not spoken", open.ask.key.seat)));
            }
            // Complete, and waiting for the others; or told already.
            Found::HandedIn { .. } | Found::Turn(_) | Found::Damaged { .. } => {}
        }
    }
    if forge_debate::framing::is_needed(&files.plan) {
        findings.push(blocks(files.layout.plan(), "the plan has no options yet".to_owned()));
    }
    Ok(findings)
}
