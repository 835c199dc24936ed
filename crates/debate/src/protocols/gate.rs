//! The debate gate: advocate, skeptic and operator blind and in parallel, then a synthesizer who reads all three.
//!
//! The gate passes when all is there and the synthesis really decides: nothing that [`findings`] finds blocks. Each rule that
//! reads a text is a small function of its own: [`choice`] what was chosen, `kill_switch` whether a condition can be measured,
//! [`operator`] the operator's word.

mod asks;
mod ballots;
pub mod choice;
mod kill_switch;
pub mod operator;
mod report;
mod sections;
mod stands;

use super::{
    Protocol,
    parts::{Eligibility, UNGROUNDED},
};
use crate::fact;
use crate::model::ballot::Ballot;
use crate::model::cost::StageCost;
use crate::model::plan::{Duty, OptionId, Plan};
use crate::model::profile::{Evidence, IdScheme, Profile, SeatSpec, Seats, StageFile};
use crate::model::ruling::{Finding, Ruling};
use crate::model::turn::{Section, Speech, Stage, Turn, title_matches};
use crate::rules::blind::BlindVote;
use crate::rules::instructions::one_of;
use crate::rules::reading::is_written;
use crate::rules::record::{Pending, Record};
use ballots::OperatorCase;
use choice::Unclear;
use forge_prose::outline::{Block, Kind};
use operator::{GoWord, Recommendation};
use std::fmt;
use std::ops::RangeInclusive;

/// The three blind cases.
pub const CASE: Stage = Stage("case");
pub const SYNTHESIS: Stage = Stage("synthesis");
const SYNTHESIS_FILE: &str = "synthesis.md";
const PLAN_FILE: &str = "debate-plan.md";
const FEWEST_OPTIONS: usize = 3;
/// The fewest characters of every file of the gate.
pub const MIN_CONTENT_LENGTH: usize = 100;

/// The sections without which a synthesis decides nothing.
pub const GATE_SECTIONS: [&str; 5] =
    ["Final Decision", "Decision Criteria", "Kill-Switch Criteria", "Fallback Plan", "Action Items"];

pub static PROTOCOL: Protocol = Protocol {
    blind_vote: |plan, heard, chosen| {
        let operator = heard.iter().find(|turn| turn.key.seat.as_str() == "operator")?;
        go_word(plan, operator.speech()?, chosen).map(BlindVote::Go)
    },
    sections: asks::sections,
    stand: stands::stand,
    challenges: stands::challenges,
    ..Protocol::new(PROFILE, deliberate)
};

const PROFILE: Profile = Profile {
    seats: Seats::Fixed(&[
        SeatSpec::new("advocate", Duty::Debater),
        SeatSpec::new("skeptic", Duty::Debater),
        SeatSpec::new("operator", Duty::Debater),
        SeatSpec::new("synthesizer", Duty::Synthesizer),
    ]),
    fewest_options: FEWEST_OPTIONS,
    needs_every_seat: true,
    defects,
    id_scheme: IdScheme::PhaseAndTime,
    plan_file: PLAN_FILE,
    stages: &[StageFile::new(CASE, "{seat}.md"), StageFile::document(SYNTHESIS, SYNTHESIS_FILE)],
    later_outputs: &[SYNTHESIS_FILE],
    absences_have_files: false,
    least_length: MIN_CONTENT_LENGTH,
    completion: COMPLETION,
    cost: |plan| {
        vec![
            StageCost::once("Cases: advocate, skeptic, operator", plan.debaters()),
            StageCost::once("Synthesis", plan.with_duty(Duty::Synthesizer).take(1)),
        ]
    },
    evidence: Evidence::OneSeat,
    challenges: |seat| seat.id.as_str() == "skeptic",
    ..Profile::new(
        "gate",
        "advocate, skeptic and operator write their cases blind; a synthesizer decides; the gate checks that it really did",
    )
};

/// Every rule that keeps the gate shut.
const COMPLETION: &str = "\
The gate passes when all of this holds:

