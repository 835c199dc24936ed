//! Hard caps, kept by reservation: a call is made only after its worst case was set aside.
//!
//! The reservation of a call is its brief on disk, written before the call. So the caps hold after a crash too: what
//! an ended run may have spent is read back from its briefs, and from what is kept outside of the folder.

use crate::ledger::{Kept, Ledger, Used};
use crate::workspace::{EngineError, Workspace};
use forge_agents::Roster;
use forge_agents::prices::{Price, Usage};
use forge_artifacts::formats::call::charged;
use forge_artifacts::formats::money;
use forge_artifacts::store::DebateFiles;
use forge_debate::plan::{Hand, Limits, Plan, REHEARSAL, SCRIPTED};
use std::sync::{Mutex, PoisonError};

/// Tokens that an answer may have at most, where nothing else is said. Models that think first need many.
pub const MAX_OUTPUT_TOKENS: u32 = 8192;
/// A token of ordinary text is more bytes than this.
const BYTES_PER_TOKEN: u64 = 3;
/// Where money is at stake: digits, hexadecimal and scripts without spaces have fewer bytes to the token.
const DEAR_BYTES_PER_TOKEN: u64 = 2;

/// What may still be spent in this debate.
pub(crate) struct Budget {
    max_calls: Option<u32>,
    max_tokens: Option<u64>,
    max_cost: Option<u64>,
    max_output_tokens: u32,
    used: Mutex<Counts>,
    /// Where the count is kept; nowhere if nothing is capped.
    ledger: Option<Ledger>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Spent or set aside.
    used: Used,
    /// The same of calls whose brief is on disk, with and without those under way.
    kept: Kept,
}

/// What was set aside for one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reservation {
    pub(crate) tokens: u64,
    /// In millionths of a US dollar; none where the call has no price.
    pub(crate) cost: Option<u64>,
}

impl Budget {
    /// The budget of a debate, less what was spent in all runs so far.
    pub(crate) fn of(
        workspace: &Workspace,
        files: &DebateFiles,
        limits: &Limits,
        max_output_tokens: u32,
    ) -> Result<Self, EngineError> {
        let Limits { max_calls, max_tokens, max_cost, .. } = *limits;
        let is_capped = max_calls.is_some() || max_tokens.is_some() || max_cost.is_some();
        let used = match is_capped {
            true => workspace.spent(files, (max_tokens.is_some(), max_cost.is_some()))?,
            false => Used::default(),
        };
        let given = if is_capped { workspace.spent_by_forks(files)? } else { Used::default() };
        let ledger = if is_capped { workspace.ledger(files) } else { None };
        let used = Mutex::new(Counts { used: used + given, kept: Kept { made: used, settled: used } });
        Ok(Self { max_calls, max_tokens, max_cost, max_output_tokens, used, ledger })
    }

    /// The most tokens that one answer may have.
    pub(crate) fn max_output_tokens(&self) -> u32 {
        self.max_output_tokens
    }

    /// Sets a call's worst case aside, or says which cap it would break.
    pub(crate) fn reserve(&self, brief_bytes: usize, price: &Price) -> Result<Reservation, String> {
        let worst = Usage { input: estimate(brief_bytes), output: u64::from(self.max_output_tokens), cached: 0 };
        let tokens = worst.input.saturating_add(worst.output);
        let cost = match price {
            Price::Priced(priced) => Some(priced.cost(Usage { input: estimate_dear(brief_bytes), ..worst })),
            Price::Free => None,
            Price::Unknown if self.max_cost.is_some() => {
                return Err("no price is known for this call, so --max-cost cannot be kept".to_owned());
            }
            Price::Unknown => None,
        };
        let used = &mut self.used.lock().unwrap_or_else(PoisonError::into_inner).used;
        if let Some(max) = self.max_calls
            && used.calls >= max
        {
            return Err(format!("all {max} calls of --max-calls are used"));
        }
        if let Some(max) = self.max_tokens
            && used.tokens.saturating_add(tokens) > max
        {
            return Err(format!(
                "this call may need {tokens} tokens; {} of --max-tokens {max} are used or set aside",
                used.tokens
            ));
        }
        if let (Some(max), Some(cost)) = (self.max_cost, cost)
            && used.cost.saturating_add(cost) > max
        {
            return Err(format!(
                "this call may cost {} USD; {} of --max-cost {} are used or set aside",
                money::plain(cost),
                money::plain(used.cost),
                money::plain(max)
            ));
        }
        used.calls = used.calls.saturating_add(1);
        used.tokens = used.tokens.saturating_add(tokens);
        used.cost = used.cost.saturating_add(cost.unwrap_or(0));
        Ok(Reservation { tokens, cost })
    }

