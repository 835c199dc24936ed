//! Adversity: a debate in which nobody was opposed has shown nothing.
//!
//! These rules look at what can be seen without judging anybody's arguments: whether questions were asked and taken up,
//! whether a round had a single challenge in it, whether a table of risks has a row.

use super::Protocol;
use crate::anonymity::Speakers;
use crate::form::{Question, filled_rows, is_placeholder, none_answered, questions, says_none, table_rows, unanswered};
use crate::plan::Plan;
use crate::turn::{Section, Speech, Stage, Turn};
use crate::verdict::{Confidence, Finding, Gravity, Outcome, Verdict};

/// Fewer speakers than this cannot challenge each other.
const SPEAKERS_NEEDED: usize = 2;
/// How many questions a finding lists.
const LISTED_QUESTIONS: usize = 3;
/// The most characters of a question in a finding.
const QUESTION_CHARS: usize = 60;

/// Where a skeptic's questions stand.
const CRITICAL_QUESTIONS: &str = "Critical Questions";
/// Where a skeptic's risks stand.
const RISK_ANALYSIS: &str = "Risk Analysis";
/// Where a synthesis lists the risks that it takes.
const RISKS_ACCEPTED: &str = "Risks Accepted";

/// What the skeptic asks: under its heading, or anywhere where it has none.
pub(crate) fn asked(skeptic: &Speech) -> Vec<Question> {
    questions(skeptic.section(CRITICAL_QUESTIONS).map_or(skeptic.text.as_str(), |section| section.body.as_str()))
}

/// What keeps a gate shut although every file is there: nothing was asked, nothing was answered, no risk was named.
pub(crate) fn of_gate(skeptic: &Speech, synthesis: &Speech) -> Vec<Finding> {
    let mut found = Vec::new();
    let asked = asked(skeptic);
    if asked.is_empty() {
        let line = skeptic.section(CRITICAL_QUESTIONS).map(|section| section.line);
        let text = format!(
            "nobody challenged anybody: the skeptic asks no question; list at least one under {CRITICAL_QUESTIONS:?}, with a question mark and not as a placeholder"
        );
        found.push(finding(Gravity::Blocks, "skeptic.md", line, text));
    } else {
        found.extend(of_answers(&asked, synthesis));
    }
    found.extend(of_analysis(skeptic));
    found.extend(of_accepted(synthesis));
    found
}

fn of_answers(asked: &[Question], synthesis: &Speech) -> Option<Finding> {
    let open = unanswered(asked, &synthesis.ballot, &synthesis.sections);
    if open.is_empty() {
        return None;
    }
    let how = "answer each by its number, such as `Q1: ...`, in any section but Debate Summary or in the ballot's \"answers\"";
    let (gravity, what) = if open.len() == asked.len() {
        (Gravity::Blocks, none_answered(asked.len()))
    } else {
        (Gravity::Warns, format!("{} of the {} questions that the skeptic asks not answered", open.len(), asked.len()))
    };
    Some(finding(gravity, "synthesis.md", None, format!("{what} ({}); {how}", listed(&open))))
}

/// The first few questions, shortened.
fn listed(open: &[&Question]) -> String {
    let short = |question: &&&Question| {
        let text = question.text.trim();
        let cut: String = text.chars().take(QUESTION_CHARS).collect();
        let dots = if cut.len() < text.len() { "..." } else { "" };
        format!("{}. {}{dots}", question.number, cut.trim_end())
    };
    let mut all: Vec<String> = open.iter().take(LISTED_QUESTIONS).map(|question| short(&question)).collect();
    if open.len() > LISTED_QUESTIONS {
        all.push(format!("and {} more", open.len() - LISTED_QUESTIONS));
    }
    all.join("; ")
}

/// What a section about risks comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Risks {
    /// It names one: in a row of its table, or in prose, if not in the form asked for.
    Named,
    /// It says that there are none.
    Denied,
    /// It says nothing: it is missing, holds a place, or has a table without a row.
    Empty,
}

impl Risks {
    fn of(section: Option<&Section>) -> Self {
        let Some(body) = section.map(|section| section.body.as_str()) else { return Risks::Empty };
        let below_head = || table_rows(body).into_iter().skip(1).flat_map(cells);
        match body.contains('|') {
            false if is_placeholder(body) => Risks::Empty,
            false if says_none(body) => Risks::Denied,
            true if filled_rows(body) > 0 => Risks::Named,
            true if below_head().any(|cell| says_none(&cell)) => Risks::Denied,
            true => Risks::Empty,
            false => Risks::Named,
        }
    }
}

