//! Does the outcome hang on one seat? And what would other ways of counting say?

use crate::model::plan::{OptionId, Plan, SeatId};
use crate::model::ruling::{Basis, Confidence, Outcome, Ruling};
use crate::model::turn::Turn;
use crate::model::voting::{Rule, Vote};
use crate::rules::tally;

/// Other usual ways of counting the same ballots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CountingRule {
    Plurality,
    /// Most approvals, where seats said what else they could live with; a vote approves its own option.
    Approval,
    /// Most votes, weighted by the seats' stated confidence: HIGH 3, MEDIUM 2, LOW 1.
    ConfidenceWeighted,
}

impl CountingRule {
    /// The word used in files and output.
    pub fn word(self) -> &'static str {
        match self {
            CountingRule::Plurality => "plurality",
            CountingRule::Approval => "approval",
            CountingRule::ConfidenceWeighted => "confidence-weighted",
        }
    }
}

/// What the outcome would be without one seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Without {
    /// The seat that is left out.
    pub seat: SeatId,
    /// The winner then, if there is one.
    pub winner: Option<OptionId>,
    /// Whether the outcome is the same without it.
    pub holds: bool,
    /// Whether enough are left without it to decide anything.
    pub is_quorate: bool,
}

/// What another way of counting says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleCount {
    /// The way of counting.
    pub rule: CountingRule,
    /// The option with most, or several that are even.
    pub top: Vec<OptionId>,
}

/// Whether the outcome survives leaving out any one seat, and other ways of counting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Robustness {
    /// The winner as the protocol counts, if there is one.
    pub winner: Option<OptionId>,
    /// Without each seat in turn.
    pub without: Vec<Without>,
    /// Other ways of counting.
    pub rules: Vec<RuleCount>,
    /// The winner if every vote counted as it was last cast, earned or not. Told, and not held against the verdict:
    /// seats that flip out of politeness must not be able to contest what they could not win.
    pub as_cast: Option<OptionId>,
}

impl Robustness {
    /// The evidence counted again. Where too little was said, and where one seat decides, there is nothing to count.
    pub fn of(plan: &Plan, ruling: &Ruling, turns: &[&Turn]) -> Option<Self> {
        match &ruling.basis {
            _ if ruling.outcome == Outcome::Insufficient => None,
            Basis::Votes(ballots) => Some(of_votes(plan, &ballots.votes, turns, ballots.rule)),
            Basis::Objections(confrontation) => Some(of_stands(confrontation.option.as_ref(), &confrontation.stands)),
            Basis::Checks | Basis::Nothing => None,
        }
    }

    /// The seats without which the outcome would be another.
    pub fn pivots(&self) -> Vec<&SeatId> {
        self.without.iter().filter(|without| !without.holds).map(|without| &without.seat).collect()
    }

    /// The ways of counting under which another option would win. Told, and not held against the verdict.
    pub fn disagreeing(&self) -> Vec<&RuleCount> {
        let Some(winner) = &self.winner else { return Vec::new() };
        self.rules.iter().filter(|count| !count.top.contains(winner)).collect()
    }

    /// Whether a winner depends on one seat, counted again by the same rule. Without a winner there is nothing that could
    /// break.
    pub fn is_fragile(&self) -> bool {
        self.winner.is_some() && !self.pivots().is_empty()
    }
}

/// The robustness of a vote. `votes` are those that count; `turns` are all turns heard, for confidence and approval.
pub fn of_votes(plan: &Plan, votes: &[Vote], turns: &[&Turn], rule: Rule) -> Robustness {
    let winner = rule.winner(plan, votes);
    let without = votes
        .iter()
        .enumerate()
        .map(|(left_out, vote)| {
            let mut others = votes.to_vec();
            others.remove(left_out);
            let then = rule.winner(plan, &others);
            let is_quorate = others.len() >= rule.quorum;
            Without { seat: vote.seat.clone(), holds: then == winner, winner: then, is_quorate }
        })
        .collect();
    let as_cast: Vec<Vote> = votes.iter().map(|vote| Vote { counted: vote.cast.clone(), ..vote.clone() }).collect();
    let as_cast = rule.winner(plan, &as_cast);
    Robustness { winner, without, rules: other_counts(plan, votes, turns), as_cast }
}

