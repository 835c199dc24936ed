//! What a debate may cost before anybody is asked: calls, tokens and money as intervals, in all and by seat. Pure.
//!
//! About, and high at the top: every call repaired, every brief with everybody's longest words in it as often as the protocol
//! shows them, and no token read from a cache. No bound: programs add words of their own, and tokens are guessed from bytes.

use crate::budget;
use crate::run::mover_of;
use crate::workspace::{EngineError, Workspace};
use forge_agents::prices::{By, Price, Usage};
use forge_debate::brief::{self, Brief};
use forge_debate::cost::{self, StageCost};
use forge_debate::framing;
use forge_debate::plan::{Hand, Plan, SeatId};
use forge_debate::protocols::{self, Protocol};
use forge_debate::record::Ask;
use forge_debate::texts::Texts;
use std::collections::BTreeMap;

/// A token is about this many bytes of English: for the fewest.
const BYTES_PER_TOKEN: u64 = 4;
/// Tokens of a short, well-formed answer.
const SHORT_ANSWER_TOKENS: u64 = 300;

/// What a debate may cost.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// Calls by stage.
    pub stages: Vec<StageCost>,
    /// Calls in all.
    pub total: StageCost,
    /// Tokens in all, the fewest and the most.
    pub tokens: (u64, u64),
    /// Every seat that an agent moves.
    pub seats: Vec<SeatEstimate>,
    /// The briefs of the first wave.
    pub briefs: Vec<Brief>,
}

/// What one seat may cost.
#[derive(Debug, Clone)]
pub struct SeatEstimate {
    /// The seat.
    pub seat: SeatId,
    /// Who moves it.
    pub agent: String,
    /// Its calls, the fewest and the most.
    pub calls: (u32, u32),
    /// What is known about its price.
    pub price: Price,
    /// What it may cost, in millionths of a US dollar; none where no price is known.
    pub cost: Option<(u64, u64)>,
}

impl Estimate {
    /// What this plan may cost here.
    pub fn of(
        workspace: &Workspace,
        plan: &Plan,
        protocol: &Protocol,
        texts: &Texts,
        max_output_tokens: u32,
    ) -> Result<Self, EngineError> {
        let briefs = first_briefs(plan, protocol, texts)?;
        let mut stages = protocols::cost(plan);
        if framing::is_needed(plan) {
            stages.insert(0, StageCost::framing());
        }
        let total = cost::total(&stages);
        let sizes: Vec<usize> = briefs.iter().map(|brief| brief.text().len()).collect();
        let answer = u64::from(max_output_tokens);
        let smallest = sizes.iter().min().copied().unwrap_or(0) as u64;
        let least = Usage { input: smallest / BYTES_PER_TOKEN, output: SHORT_ANSWER_TOKENS, cached: 0 };
        let words_of_others = (plan.protocol.turns_shown)(plan) * answer * plan.seats.len() as u64;
        let largest = sizes.iter().max().copied().unwrap_or(0);
        let asked = |brief: u64| Usage { input: brief + words_of_others, output: answer, cached: 0 };
        // A repair shows the seat its own reply again.
        let repaired = |asked: Usage| Usage { input: asked.input + answer, ..asked };
        let (most, dear) = (asked(budget::estimate(largest)), asked(budget::estimate_dear(largest)));
        let one = |seat: &SeatId| {
            let Hand::Agent(agent) = mover_of(plan, seat) else { return None };
            let calls = cost::of_seat(&stages, seat);
            let price = workspace.roster.price(&agent, None);
            let cost = match &price {
                Price::Free => Some((0, 0)),
                Price::Priced(priced) => {
                    let times = |calls: u32, cost: u64| cost.saturating_mul(u64::from(calls));
                    let both = priced.cost(dear).saturating_add(priced.cost(repaired(dear)));
                    Some((times(calls.0, priced.cost(least)), times(calls.1, both)))
                }
                Price::Unknown => None,
            };
            Some(SeatEstimate { seat: seat.clone(), agent, calls, price, cost })
        };
        let seats = cost::seats(&stages).into_iter().filter_map(one).collect();
        let sum = |usage: Usage| usage.input.saturating_add(usage.output);
        let times = |calls: u32, tokens: u64| tokens.saturating_mul(u64::from(calls));
        let both = sum(most).saturating_add(sum(repaired(most)));
        let tokens = (times(total.min_calls, sum(least)), times(total.max_calls, both));
        Ok(Self { stages, total, tokens, seats, briefs })
    }

    /// What the seats with a price may cost together; none where no seat has one.
    pub fn cost(&self) -> Option<(u64, u64)> {
        let known = self.seats.iter().filter_map(|seat| seat.cost);
        known.reduce(|one, other| (one.0.saturating_add(other.0), one.1.saturating_add(other.1)))
    }

    /// Whether somebody is asked, and everybody who is is free.
    pub fn is_free(&self) -> bool {
        !self.seats.is_empty() && self.seats.iter().all(|seat| seat.price == Price::Free)
    }

    /// The agents that have no price, each once.
    pub fn without_price(&self) -> Vec<&str> {
        let mut agents: Vec<&str> = Vec::new();
        for seat in self.seats.iter().filter(|seat| seat.price == Price::Unknown) {
            if !agents.contains(&seat.agent.as_str()) {
                agents.push(&seat.agent);
            }
        }
        agents
    }

    /// Whose prices these are, each once, as receipts say it.
    pub fn priced_by(&self) -> Vec<&By> {
        let mut all: Vec<&By> = Vec::new();
        for seat in &self.seats {
            if let Price::Priced(priced) = &seat.price
                && !all.contains(&&priced.by)
            {
                all.push(&priced.by);
            }
        }
        all
    }
}

fn first_briefs(plan: &Plan, protocol: &Protocol, texts: &Texts) -> Result<Vec<Brief>, EngineError> {
    let nothing = BTreeMap::new();
    let mut asks: Vec<Ask> = protocols::first_asks(protocol, plan);
    if framing::is_needed(plan) {
        asks.insert(0, framing::ask());
    }
    asks.iter().map(|ask| Ok(brief::render(plan, ask, &nothing, texts)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_nobody_is_not_called_free() {
        let nobody =
            Estimate { stages: vec![], total: cost::total(&[]), tokens: (0, 0), seats: vec![], briefs: vec![] };
        assert!(!nobody.is_free());
    }
}
