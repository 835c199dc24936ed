//! What a ruling of judges says.

use super::{CHALLENGE, QUORUM, notes};
use crate::model::fact::Note;
use crate::model::ruling::{Contest, MissedTurn, Outcome, Ruling};
use crate::model::turn::Turn;
use crate::protocols::voters::{Count, Voters};
use crate::protocols::{adversity, parts};
use crate::rules::record::Record;

pub(super) fn ruling(judges: &Voters<'_, '_>, count: Count, record: &Record<'_>) -> Ruling {
    let (winner, counted, voted) = (count.winner.clone(), count.votes.len(), count.voted());
    let dissents = winner.as_ref().map(|winner| count.outvoted(winner)).unwrap_or_default();
    let mut ruling = match &winner {
        _ if counted < QUORUM => judges.ruling(Outcome::Insufficient, count),
        None => judges.ruling(Outcome::Contested, count),
        Some(_) => judges.ruling(Outcome::Consensus, count),
    };
    if ruling.outcome == Outcome::Contested {
        ruling.leave_open(Contest::NoWinner);
    }
    if let Some(option) = winner {
        ruling.confidence = judges.stated_confidence(ruling.votes(), &option);
        ruling.options = vec![option];
        ruling.dissents = dissents;
    }
    if counted < QUORUM && voted >= QUORUM {
        ruling.note(notes::too_few_quote(counted, voted, QUORUM));
    }
    let ungrounded: Vec<Note> =
        ruling.changes().iter().filter(|change| change.is_undocumented()).map(notes::ungrounded_change).collect();
    ungrounded.into_iter().for_each(|note| ruling.note(note));
    let unchallenged = adversity::unchallenged(judges.plan, CHALLENGE, &judges.said);
    adversity::hold_against(judges.plan, &mut ruling, unchallenged);
    parts::settle(&mut ruling, record);
    note_absences(&mut ruling, &judges.said);
    ruling
}

/// Who was absent is told first.
fn note_absences(ruling: &mut Ruling, said: &[&Turn]) {
    let left = |MissedTurn { key, .. }: &MissedTurn| {
        let of_round = said.iter().filter(|turn| (turn.key.stage, turn.key.round) == (key.stage, key.round));
        of_round.filter(|turn| turn.speech().is_some()).count()
    };
    let absences: Vec<Note> =
        ruling.missing.iter().map(|missing| notes::judge_absent(missing, left(missing))).collect();
    ruling.notes.splice(0..0, absences);
}