    /// The brief of a reserved call is on disk: the call is about to be made.
    pub(crate) fn keep(&self, reservation: Reservation) {
        let counts = &mut *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let set_aside = Used { calls: 1, tokens: reservation.tokens, cost: reservation.cost.unwrap_or(0) };
        counts.kept.made = counts.kept.made + set_aside;
        self.write(counts.kept);
    }

    /// Replaces a reservation by what was used and what it cost, as far as that is known. What is not known stays set aside,
    /// once for every try that may have been paid.
    pub(crate) fn settle(&self, reservation: Reservation, tokens: Option<u64>, cost: Option<u64>, untold_tries: u32) {
        let counts = &mut *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let set_aside = reservation.cost.unwrap_or(0);
        let tokens = charged(tokens, reservation.tokens, untold_tries);
        let cost = charged(cost, set_aside, untold_tries);
        counts.kept.settled = counts.kept.settled + Used { calls: 1, tokens, cost };
        for one in [&mut counts.used, &mut counts.kept.made] {
            one.tokens = one.tokens.saturating_sub(reservation.tokens).saturating_add(tokens);
            one.cost = one.cost.saturating_sub(set_aside).saturating_add(cost);
        }
        self.write(counts.kept);
    }

    fn write(&self, kept: Kept) {
        if let Some(ledger) = &self.ledger {
            ledger.write(kept);
        }
    }
}