1. debate-plan.md, advocate.md, skeptic.md, operator.md and synthesis.md exist, each with at least 100 characters, the roles' with their sections as real \
headings (see Role Prompts). A section that is empty, or has only blanks in brackets, \"TBD\" or \"none\", is not written.
2. synthesis.md has Final Decision, Decision Criteria, Kill-Switch Criteria, Fallback Plan and Action Items, each written.
3. Final Decision chooses exactly one option without a doubt beside it: a line `**Chosen Option:** <id>` is the surest.
4. At least one kill-switch condition has a number or a date that can be measured.
5. The operator says GO, NO-GO or CONDITIONAL for the chosen option, and a NO-GO is answered by a line of Final Decision, Risks \
Accepted or an answers section that names the operator or NO-GO.

Warnings, which `forge gate --strict` makes blockers: a question of the skeptic whose number (`Q3`) the synthesis does not name; \
a missing Debate Summary, Key Tradeoffs or Risks Accepted; kill-switch criteria without Detection, Timeline or Fallback.

Check with `forge gate`.";

fn defects(plan: &Plan) -> Vec<String> {
    let mut defects: Vec<String> = ["advocate", "skeptic", "operator", "synthesizer"]
        .into_iter()
        .filter(|role| !plan.seats.iter().any(|seat| seat.id.as_str() == *role))
        .map(|role| format!("gate has no seat {role:?}"))
        .collect();
    if plan.debaters().len() > 3 {
        defects.push("gate has three debaters: advocate, skeptic, operator".to_owned());
    }
    if plan.demands.robust {
        defects.push(
            "gate: one seat decides, so a robust verdict cannot be demanded; use judges, panel or challenge".to_owned(),
        );
    }
    defects
}

fn deliberate(plan: &Plan, record: &mut Record<'_>) -> Result<Ruling, Pending> {
    let cases = record.hear(|| asks::cases(plan))?;
    let is_whole = cases.iter().all(|case| case.speech().is_some());
    let Some(synthesizer) = plan.with_duty(Duty::Synthesizer).next().filter(|_| is_whole) else {
        return Ok(report::insufficient(record));
    };
    let synthesis = record.hear_one(|| asks::synthesis(plan, synthesizer, &cases))?;
    let Some(decision) = synthesis.speech() else { return Ok(report::insufficient(record)) };
    let chosen = decided_option(plan, decision);
    let findings = findings(plan, &cases, synthesis, &chosen);
    Ok(report::ruling(plan, record, &cases, synthesis, chosen.ok(), findings))
}

/// Everything that keeps the gate shut, and everything worth a look.
pub fn findings(
    plan: &Plan,
    cases: &[&Turn],
    written: &Turn,
    chosen: &Result<OptionId, DecisionProblem>,
) -> Vec<Finding> {
    let Some(synthesis) = written.speech() else { return Vec::new() };
    let mut found = Vec::new();
    if plan.options.len() < FEWEST_OPTIONS {
        let count = plan.options.len();
        let fact = fact!("too_few_options", "{count} options; at least {FEWEST_OPTIONS} are needed", count);
        found.push(Finding::blocks(PLAN_FILE, None, fact));
    }
    found.extend(GATE_SECTIONS.iter().filter_map(|title| section_problem(plan, synthesis, title)));
    if let (Some(section), Err(why)) = (written_section(plan, synthesis, "Final Decision"), chosen) {
        let line = line_to_write(plan, why);
        let code = why.code();
        let fact = fact!("decision_unclear", "decision unclear: {why}; {line}", why = code);
        found.push(Finding::blocks(SYNTHESIS_FILE, Some(section.line), fact));
    }
    if let Some(section) = written_section(plan, synthesis, "Kill-Switch Criteria") {
        found.extend(kill_switch_findings(section, plan));
    }
    if let (Some(operator), Ok(option)) = (speech_of(cases, "operator"), chosen) {
        found.extend(operator_finding(plan, operator, option, synthesis));
    }
    if let Some(skeptic) = speech_of(cases, "skeptic") {
        found.extend(unanswered(skeptic, synthesis));
    }
    let all: Vec<&Turn> = cases.iter().copied().chain([written]).collect();
    let counting = Eligibility::after(plan, &all);
    for turn in all.iter().filter(|turn| !counting.has(turn.seat())) {
        let seat = turn.seat();
        let fact = fact!("seat_ungrounded", "the {seat} {UNGROUNDED}; a grounded verdict is demanded", seat = seat);
        found.push(Finding::blocks(plan.protocol.file(&turn.key), None, fact));
    }
    for turn in &all {
        let file = plan.protocol.file(&turn.key);
        for defect in turn.speech().map(|speech| speech.shortcomings.as_slice()).unwrap_or_default() {
            // The sections that decide have findings of their own.
            let decides = defect.section.is_some_and(|section| GATE_SECTIONS.contains(&section));
            if file != SYNTHESIS_FILE || !decides {
                found.push(Finding::warns(&file, None, defect.owed()));
            }
        }
    }
    found
}

