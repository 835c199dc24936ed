//! What the ruling of a challenge says.

use super::ballots::{Foundation, Probe};
use super::floor::{ChallengerStand, Floor, last_word, positions};
use super::{PROBE, notes};
use crate::model::fact::Note;
use crate::model::plan::{Duty, Plan, SeatId};
use crate::model::ruling::{
    Assumption, Basis, Confidence, Confrontation, Dissent, MissedTurn, Outcome, Reason, Ruling,
};
use crate::model::turn::{AbsenceKind, Turn};
use crate::protocols::parts;
use crate::rules::record::Record;

pub(super) fn ruling(
    plan: &Plan,
    record: &Record<'_>,
    floor: &Floor<'_>,
    rounds: u16,
    assumptions: &[&Turn],
) -> Ruling {
    let settled = floor.is_settled();
    let option = floor.option();
    let mut ruling = Ruling::new(if settled { Outcome::Consensus } else { Outcome::Tradeoff });
    ruling.rounds = rounds;
    ruling.basis = Basis::Objections(confrontation(plan, floor, assumptions));
    ruling.confidence = Confidence::Medium;
    if settled {
        ruling.options.extend(option.clone());
        let stated = floor.position().speech().and_then(|speech| speech.said().confidence);
        ruling.confidence = stated.unwrap_or(Confidence::Medium);
    }
    if let Some(speech) = floor.lead.speech() {
        // Answers carry no reason of their own; a lead that moved is quoted with the position it moved to.
        let moved = speech.option() != option;
        let position = || ruling.position().unwrap_or_default().to_owned();
        let text = if moved { position() } else { speech.said().reason.unwrap_or_default() };
        ruling.reasons.push(Reason { seat: floor.lead.seat().clone(), option, stand: None, text });
    }
    floor.stands.iter().for_each(|stand| tell(&mut ruling, stand));
    let parties = plan.seats.iter().filter(|seat| matches!(seat.duty, Duty::Lead | Duty::Debater));
    let unproven: Vec<SeatId> = parties.filter(|seat| !seat.hand.is_agent()).map(|seat| seat.id.clone()).collect();
    if !unproven.is_empty() {
        ruling.note(notes::family_unproven(&unproven));
    }
    parts::settle(&mut ruling, record);
    ruling.missing.extend(declined(record));
    ruling
}

fn confrontation(plan: &Plan, floor: &Floor<'_>, assumptions: &[&Turn]) -> Confrontation {
    let minor = floor.stands.iter().filter(|stand| stand.is_minor_objection());
    Confrontation {
        option: floor.option(),
        stands: floor.stands.iter().map(|stand| (stand.seat().clone(), stand.settled)).collect(),
        minor: minor.map(|stand| stand.seat().clone()).collect(),
        positions: positions(plan, floor),
        assumptions: assumptions.iter().filter_map(|turn| assumption(turn)).collect(),
    }
}

/// Where a challenger stands in the end, in its words.
fn tell(ruling: &mut Ruling, stand: &ChallengerStand<'_>) {
    let (word, text) = last_word(stand.objection());
    if !stand.settled {
        ruling.dissents.push(Dissent { seat: stand.seat().clone(), option: None, text: text.clone() });
    }
    ruling.reasons.push(Reason { seat: stand.seat().clone(), option: None, stand: Some(word), text });
    if stand.gave_way_from.is_some() {
        ruling.note(notes::unearned_yield(stand.seat()));
    }
    if stand.doubted {
        ruling.note(notes::doubtful_agreement(stand.seat()));
    }
    if stand.escalated && !stand.settled {
        ruling.note(notes::wants_a_person(stand.seat()));
    }
}

fn assumption(turn: &Turn) -> Option<Assumption> {
    let Foundation { why, what_would_change, assumption } = turn.ballot()?;
    let (why, what_would_change, assumption) = (why.0, what_would_change.0, assumption.0);
    Some(Assumption { seat: turn.seat().clone(), why, what_would_change, assumption })
}

/// Challengers that answered the probe and are not ready: lost in the probe, they are absent.
fn declined(record: &Record<'_>) -> Vec<MissedTurn> {
    let declines = |turn: &&Turn| turn.key.stage == PROBE && turn.ballot().is_some_and(|probe: Probe| !probe.ready);
    let missing = |turn: &Turn| MissedTurn {
        key: turn.key.clone(),
        kind: AbsenceKind::Refused,
        detail: "it answered the probe and is not ready".to_owned(),
    };
    record.heard().into_iter().filter(declines).map(missing).collect()
}

pub(super) fn insufficient(record: &Record<'_>, why: Note) -> Ruling {
    let mut ruling = Ruling::new(Outcome::Insufficient);
    ruling.note(why);
    parts::settle(&mut ruling, record);
    ruling.missing.extend(declined(record));
    ruling
}
