//! What a gate's ruling says.

use super::{SYNTHESIS, go_word};
use crate::fact;
use crate::model::fact::Note;
use crate::model::plan::{OptionId, Plan};
use crate::model::ruling::{Basis, Confidence, Finding, Gravity, Outcome, Reason, Ruling};
use crate::model::turn::{Section, Turn};
use crate::protocols::parts;
use crate::rules::record::Record;
use forge_prose::outline::{Block, Kind, Sentence};

pub(super) fn ruling(
    plan: &Plan,
    record: &Record<'_>,
    cases: &[&Turn],
    synthesis: &Turn,
    chosen: Option<OptionId>,
    findings: Vec<Finding>,
) -> Ruling {
    let is_blocked = findings.iter().any(|finding| finding.gravity == Gravity::Blocks);
    let mut ruling = Ruling::new(if is_blocked { Outcome::Blocked } else { Outcome::Decided });
    ruling.rounds = 1;
    ruling.basis = Basis::Checks;
    if !is_blocked {
        let said = synthesis.speech().and_then(|speech| speech.said().confidence);
        ruling.confidence = said.unwrap_or(Confidence::Medium);
    }
    let turns = cases.iter().copied().chain([synthesis]);
    ruling.reasons = turns.filter_map(|turn| reason(plan, turn, chosen.as_ref())).collect();
    ruling.options = chosen.into_iter().collect();
    parts::settle(&mut ruling, record);
    // What the forms found are the gate's findings here; saying them twice helps nobody.
    ruling.notes.clear();
    ruling.owed.clear();
    ruling.findings = findings;
    ruling
}

pub(super) fn insufficient(record: &Record<'_>) -> Ruling {
    let mut ruling = Ruling::new(Outcome::Insufficient);
    parts::settle(&mut ruling, record);
    ruling.note(Note::voids(fact!(
        "role_absent",
        "a gate needs every role; run it again with `forge debate run <id> --retry-absent`"
    )));
    ruling
}

fn reason(plan: &Plan, turn: &Turn, chosen: Option<&OptionId>) -> Option<Reason> {
    let speech = turn.speech()?;
    let text = match speech.said().reason {
        None => {
            let own = if turn.key.stage == SYNTHESIS { speech.section("Final Decision") } else { None };
            own.into_iter().chain(&speech.sections).find_map(first_sentence)?
        }
        Some(reason) => reason,
    };
    let stand = match turn.seat().as_str() {
        "operator" => go_word(plan, speech, chosen).map(|word| word.word().to_owned()),
        _ => None,
    };
    let option = if turn.key.stage == SYNTHESIS { chosen.cloned() } else { speech.option() };
    Some(Reason { seat: turn.seat().clone(), option, stand, text })
}

/// The first sentence of a section that is neither a label nor a lead-in.
fn first_sentence(section: &Section) -> Option<String> {
    let outline = section.outline();
    let sentences: Vec<Sentence> = outline
        .said()
        .filter(|block| !block.is_row() && block.kind != Kind::Code)
        .flat_map(Block::sentences)
        .filter(|sentence| !sentence.is_blank && !sentence.text.ends_with(':'))
        .collect();
    let is_label = |text: &str| text.split_once(": ").is_some_and(|(label, _)| label.split_whitespace().count() <= 3);
    let plain = sentences.iter().find(|sentence| !is_label(&sentence.text));
    plain.or_else(|| sentences.first()).map(|sentence| sentence.text.clone())
}