fn speech_of<'t>(cases: &[&'t Turn], role: &str) -> Option<&'t Speech> {
    cases.iter().find(|turn| turn.seat().as_str() == role).and_then(|turn| turn.speech())
}

/// What is wrong with a section without which a synthesis decides nothing.
fn section_problem(plan: &Plan, synthesis: &Speech, title: &str) -> Option<Finding> {
    let Some(first) = synthesis.section(title) else {
        let fact = fact!("section_missing", "section {title:?} is missing", section = title);
        return Some(Finding::blocks(SYNTHESIS_FILE, None, fact));
    };
    if !is_written(first, plan) && by_title(first).is_none() {
        let fact = fact!(
            "section_blank",
            "section {title:?} is not written yet: it is empty, or has only blanks, \"TBD\" or \"none\"",
            section = title
        );
        return Some(Finding::blocks(SYNTHESIS_FILE, Some(first.line), fact));
    }
    let again = synthesis.sections.iter().filter(|section| title_matches(&section.title, title)).nth(1)?;
    // A sub-heading may take up its section's title.
    let is_inside = first.body.contains(again.body.as_str()) && again.line > first.line;
    (!is_inside).then(|| {
        let line = first.line;
        let fact = fact!(
            "section_repeated",
            "section {title:?} stands here again (first on line {line})",
            section = title,
            first_line = line
        );
        Finding::blocks(SYNTHESIS_FILE, Some(again.line), fact)
    })
}

/// What a heading says behind its title: `## Final Decision: MVStore`.
fn by_title(section: &Section) -> Option<&str> {
    section.title.split_once([':', '—', '–', '：']).map(|(_, said)| said.trim()).filter(|said| !said.is_empty())
}

fn written_section<'s>(plan: &Plan, synthesis: &'s Speech, title: &str) -> Option<&'s Section> {
    synthesis.section(title).filter(|section| is_written(section, plan) || by_title(section).is_some())
}

/// The line that says it clearly: with the option that is named, where it is only one.
fn line_to_write(plan: &Plan, unclear: &DecisionProblem) -> String {
    match unclear {
        DecisionProblem::Text(Unclear::NothingChosen { named }) if named.len() == 1 => {
            format!("if it is meant, write a line `**Chosen Option:** {}`", named[0])
        }
        _ => {
            let ids: Vec<&str> = plan.options.iter().map(|option| option.id.as_str()).collect();
            format!("write one line `**Chosen Option:** <{}>`", one_of(&ids))
        }
    }
}

fn kill_switch_findings(section: &Section, plan: &Plan) -> Vec<Finding> {
    let mut found = Vec::new();
    if !kill_switch::has_threshold(section, plan) {
        let fact = fact!(
            "kill_switch_unmeasurable",
            "no kill-switch condition has a number or a date that can be measured; write one such as `- p99 latency: over 200 ms for a day`"
        );
        found.push(Finding::blocks(SYNTHESIS_FILE, Some(section.line), fact));
    }
    let missing = kill_switch::missing_parts(section);
    if !missing.is_empty() {
        let parts = missing.join(", no ");
        let fact = fact!("kill_switch_parts", "\"Kill-Switch Criteria\" names no {parts}", missing);
        found.push(Finding::warns(SYNTHESIS_FILE, Some(section.line), fact));
    }
    found
}

pub(crate) const GO_NO_GO: &str = "Go/No-Go";