fn cells(row: String) -> Vec<String> {
    row.split('|').map(str::to_owned).collect()
}

/// A skeptic who sees no risk has not looked for one.
fn of_analysis(skeptic: &Speech) -> Option<Finding> {
    let section = skeptic.section(RISK_ANALYSIS);
    (Risks::of(section) != Risks::Named).then(|| no_risk(Gravity::Blocks, "skeptic.md", RISK_ANALYSIS, section))
}

/// A decision may honestly accept no risk; that is worth a look. A table without a row says nothing and blocks.
fn of_accepted(synthesis: &Speech) -> Option<Finding> {
    let section = synthesis.section(RISKS_ACCEPTED)?;
    let gravity = match Risks::of(Some(section)) {
        Risks::Named => return None,
        Risks::Denied => Gravity::Warns,
        Risks::Empty => Gravity::Blocks,
    };
    Some(no_risk(gravity, "synthesis.md", RISKS_ACCEPTED, Some(section)))
}

fn no_risk(gravity: Gravity, file: &str, title: &str, section: Option<&Section>) -> Finding {
    let text = format!("{title:?} names no risk; a table with at least one filled row is expected");
    finding(gravity, file, section.map(|section| section.line), text)
}

/// The rounds of a stage in which several seats spoke and none challenged another who had spoken, with the file of the
/// first of them.
pub(crate) fn unchallenged(protocol: &dyn Protocol, plan: &Plan, stage: Stage, said: &[&Turn]) -> Vec<Finding> {
    let mut rounds: Vec<u16> = said.iter().filter(|turn| turn.key.stage == stage).map(|turn| turn.key.round).collect();
    rounds.dedup();
    let mut found = Vec::new();
    for round in rounds {
        let of_round = |turn: &&&Turn| turn.key.stage == stage && turn.key.round == round && turn.speech().is_some();
        let speakers: Vec<&Turn> = said.iter().filter(of_round).copied().collect();
        let Some(first) = speakers.first().filter(|_| speakers.len() >= SPEAKERS_NEEDED) else { continue };
        if speakers.iter().any(|turn| challenges_somebody(plan, turn, said)) {
            continue;
        }
        let file = protocol.file(plan, &first.key);
        let seats: Vec<&str> = speakers.iter().map(|turn| turn.seat().as_str()).collect();
        let text = format!(
            "round {round}: nobody challenged anybody; at least one of {} should name another speaker in \"challenges\"",
            seats.join(", ")
        );
        found.push(finding(Gravity::Blocks, &file, None, text));
    }
    found
}

fn challenges_somebody(plan: &Plan, turn: &Turn, said: &[&Turn]) -> bool {
    let Some(speech) = turn.speech() else { return false };
    let speakers = Speakers::of(plan, turn.seat());
    let spoke = |to: &str| {
        speakers.seat(to).is_some_and(|seat| said.iter().any(|other| other.seat() == seat && other.speech().is_some()))
    };
    speech.ballot.records("challenges").iter().any(|challenge| spoke(challenge.text("to")))
}

/// Lays these findings over a verdict: an agreement that nobody tested is left to a person.
pub(crate) fn hold_against(plan: &Plan, verdict: &mut Verdict, found: Vec<Finding>) {
    let agreed = matches!(verdict.outcome, Outcome::Consensus | Outcome::Decided);
    if agreed && let Some(first) = found.first() {
        let round = first.text.split_once(';').map_or(first.text.as_str(), |(round, _)| round);
        let options: Vec<String> = verdict.options.iter().map(|id| plan.option_name(id)).collect();
        verdict.notes.push(format!(
            "{round}, so the agreement on {} was never tested; a person must decide",
            options.join(" + ")
        ));
        verdict.outcome = Outcome::Contested;
        verdict.confidence = Confidence::RequiresInput;
        verdict.options.clear();
    }
    verdict.findings.extend(found);
}

fn finding(gravity: Gravity, file: &str, line: Option<usize>, text: String) -> Finding {
    Finding { gravity, file: file.to_owned(), line, text }
}
