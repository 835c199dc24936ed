//! The gate's question: is this debate really done, and did it really decide?

use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::store::{DebateFiles, Found, OnRecord, Since};
use forge_debate::control::CONTROL;
use forge_debate::verdict::{Finding, Gravity, Outcome};

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
    /// Everything found, with files from the workspace's top.
    pub findings: Vec<Finding>,
}

impl Workspace {
    /// Checks a debate's gate. Changes nothing.
    pub fn gate(&self, name: &str, strict: bool) -> Result<GateReport, EngineError> {
        Ok(self.gate_of(self.open(name)?, strict)?.0)
    }

    /// Checks the gate of a debate that is open already. Changes nothing.
    pub fn gate_opened(&self, files: DebateFiles, strict: bool) -> Result<GateReport, EngineError> {
        Ok(self.gate_of(files, strict)?.0)
    }

    /// The gate of an opened debate, with the survey that it rests on.
    pub(crate) fn gate_of(
        &self,
        mut files: DebateFiles,
        strict: bool,
    ) -> Result<(GateReport, DebateFiles, Survey), EngineError> {
        let mut survey = Survey::of(&files)?;
        let blocked = survey.verdict.as_ref().is_some_and(|verdict| verdict.outcome == Outcome::Blocked);
        if blocked && survey.heard.iter().any(|one| one.since == Some(Since::Changed)) {
            files = files.with_mended_files();
            survey = Survey::of(&files)?;
        }
        // First of all: what follows below follows from files that somebody changed.
        let mut findings: Vec<Finding> = survey
            .contradictions(&files)?
            .into_iter()
            .map(|text| Finding { gravity: Gravity::Blocks, file: files.layout.verdict(), line: None, text })
            .collect();
        findings.extend(open_findings(&files, &survey));
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
        for one in survey.heard.iter().filter(|one| one.since.is_some()) {
            findings.push(Finding {
                gravity: Gravity::Warns,
                file: files.turn_path(&one.turn.key),
                line: None,
                text: format!("changed or removed after it was taken in; what counts is {}", one.line.file),
            });
        }
        let blocked = findings.iter().any(|finding| finding.gravity == Gravity::Blocks || strict);
        let concluded = matches!(outcome, Some(Outcome::Consensus | Outcome::Decided));
        let report = GateReport {
            debate: files.plan.id.clone(),
            passed: concluded && !blocked,
            status: survey.status(files.is_sealed()?),
            outcome,
            decided,
            rehearsal: files.plan.is_rehearsal() || survey.heard.iter().any(is_rehearsal),
            plan_file: files.layout.plan(),
            findings,
        };
        Ok((report, files, survey))
    }
}

/// The seat that answers alone is no part of the debate.
fn is_rehearsal(one: &OnRecord) -> bool {
    one.header.rehearsal && one.turn.key.stage != CONTROL
}

fn open_findings(files: &DebateFiles, survey: &Survey) -> Vec<Finding> {
    let blocks = |file: String, text: String| Finding { gravity: Gravity::Blocks, file, line: None, text };
    let mut findings: Vec<Finding> = survey
        .open
        .iter()
        .flat_map(|open| {
            let path = files.turn_path(&open.ask.key);
            match &open.found {
                Found::NotYet { problems, .. } | Found::Damaged { problems, .. } => {
                    problems.iter().map(|problem| blocks(path.clone(), format!("not yet a turn: {problem}"))).collect()
                }
                Found::HandedIn { .. } => {
                    vec![blocks(path, format!("handed in, not yet taken in; run `forge debate run {}`", files.plan.id))]
                }
                _ => vec![blocks(path, format!("missing: {} has not spoken", open.ask.key.seat))],
            }
        })
        .collect();
    if forge_debate::framing::is_needed(&files.plan) {
        findings.push(blocks(files.layout.plan(), "the plan has no options yet".to_owned()));
    }
    findings
}