/// What the operator recommends: by its ballot, else by its section.
pub fn recommendation(plan: &Plan, operator: &Speech) -> Recommendation {
    match OperatorCase::of(&operator.ballot).and_then(|case| case.recommendation.0) {
        Some(word) => Recommendation::overall(word),
        None => match operator.section(GO_NO_GO) {
            Some(section) => operator::read(section, plan),
            // Without the section a NO-GO anywhere is one: better asked about than overlooked.
            None => {
                let whole = Section { title: String::new(), body: operator.text.clone(), line: 1, body_line: 1 };
                let said = operator::read(&whole, plan);
                if said.for_all(plan) == Some(GoWord::NoGo) { said } else { Recommendation::default() }
            }
        },
    }
}

/// The one word that the operator has for every option, or for the chosen one.
pub fn go_word(plan: &Plan, operator: &Speech, chosen: Option<&OptionId>) -> Option<GoWord> {
    let said = recommendation(plan, operator);
    chosen.and_then(|option| said.of(option)).or_else(|| said.for_all(plan))
}

/// Whether the operator says NO-GO to an option that may be chosen.
fn may_be_no_go(plan: &Plan, operator: &Speech) -> bool {
    let said = recommendation(plan, operator);
    plan.options.iter().any(|option| said.of(&option.id) == Some(GoWord::NoGo))
}

fn operator_finding(plan: &Plan, operator: &Speech, chosen: &OptionId, synthesis: &Speech) -> Option<Finding> {
    let section = operator.section(GO_NO_GO);
    let line = section.map(|section| section.line);
    let name = plan.option_name(chosen);
    match recommendation(plan, operator).of(chosen) {
        Some(GoWord::NoGo) if !answers_no_go(synthesis) => {
            let at = synthesis.section("Final Decision").map(|section| section.line);
            let fact = fact!(
                "no_go_unanswered",
                "the operator says NO-GO to {name}, and neither Final Decision, Risks Accepted nor an answers section answers it; write a line that names the operator or NO-GO",
                option = chosen
            );
            Some(Finding::blocks(SYNTHESIS_FILE, at, fact))
        }
        None => {
            let fact = fact!(
                "go_unclear",
                "no GO, NO-GO or CONDITIONAL can be read for {name}; write a line such as `**Status:** GO`",
                option = chosen
            );
            Some(Finding::blocks("operator.md", line, fact))
        }
        _ => None,
    }
}

/// Whether a line answers a NO-GO: in the decision, among the risks accepted or in a section of answers. A summary only
/// reports.
fn answers_no_go(synthesis: &Speech) -> bool {
    let answers = ["Final Decision", "Risks Accepted", "Answers", "Answer", "Addressing", "Response", "Responses"];
    let mut answering = synthesis.sections.iter().filter(|section| {
        let first = section.title.split_whitespace().next().unwrap_or_default();
        answers.iter().any(|title| title_matches(&section.title, title) || first.eq_ignore_ascii_case(title))
    });
    answering.any(|section| {
        let outline = section.outline();
        let by_title = operator::speaks_of_no_go(&section.title) && outline.is_written(&section.title);
        by_title || outline.said().any(|block| !block.is_blank() && operator::speaks_of_no_go(&block.text()))
    })
}

/// What the skeptic asks: the items with a question mark under its heading, else the sentences with one.
pub(crate) fn asked(skeptic: &Speech) -> Vec<String> {
    let Some(section) = skeptic.section("Critical Questions") else { return Vec::new() };
    let outline = section.outline();
    let is_question = |text: &str| text.contains(['?', '？']);
    let items: Vec<String> = outline
        .blocks
        .iter()
        .filter(|block| matches!(block.kind, Kind::Item { .. } | Kind::Row { .. }) && !block.is_blank())
        .map(Block::text)
        .filter(|text| is_question(text))
        .collect();
    if !items.is_empty() {
        return items;
    }
    let sentences = outline.said().flat_map(Block::sentences).filter(|sentence| !sentence.is_blank);
    sentences.map(|sentence| sentence.text).filter(|text| is_question(text)).collect()
}