/// Tokens of a text, estimated high.
pub(crate) fn estimate(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

/// The same where money is at stake, estimated higher.
pub(crate) fn estimate_dear(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(DEAR_BYTES_PER_TOKEN)
}

/// Whether nobody is asked at all: what such an agent costs is not worth a word.
pub(crate) fn is_stand_in(agent: &str) -> bool {
    agent == REHEARSAL || agent.starts_with(SCRIPTED)
}

/// Whether a cap on money can be kept: only a call that has a price can be held against it.
pub(crate) fn check_prices(roster: &Roster, plan: &Plan, max_cost: Option<u64>) -> Result<(), EngineError> {
    if max_cost.is_none() {
        return Ok(());
    }
    let unpriced = |hand: &Hand| match hand {
        Hand::Agent(name) if roster.price(name, None) == Price::Unknown => Some(name.clone()),
        _ => None,
    };
    let mut agents: Vec<String> = plan.seats.iter().filter_map(|seat| unpriced(&seat.hand)).collect();
    agents.sort();
    agents.dedup();
    let Some(first) = agents.first() else { return Ok(()) };
    let seats = |agent: &String| {
        let seats = plan.seats.iter().filter(|seat| seat.hand.to_string() == *agent).map(|seat| seat.id.as_str());
        format!("{agent} ({})", seats.collect::<Vec<_>>().join(", "))
    };
    let names: Vec<String> = agents.iter().map(seats).collect();
    // An agent that names no model may well have one with a price.
    let plain: Vec<String> =
        agents.iter().filter(|agent| !agent.contains(':')).map(|agent| format!("{agent}:MODEL")).collect();
    let model = if plain.is_empty() {
        String::new()
    } else {
        format!("; or name a model that is on the list ({})", plain.join(", "))
    };
    Err(EngineError::Usage(format!(
        "a cap on money (--max-cost, or max_cost in the configuration) cannot be kept: no price is known for {}. Either say what it costs, in US dollars per million tokens, in your own configuration: \"prices\": {{\"{first}\": {{\"input\": 1.25, \"output\": 10}}}}{model}; or seat another agent; or cap tokens instead: --max-tokens N",
        names.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forge_agents::RosterSettings;
    use forge_agents::prices::Rates;
    use proptest::prelude::*;

    fn budget(max_cost: u64) -> Budget {
        Budget {
            max_calls: None,
            max_tokens: None,
            max_cost: Some(max_cost),
            max_output_tokens: 1000,
            used: Mutex::default(),
            ledger: None,
        }
    }

    fn price(input: u64, output: u64) -> Price {
        let prices = [("x".to_owned(), Rates { input, output, cached_input: input })].into();
        Roster::new(RosterSettings { prices, ..RosterSettings::default() }).price("x", None)
    }

    #[test]
    fn what_has_no_price_is_not_reserved_under_a_cap() {
        let budget = budget(1_000_000);
        assert!(budget.reserve(30, &Price::Unknown).is_err());
        assert_eq!(budget.reserve(30, &Price::Free).unwrap().cost, None);
        // 15 tokens at 1 dollar a million, 1000 at 2: rounded up once.
        assert_eq!(budget.reserve(30, &price(1_000_000, 2_000_000)).unwrap().cost, Some(2015));
        assert_eq!(budget.reserve(30, &price(50_000, 0)).unwrap().cost, Some(1), "half a millionth is one");
    }

    #[test]
    fn what_is_not_told_stays_set_aside() {
        let budget = budget(5000);
        let price = price(1_000_000, 2_000_000);
        let first = budget.reserve(30, &price).unwrap();
        let second = budget.reserve(30, &price).unwrap();
        assert!(budget.reserve(30, &price).is_err(), "two of 2015 leave 970");
        budget.settle(first, None, None, 0);
        assert!(budget.reserve(30, &price).is_err());
        budget.settle(second, Some(10), Some(7), 0);
        assert!(budget.reserve(30, &price).is_ok());
        assert!(budget.reserve(30, &price).is_err());
    }

    /// A try that was cut off may have been paid like a whole one, whatever the next one tells.
    #[test]
    fn tries_that_told_nothing_stay_set_aside() {
        let budget = budget(10_000);
        let price = price(1_000_000, 2_000_000);
        let one = budget.reserve(30, &price).unwrap();
        budget.settle(one, Some(10), Some(7), 2);
        assert_eq!(budget.used.lock().unwrap().used.cost, 7 + 2 * 2015);
        assert_eq!(budget.used.lock().unwrap().used.tokens, 10 + 2 * 1010);
        let one = budget.reserve(30, &price).unwrap();
        budget.settle(one, None, None, 2);
        assert_eq!(budget.used.lock().unwrap().used.cost, 7 + 4 * 2015);
    }

    #[derive(Debug, Clone)]
    enum Step {
        Reserve { bytes: usize, price: usize },
        Settle { which: usize, share: Option<u64> },
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0usize..20_000, 0usize..3).prop_map(|(bytes, price)| Step::Reserve { bytes, price }),
            (any::<usize>(), proptest::option::of(0u64..=100)).prop_map(|(which, share)| Step::Settle { which, share }),
        ]
    }

    proptest! {
        /// In whatever order calls begin and end: what is set aside and what was spent never exceed the cap together, as
        /// long as no call costs more than was set aside for it.
        #[test]
        fn the_cap_is_never_exceeded(max in 0u64..60_000, steps in proptest::collection::vec(step(), 0..60)) {
            let budget = budget(max);
            let prices = [price(1_000_000, 2_000_000), price(333_333, 7), price(9_999_999, 0)];
            let mut open: Vec<Reservation> = Vec::new();
            let (mut spent, mut kept) = (0u64, 0u64);
            for step in steps {
                match step {
                    Step::Reserve { bytes, price } => open.extend(budget.reserve(bytes, &prices[price]).ok()),
                    Step::Settle { which, share } if !open.is_empty() => {
                        let one = open.swap_remove(which % open.len());
                        let reserved = one.cost.unwrap_or(0);
                        let cost = share.map(|share| reserved * share / 100);
                        budget.settle(one, None, cost, 0);
                        match cost {
                            Some(cost) => spent += cost,
                            None => kept += reserved,
                        }
                    }
                    Step::Settle { .. } => {}
                }
                let set_aside: u64 = open.iter().filter_map(|one| one.cost).sum();
                prop_assert!(spent + kept + set_aside <= max);
                prop_assert_eq!(budget.used.lock().unwrap().used.cost, spent + kept + set_aside);
            }
        }
    }
}
