//! What is found out about a finished debate, and its verdict: the protocol's ruling, held against the demands of the plan,
//! against one seat alone and against a person's decision, in the same way for all protocols.

pub mod control;
pub mod course;
mod notes;
pub mod robustness;
pub mod verdict;

use crate::model::plan::{Duty, Families, Plan, Seat};
use crate::model::ruling::{Gravity, MissedTurn, Outcome, Ruling};
use crate::model::turn::{Turn, TurnKey};
use crate::protocols::{DecisionBallot, Protocol, decision_ask, turn_file};
use crate::rules::grounding;
use crate::rules::record::{Ask, Pending, Record};
use control::Comparison;
use course::Course;
use robustness::Robustness;
use verdict::{Assessment, Verdict};

/// Runs the plan's protocol, holds it against the control seat where there is one, and lays a person's decision over what
/// was left open.
pub fn conclude(protocol: &Protocol, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
    let mut verdict = before_control(protocol, plan, record)?;
    let ask = decision_ask();
    let is_decided = record.find(&ask.key).is_some_and(|decision| decides(verdict.outcome(), decision));
    if let Some(seat) = plan.with_duty(Duty::Control).next()
        && control::has_something_to_compare(&verdict.ruling)
    {
        hold_against_control(plan, seat, record, &mut verdict, is_decided)?;
    }
    if is_decided && let Some(ballot) = record.hear_one(|| ask)?.ballot() {
        verdict.decide(plan, ballot);
    }
    Ok(verdict)
}

/// Whether a person's decision counts over what the seats came to: over what they left open always, over what they settled
/// where it says that it overrules them. What is blocked, or was not debated, no person decides.
pub fn decides(outcome: Outcome, decision: &Turn) -> bool {
    let overrules = || decision.ballot().is_some_and(|ballot: DecisionBallot| ballot.overrules == Some(true));
    outcome.needs_a_person() || (outcome.is_settled() && overrules())
}

/// What the seats came to, before one seat alone is heard and before anybody decides over them.
pub fn before_control(protocol: &Protocol, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
    let mut ruling = (protocol.deliberate)(plan, record)?;
    tell_offices(plan, &mut ruling);
    if ruling.is_degraded() && ruling.outcome.is_settled() {
        ruling.confidence = ruling.confidence.lowered();
    }
    if plan.families == Families::MayBeTheSame && plan.protocol.families_differ {
        ruling.note(notes::one_family_allowed());
    }
    let heard = record.heard();
    let assessment = Assessment {
        robustness: Robustness::of(plan, &ruling, &heard),
        blind: (protocol.blind_vote)(plan, &heard, ruling.options.first()),
        course: Course::of(protocol, plan, &heard),
        grounding: grounding::of(plan, &heard),
        control: None,
    };
    if plan.demands.robust
        && ruling.outcome.is_settled()
        && let Some(robustness) = assessment.robustness.as_ref().filter(|robustness| robustness.is_fragile())
    {
        ruling.note(notes::fragile(plan, &ruling.options, &robustness.pivots()));
    }
    Ok(Verdict { ruling, assessment, decision: None })
}

/// Whoever is absent from an office takes nothing from the debate: that is a note, and not a missing turn.
fn tell_offices(plan: &Plan, ruling: &mut Ruling) {
    let (offices, missing): (Vec<MissedTurn>, Vec<MissedTurn>) =
        std::mem::take(&mut ruling.missing).into_iter().partition(|missing| plan.protocol.is_office(missing.key.stage));
    ruling.missing = missing;
    offices.iter().for_each(|missing| ruling.note(notes::office_absent(missing)));
}

/// Hears the seat alone and compares. A person need not wait for it: once a decision is on record, the answers that are
/// there stay there, no more are asked for, and what is not whole is compared with nothing.
fn hold_against_control(
    plan: &Plan,
    seat: &Seat,
    record: &mut Record<'_>,
    verdict: &mut Verdict,
    is_decided: bool,
) -> Result<(), Pending> {
    let heard = record.heard();
    let asks = control::asks(seat, heard.len());
    let wanted = asks.len();
    let there: Vec<Ask> = asks.iter().filter(|ask| record.find(&ask.key).is_some()).cloned().collect();
    let answered = there.len();
    if !is_decided || answered == wanted {
        let alone = record.hear(|| asks)?;
        verdict.assessment.control = Some(Comparison::of(plan, seat, &verdict.ruling, &heard, &alone));
        return Ok(());
    }
    if answered > 0 {
        record.hear(|| there)?;
    }
    verdict.ruling.note(notes::control_cut_short(&seat.id, answered, wanted));
    Ok(())
}

/// The turns that a blocked debate waits for, of those that were heard: the ones whose files block, or the last one where
/// no turn's file does.
pub fn to_mend<'k>(plan: &Plan, verdict: &Verdict, heard: impl Iterator<Item = &'k TurnKey>) -> Vec<&'k TurnKey> {
    if verdict.outcome() != Outcome::Blocked {
        return Vec::new();
    }
    let heard: Vec<&TurnKey> = heard.collect();
    let blocks = |key: &&&TurnKey| {
        let file = turn_file(plan.protocol, key);
        verdict.ruling.findings.iter().any(|finding| finding.gravity == Gravity::Blocks && finding.file == file)
    };
    let named: Vec<&TurnKey> = heard.iter().filter(blocks).copied().collect();
    if named.is_empty() { heard.last().copied().into_iter().collect() } else { named }
}