/// The numbers of questions that a text names: `Q3`, `question 3`, `Q1-Q5`, `Q1 to 5`.
fn question_numbers(text: &str) -> Vec<RangeInclusive<usize>> {
    let tokens = forge_prose::words::tokens(text);
    let said: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let is_dash = |word: &str| matches!(word, "-" | "—");
    // The number at a place, and where it ends: `q3`, or `question 3`.
    let number_at = |at: usize| match *said.get(at)? {
        "q" | "question" | "questions" => Some((said.get(at + 1)?.parse().ok()?, at + 2)),
        word => Some((word.strip_prefix('q')?.parse::<usize>().ok()?, at + 1)),
    };
    let last_at = |at: usize| {
        let is_range = said.get(at).is_some_and(|word| is_dash(word) || matches!(*word, "to" | "through"));
        let plain = || said.get(at + 1)?.parse().ok();
        if is_range { number_at(at + 1).map(|(number, _)| number).or_else(plain) } else { None }
    };
    let numbers = (0..said.len()).filter_map(number_at);
    numbers.map(|(first, end)| first..=last_at(end).unwrap_or(first).max(first)).collect()
}

/// The questions whose numbers the synthesis never names.
fn unanswered(skeptic: &Speech, synthesis: &Speech) -> Option<Finding> {
    let named = question_numbers(&synthesis.text);
    let is_named = |number: &usize| named.iter().any(|range| range.contains(number));
    let open: Vec<String> =
        (1..=asked(skeptic).len()).filter(|number| !is_named(number)).map(|number| format!("Q{number}")).collect();
    let section = skeptic.section("Critical Questions").map(|section| section.line);
    (!open.is_empty()).then(|| {
        let names = open.join(", ");
        let fact = fact!(
            "questions_unanswered",
            "the synthesis does not name {names} of the skeptic's questions; answer each by its number, such as `Q1: ...`",
            questions = open
        );
        Finding::warns("skeptic.md", section, fact)
    })
}

/// Why a synthesis decides for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionProblem {
    /// It has no Final Decision.
    NoSection,
    /// What is written there is unclear.
    Text(Unclear),
    /// The ballot says one thing, and the text another.
    Contradicts {
        /// What the ballot says.
        ballot: OptionId,
        /// What the text says.
        text: Result<OptionId, Unclear>,
    },
}

impl DecisionProblem {
    pub fn code(&self) -> &'static str {
        match self {
            DecisionProblem::NoSection => "no_section",
            DecisionProblem::Text(unclear) | DecisionProblem::Contradicts { text: Err(unclear), .. } => unclear.code(),
            DecisionProblem::Contradicts { .. } => "contradicts_ballot",
        }
    }
}

impl fmt::Display for DecisionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecisionProblem::NoSection => f.write_str("there is no Final Decision section"),
            DecisionProblem::Text(unclear) => unclear.fmt(f),
            DecisionProblem::Contradicts { ballot, text: Ok(text) } => {
                write!(f, "Final Decision chooses {text}, and the ballot says {ballot}")
            }
            DecisionProblem::Contradicts { ballot, text: Err(unclear) } => {
                write!(f, "the ballot says {ballot}, but {unclear}")
            }
        }
    }
}

/// The option that the synthesis decides for: by its ballot, else by its Final Decision. A text that chooses another one
/// than the ballot, or says that nothing is decided, leaves it unclear.
pub fn decided_option(plan: &Plan, synthesis: &Speech) -> Result<OptionId, DecisionProblem> {
    let section = synthesis.section("Final Decision").ok_or(DecisionProblem::NoSection)?;
    let text = choice::read(section, plan);
    let Some(ballot) = synthesis.option() else { return text.map_err(DecisionProblem::Text) };
    let text = match (text, choice::contradiction(section, plan, &ballot)) {
        (Err(_), Some(unclear)) => Err(unclear),
        (text, _) => text,
    };
    match text {
        Ok(written) if written == ballot => Ok(ballot),
        Ok(_) | Err(Unclear::Refused { .. } | Unclear::Undecided { .. } | Unclear::TakenBack { .. }) => {
            Err(DecisionProblem::Contradicts { ballot, text })
        }
        Err(_) => Ok(ballot),
    }
}
