//! What a verdict of judges says.

use super::{CHALLENGE, QUORUM, notes};
use crate::fact::Note;
use crate::protocols::voters::{Count, Voters};
use crate::protocols::{adversity, parts};
use crate::record::Record;
use crate::turn::Turn;
use crate::verdict::{Contest, Missing, Outcome, Verdict};

pub(super) fn verdict(judges: &Voters<'_, '_>, count: Count, record: &Record<'_>) -> Verdict {
    let (winner, counted, voted) = (count.winner.clone(), count.votes.len(), count.voted());
    let dissents = winner.as_ref().map(|winner| count.outvoted(winner)).unwrap_or_default();
    let mut verdict = match &winner {
        _ if counted < QUORUM => judges.verdict(Outcome::Insufficient, count),
        None => judges.verdict(Outcome::Contested, count),
        Some(_) => judges.verdict(Outcome::Consensus, count),
    };
    if verdict.outcome == Outcome::Contested {
        verdict.leave_open(Contest::NoWinner);
    }
    if let Some(option) = winner {
        verdict.confidence = judges.stated_confidence(&verdict.votes, &option);
        verdict.options = vec![option];
        verdict.dissents = dissents;
    }
    if counted < QUORUM && voted >= QUORUM {
        verdict.note(notes::too_few_quote(counted, voted, QUORUM));
    }
    let ungrounded: Vec<Note> =
        verdict.changes.iter().filter(|change| change.is_undocumented()).map(notes::ungrounded_change).collect();
    ungrounded.into_iter().for_each(|note| verdict.note(note));
    let unchallenged = adversity::unchallenged(judges.plan, CHALLENGE, &judges.said);
    adversity::hold_against(judges.plan, &mut verdict, unchallenged);
    parts::settle(&mut verdict, record);
    note_absences(&mut verdict, &judges.said);
    verdict
}

/// Who was absent is told first.
fn note_absences(verdict: &mut Verdict, said: &[&Turn]) {
    let left = |Missing { key, .. }: &Missing| {
        let of_round = said.iter().filter(|turn| (turn.key.stage, turn.key.round) == (key.stage, key.round));
        of_round.filter(|turn| turn.speech().is_some()).count()
    };
    let absences: Vec<Note> =
        verdict.missing.iter().map(|missing| notes::judge_absent(missing, left(missing))).collect();
    verdict.notes.splice(0..0, absences);
}