/// The robustness of a position that challengers attacked: each with whether its objections are settled. The position
/// stands when somebody challenged it and no objection is open; so one challenger is the quorum, and with a single one
/// everything hangs on it.
pub fn of_stands(option: Option<&OptionId>, stands: &[(SeatId, bool)]) -> Robustness {
    let settled = |left_out: Option<usize>| {
        let mut others = stands.iter().enumerate().filter(|(i, _)| Some(*i) != left_out).map(|(_, stand)| stand.1);
        others.clone().next().is_some() && others.all(|settled| settled)
    };
    let winner = |settled: bool| option.filter(|_| settled).cloned();
    let outcome = settled(None);
    let without = stands
        .iter()
        .enumerate()
        .map(|(i, (seat, _))| Without {
            seat: seat.clone(),
            winner: winner(settled(Some(i))),
            holds: settled(Some(i)) == outcome,
            is_quorate: stands.len() > 1,
        })
        .collect();
    Robustness { winner: winner(outcome), without, rules: Vec::new(), as_cast: winner(outcome) }
}

/// What the other ways of counting say; nothing where nobody voted.
fn other_counts(plan: &Plan, votes: &[Vote], turns: &[&Turn]) -> Vec<RuleCount> {
    if votes.is_empty() {
        return Vec::new();
    }
    let ballots: Vec<WeighedVote> = votes.iter().map(|vote| WeighedVote::of(plan, vote, turns)).collect();
    let most = |rule: CountingRule, weight: &dyn Fn(&WeighedVote, &OptionId) -> u32| {
        let weights: Vec<(&OptionId, u32)> = plan
            .options
            .iter()
            .map(|option| (&option.id, ballots.iter().map(|ballot| weight(ballot, &option.id)).sum()))
            .collect();
        let highest = weights.iter().map(|(_, weight)| *weight).max().unwrap_or(0);
        let top = weights.into_iter().filter(|(_, weight)| *weight > 0 && *weight == highest);
        RuleCount { rule, top: top.map(|(id, _)| id.clone()).collect() }
    };
    let mut counts = vec![most(CountingRule::Plurality, &|ballot, id| u32::from(ballot.counted == *id))];
    if ballots.iter().any(|ballot| ballot.said_what_it_approves) {
        counts.push(most(CountingRule::Approval, &|ballot, id| u32::from(ballot.approves.contains(id))));
    }
    counts.push(most(CountingRule::ConfidenceWeighted, &|ballot, id| {
        if ballot.counted == *id { ballot.confidence } else { 0 }
    }));
    counts
}

/// What the other ways of counting need of a vote, from the turn whose vote counts.
struct WeighedVote {
    counted: OptionId,
    confidence: u32,
    approves: Vec<OptionId>,
    said_what_it_approves: bool,
}

impl WeighedVote {
    fn of(plan: &Plan, vote: &Vote, turns: &[&Turn]) -> Self {
        let speech = turns
            .iter()
            .rev()
            .filter(|turn| *turn.seat() == vote.seat && tally::is_own_vote(plan, turn))
            .filter_map(|turn| turn.speech())
            .find(|speech| speech.option().as_ref() == Some(&vote.counted));
        let said = speech.map(|speech| speech.said()).unwrap_or_default();
        let mut approves: Vec<OptionId> = said
            .approves
            .iter()
            .filter_map(|id| plan.option_meant(id.as_str()))
            .map(|option| option.id.clone())
            .collect();
        let said_what_it_approves = !approves.is_empty();
        approves.push(vote.counted.clone());
        let confidence = match said.confidence {
            Some(Confidence::High) => 3,
            Some(Confidence::Low) => 1,
            // A seat that does not say how sure it is counts as neither sure nor unsure.
            Some(Confidence::Medium | Confidence::RequiresInput) | None => 2,
        };
        Self { counted: vote.counted.clone(), confidence, approves, said_what_it_approves }
    }
}
