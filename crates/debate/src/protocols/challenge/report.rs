//! What the verdict of a challenge says.

use super::ballots::{Foundation, Probe};
use super::floor::{Floor, last_word, positions};
use super::{PROBE, notes};
use crate::fact::Note;
use crate::plan::{Duty, Plan, SeatId};
use crate::protocols::parts;
use crate::record::Record;
use crate::robustness;
use crate::turn::{AbsenceKind, Turn};
use crate::verdict::{Assumption, Confidence, Dissent, Missing, Outcome, Reason, Verdict};

pub(super) fn verdict(
    plan: &Plan,
    record: &Record<'_>,
    floor: &Floor<'_>,
    rounds: u16,
    assumptions: &[&Turn],
) -> Verdict {
    let settled = floor.is_settled();
    let mut verdict = Verdict::new(if settled { Outcome::Consensus } else { Outcome::Tradeoff });
    let final_word = floor.position().speech();
    verdict.rounds = rounds;
    verdict.positions = positions(plan, floor);
    verdict.position = verdict.positions.last().map(|position| position.text.clone());
    let option = floor.option();
    let stands: Vec<(SeatId, bool)> = floor.stands.iter().map(|stand| (stand.seat().clone(), stand.settled)).collect();
    verdict.robustness = Some(robustness::of_stands(option.as_ref(), &stands));
    if settled {
        verdict.options = option.clone().into_iter().collect();
        verdict.confidence = final_word.and_then(|speech| speech.said().confidence).unwrap_or(Confidence::Medium);
    } else {
        verdict.confidence = Confidence::Medium;
    }
    if let Some(speech) = floor.lead.speech() {
        // Answers carry no reason of their own; a lead that moved is quoted with the position it moved to.
        let moved = speech.option() != option;
        let text =
            if moved { verdict.position.clone().unwrap_or_default() } else { speech.said().reason.unwrap_or_default() };
        verdict.reasons.push(Reason { seat: floor.lead.seat().clone(), option, stand: None, text });
    }
    for stand in &floor.stands {
        let (word, text) = last_word(stand.objection());
        if !stand.settled {
            verdict.dissents.push(Dissent { seat: stand.seat().clone(), option: None, text: text.clone() });
        }
        if stand.gave_way_from.is_some() {
            verdict.note(notes::unearned_yield(stand.seat()));
        }
        verdict.reasons.push(Reason { seat: stand.seat().clone(), option: None, stand: Some(word), text });
        if stand.is_minor_objection() {
            verdict.minor_objections.push(stand.seat().clone());
        }
        if stand.doubted {
            verdict.note(notes::doubtful_agreement(stand.seat()));
        }
        if stand.escalated && !stand.settled {
            verdict.note(notes::wants_a_person(stand.seat()));
        }
    }
    let parties = plan.seats.iter().filter(|seat| matches!(seat.duty, Duty::Lead | Duty::Debater));
    let unproven: Vec<SeatId> = parties.filter(|seat| !seat.hand.is_agent()).map(|seat| seat.id.clone()).collect();
    if !unproven.is_empty() {
        verdict.note(notes::family_unproven(&unproven));
    }
    verdict.assumptions = assumptions.iter().filter_map(|turn| assumption(turn)).collect();
    parts::settle(&mut verdict, record);
    verdict.missing.extend(declined(record));
    verdict
}

fn assumption(turn: &Turn) -> Option<Assumption> {
    let Foundation { why, what_would_change, assumption } = turn.ballot()?;
    let (why, what_would_change, assumption) = (why.0, what_would_change.0, assumption.0);
    Some(Assumption { seat: turn.seat().clone(), why, what_would_change, assumption })
}

/// Challengers that answered the probe and are not ready: lost in the probe, they are absent.
fn declined(record: &Record<'_>) -> Vec<Missing> {
    let declines = |turn: &&Turn| turn.key.stage == PROBE && turn.ballot().is_some_and(|probe: Probe| !probe.ready);
    let missing = |turn: &Turn| Missing {
        key: turn.key.clone(),
        kind: AbsenceKind::Refused,
        detail: "it answered the probe and is not ready".to_owned(),
    };
    record.heard().into_iter().filter(declines).map(missing).collect()
}

pub(super) fn insufficient(record: &Record<'_>, why: Note) -> Verdict {
    let mut verdict = Verdict::new(Outcome::Insufficient);
    verdict.note(why);
    parts::settle(&mut verdict, record);
    verdict.missing.extend(declined(record));
    verdict
}
