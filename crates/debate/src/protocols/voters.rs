//! Seats that vote in rounds: who sits, who spoke last, and what their votes come to.

use super::parts::Eligibility;
use crate::model::plan::{OptionId, Plan, Seat, SeatId};

use crate::model::ruling::{Abstention, Basis, Confidence, Dissent, Outcome, Reason, Ruling, VoteCount};
use crate::model::turn::{Speech, Turn};
use crate::model::voting::{Change, Rule, Vote};
use crate::rules::tally;

/// Seats that vote in rounds.
pub struct Voters<'p, 't> {
    pub plan: &'p Plan,
    /// What wins, and how many it takes.
    pub rule: Rule,
    /// Who gave a first vote. They are asked in every round.
    pub seats: Vec<&'p Seat>,
    /// Those of them who spoke in the last round.
    pub present: Vec<&'p Seat>,
    pub round: u16,
    /// All that was said, in order.
    pub said: Vec<&'t Turn>,
    /// Whose words count after that.
    pub(crate) counting: Eligibility,
}

impl<'p, 't> Voters<'p, 't> {
    /// The debaters who gave a first vote, in this round.
    pub fn seated(plan: &'p Plan, rule: Rule, round: u16, first: Vec<&'t Turn>) -> Self {
        let counting = Eligibility::after(plan, &[]);
        let mut voters =
            Self { plan, rule, seats: plan.debaters(), present: Vec::new(), round, said: Vec::new(), counting };
        voters.add_round(round, first);
        voters.seats = voters.present.clone();
        voters
    }

    /// Adds what was said in a round.
    pub fn add_round(&mut self, round: u16, turns: Vec<&'t Turn>) {
        let spoke = |seat: &&Seat| turns.iter().any(|turn| *turn.seat() == seat.id && turn.speech().is_some());
        self.present = self.seats.iter().copied().filter(spoke).collect();
        self.round = round;
        self.said.extend(turns);
        self.counting = Eligibility::after(self.plan, &self.said);
    }

    /// Whether enough spoke in the last round.
    pub fn is_quorate(&self) -> bool {
        self.present.len() >= self.rule.quorum
    }

    /// What each seat said last.
    pub(crate) fn last_turns(&self) -> Vec<&'t Turn> {
        super::parts::latest(&self.seats, &self.said)
    }

    /// The option that a seat's votes count for so far.
    pub(crate) fn held(&self, seat: &SeatId) -> Option<OptionId> {
        self.votes_of(seat).map(|(vote, _)| vote.counted)
    }

    fn votes_of(&self, seat: &SeatId) -> Option<(Vote, Vec<Change>)> {
        let own: Vec<&Turn> = self.said.iter().copied().filter(|turn| turn.seat() == seat).collect();
        tally::follow(self.plan, &own, &self.said)
    }

    /// Counts the votes of these seats.
    pub fn count(&self, seats: &[&Seat]) -> Count {
        let (cast, changes): (Vec<Vote>, Vec<Vec<Change>>) =
            seats.iter().filter_map(|seat| self.votes_of(&seat.id)).unzip();
        let mut changes: Vec<Change> = changes.into_iter().flatten().collect();
        changes.sort_by_key(|change| change.round);
        let reasons = cast.iter().filter_map(|vote| self.reason(vote)).collect();
        let (votes, abstentions) = self.counting.split(cast);
        Count { winner: self.rule.winner(self.plan, &votes), votes, abstentions, changes, reasons }
    }

    /// The last speech of a vote's seat for what its vote counts as: after an unearned flip, the one before.
    fn speech_for(&self, vote: &Vote) -> Option<&'t Speech> {
        let own = self.said.iter().rev().filter(|turn| *turn.seat() == vote.seat);
        own.filter_map(|turn| turn.speech()).find(|speech| speech.option().as_ref() == Some(&vote.counted))
    }

    fn reason(&self, vote: &Vote) -> Option<Reason> {
        let text = self.speech_for(vote)?.said().reason.unwrap_or_default();
        Some(Reason { seat: vote.seat.clone(), option: Some(vote.counted.clone()), stand: None, text })
    }

    /// How sure the seats are that carry the winner: what at least half of them say, or less.
    pub fn stated_confidence(&self, votes: &[Vote], winner: &OptionId) -> Confidence {
        let stated = |vote: &Vote| self.speech_for(vote).and_then(|speech| speech.said().confidence);
        let carrying = votes.iter().filter(|vote| vote.counted == *winner);
        let mut all: Vec<Confidence> = carrying.map(|vote| stated(vote).unwrap_or(Confidence::Medium)).collect();
        all.sort_by_key(|confidence| match confidence {
            Confidence::High => 2,
            Confidence::Medium => 1,
            Confidence::Low | Confidence::RequiresInput => 0,
        });
        all.get(all.len().saturating_sub(1) / 2).copied().unwrap_or(Confidence::Medium)
    }

    /// A ruling with what was counted, and as yet nothing else.
    pub fn ruling(&self, outcome: Outcome, count: Count) -> Ruling {
        let Count { votes, abstentions, changes, reasons, .. } = count;
        let basis = Basis::Votes(VoteCount { rule: self.rule, votes, changes });
        Ruling { rounds: self.round, basis, abstentions, reasons, ..Ruling::new(outcome) }
    }
}

/// What votes come to.
pub struct Count {
    /// The option that wins by the rule; none among fewer votes than its quorum.
    pub winner: Option<OptionId>,
    /// The votes that count.
    pub votes: Vec<Vote>,
    /// Seats that voted and do not count.
    pub abstentions: Vec<Abstention>,
    /// Every change on the way.
    pub changes: Vec<Change>,
    /// Each seat's reason for the vote that counts.
    pub reasons: Vec<Reason>,
}

impl Count {
    /// How many voted, whether they count or not.
    pub fn voted(&self) -> usize {
        self.votes.len() + self.abstentions.len()
    }

    /// What a seat gives as its reason.
    pub fn reason_of(&self, seat: &SeatId) -> Option<&str> {
        self.reasons.iter().find(|reason| reason.seat == *seat).map(|reason| reason.text.as_str())
    }

    /// The seats whose vote is for something else than the winner, in their own words.
    pub fn outvoted(&self, winner: &OptionId) -> Vec<Dissent> {
        let others = self.votes.iter().filter(|vote| vote.counted != *winner);
        let dissent = |vote: &Vote| Dissent {
            seat: vote.seat.clone(),
            option: Some(vote.counted.clone()),
            text: self.reason_of(&vote.seat).unwrap_or_default().to_owned(),
        };
        others.map(dissent).collect()
    }
}
