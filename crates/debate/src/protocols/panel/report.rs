//! What a panel's ruling says.

use super::ballots::{Response, is_nothing};
use super::notes::{self, Shortage};
use super::{CROSS_CUTTING, Document, End, RESPONSE};
use crate::model::plan::{OptionId, SeatId};
use crate::model::ruling::{Confidence, Contest, Dissent, Outcome, Ruling};
use crate::model::voting::Vote;
use crate::protocols::voters::{Count, Voters};
use crate::protocols::{adversity, parts};
use crate::rules::record::Record;

pub(super) fn insufficient(panel: &Voters<'_, '_>, record: &Record<'_>, shortage: Shortage) -> Ruling {
    let mut ruling = panel.ruling(Outcome::Insufficient, panel.count(&panel.seats));
    ruling.note(notes::too_few(shortage, panel.plan.debaters().len()));
    parts::settle(&mut ruling, record);
    ruling
}

/// The votes decide; the synthesis must be there and name what they chose.
pub(super) fn ruling(
    panel: &Voters<'_, '_>,
    count: Count,
    end: End,
    document: &Document,
    record: &Record<'_>,
) -> Ruling {
    let (winner, dissents) = (count.winner.clone(), dissents(panel, &count));
    let contest = contest(panel, winner.as_ref(), &end, document);
    let mut ruling = panel.ruling(Outcome::Decided, count);
    ruling.options = winner.into_iter().collect();
    ruling.dissents = dissents;
    ruling.confidence = document.synthesis.as_ref().map_or(Confidence::Medium, |synthesis| synthesis.confidence);
    if let Some(why) = contest {
        ruling.leave_open(why);
    }
    if let End::Halted(reason) = &end {
        ruling.note(notes::referee_halted(reason));
    }
    if document.misrepresented > 0 {
        ruling.note(notes::misrepresented(document.misrepresented, document.is_corrected));
    }
    let unchallenged = adversity::unchallenged(panel.plan, RESPONSE, &panel.said);
    adversity::hold_against(panel.plan, &mut ruling, unchallenged);
    parts::settle(&mut ruling, record);
    ruling
}

/// Why a person must decide, if one must.
fn contest(panel: &Voters<'_, '_>, winner: Option<&OptionId>, end: &End, document: &Document) -> Option<Contest> {
    let silent = silent_guards(panel);
    match (&document.synthesis, end, winner) {
        _ if !silent.is_empty() => Some(Contest::Silent(silent)),
        (None, ..) => Some(Contest::NoSynthesis),
        (_, End::Escalated(reason), _) => Some(Contest::Escalated(reason.clone())),
        (_, _, None) => Some(Contest::NoWinner),
        (Some(synthesis), _, Some(chosen)) if synthesis.option != *chosen => {
            Some(Contest::OtherName { named: Some(synthesis.option.clone()), chosen: chosen.clone() })
        }
        _ => None,
    }
}

/// Those of contrarian and moonshot who gave no position, or spoke in none of the rounds: without them a panel has not
/// been held as it should be, and does not decide.
fn silent_guards(panel: &Voters<'_, '_>) -> Vec<SeatId> {
    let has_responded = |seat: &SeatId| {
        panel.said.iter().any(|turn| turn.key.stage == RESPONSE && turn.seat() == seat && turn.speech().is_some())
    };
    let was_heard = |id: &SeatId| panel.seats.iter().any(|seat| seat.id == *id) && has_responded(id);
    let ids = panel.plan.debaters().into_iter().map(|seat| &seat.id);
    ids.filter(|id| CROSS_CUTTING.contains(&id.as_str()) && !was_heard(id)).cloned().collect()
}

/// Formal dissents, and the reasons of those who were outvoted.
pub(super) fn dissents(panel: &Voters<'_, '_>, count: &Count) -> Vec<Dissent> {
    let dissent = |vote: &Vote| {
        let is_outvoted = count.winner.as_ref().is_some_and(|winner| vote.counted != *winner);
        let reason = || count.reason_of(&vote.seat).filter(|_| is_outvoted).map(str::to_owned);
        let text = formal_dissent(panel, &vote.seat).or_else(reason)?;
        Some(Dissent { seat: vote.seat.clone(), option: Some(vote.counted.clone()), text })
    };
    count.votes.iter().filter_map(dissent).collect()
}

/// The last dissent that a seat wrote. A later "none" withdraws it.
fn formal_dissent(panel: &Voters<'_, '_>, seat: &SeatId) -> Option<String> {
    let own = panel.said.iter().rev().filter(|turn| turn.seat() == seat && turn.key.stage == RESPONSE);
    let mut responses = own.filter_map(|turn| turn.ballot::<Response>());
    responses.find_map(|response| response.dissent).filter(|text| !is_nothing(text))
}
