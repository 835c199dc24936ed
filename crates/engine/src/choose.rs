//! Who sits where when nobody was named: agents of different model families in different seats.
//!
//! Pure: it is given what was found and gives back hands, the same ones for the same input, whatever the order of chance
//! or time. It never seats an agent that was not given to it, and never leaves a seat without a hand: with no agent at
//! all the rehearsal sits everywhere, which is labelled.

use forge_agents::finding::{Found, Kind};
use forge_debate::family;
use forge_debate::plan::{Duty, Hand, REHEARSAL, SeatId};
use forge_debate::profile::Profile;
use std::collections::BTreeMap;

/// An agent that may be seated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The name under which it is seated, such as `claude` or `openai:gpt-5`.
    pub name: String,
    /// Whose weights it runs on, where that can be told.
    pub family: Option<String>,
    /// How it is reached: within a family the nearer one is taken.
    pub kind: Kind,
    /// What a reader should know: program, version, how it authenticates.
    pub about: String,
}

impl Candidate {
    /// What was found, if it can be seated without being named.
    pub fn of(found: &Found) -> Option<Self> {
        found.is_usable().then(|| Self {
            name: found.seated_as(),
            family: found.family.clone(),
            kind: found.kind,
            about: found.about(),
        })
    }

    /// The word under which agents share their errors: the family, or the agent itself where nobody knows it.
    fn group(&self) -> &str {
        self.family.as_deref().unwrap_or(&self.name)
    }
}

/// Who sits where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// A hand for every seat that was asked for, in that order.
    pub seats: Vec<(SeatId, Hand)>,
    /// The family that sits everywhere, where there is only one. Whether the protocol allows that is the plan's affair.
    pub one_family: Option<String>,
    /// The families of agents whose names do not tell them, by the names before any colon, for the plan.
    pub stated_families: BTreeMap<String, String>,
}

impl Chosen {
    /// Whether no agent was found, so that the rehearsal sits everywhere.
    pub fn is_rehearsal(&self) -> bool {
        self.seats.iter().all(|(_, hand)| hand.is_rehearsal())
    }
}

/// Puts a hand into every seat.
pub fn seat_agents(candidates: &[Candidate], protocol: &Profile, seats: &[(SeatId, Duty)]) -> Chosen {
    let bests = best_of_each_family(candidates);
    if bests.is_empty() {
        let hand = Hand::Agent(REHEARSAL.to_owned());
        let seats = seats.iter().map(|(seat, _)| (seat.clone(), hand.clone())).collect();
        let stated_families = BTreeMap::new();
        return Chosen { seats, one_family: None, stated_families };
    }
    let mut chosen: Vec<Option<usize>> = vec![None; seats.len()];
    if protocol.families_differ {
        seat_families(&bests, protocol, seats, &mut chosen);
    }
    for index in with_duties(seats, &[Duty::Lead, Duty::Debater]) {
        if chosen[index].is_none() {
            chosen[index] = least_seated(&bests, &chosen, |_| true);
        }
    }
    // Who reads what the others wrote should have written little of it, and must be able to read much.
    let reads_much = |best: usize| bests[best].kind != Kind::Local || bests.iter().all(|one| one.kind == Kind::Local);
    for index in with_duties(seats, &[Duty::Synthesizer, Duty::Referee]) {
        chosen[index] = least_seated(&bests, &chosen, reads_much);
    }
    let seats: Vec<(SeatId, Hand)> = seats
        .iter()
        .zip(&chosen)
        // The framer and the seat that answers alone get the best.
        .map(|((seat, _), best)| (seat.clone(), Hand::Agent(bests[best.unwrap_or(0)].name.clone())))
        .collect();
    let one_family = match bests.as_slice() {
        [only] if seats.len() > 1 => Some(only.group().to_owned()),
        _ => None,
    };
    Chosen { seats, one_family, stated_families: stated_families(&bests) }
}

/// What `challenge` can be held with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nobody can challenge the lead from another model family.
    Disabled,
    /// One challenger of another family.
    Minimal,
    /// Challengers of two other families.
    Functional,
    /// Each of the three challengers of another family, none of them the lead's.
    Optimal,
}

impl Level {
    /// The level that these agents make: how many families are there besides the one that leads. Agents whose family
    /// nobody knows count as one each.
    pub fn of(candidates: &[Candidate]) -> Self {
        match best_of_each_family(candidates).len() {
            0 | 1 => Level::Disabled,
            2 => Level::Minimal,
            3 => Level::Functional,
            _ => Level::Optimal,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Level::Disabled => "DISABLED",
            Level::Minimal => "MINIMAL",
            Level::Functional => "FUNCTIONAL",
            Level::Optimal => "OPTIMAL",
        }
    }

    /// What it means, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Level::Disabled => "nobody of another model family than the lead's can challenge it",
            Level::Minimal => "one model family challenges the lead",
            Level::Functional => "two model families challenge the lead",
            Level::Optimal => "architect, operator and adversary each run on a model family of their own",
        }
    }
}

/// One line for each hand: its seats, and what it is. For none: how to get a real model.
pub fn explain(seating: &Chosen, candidates: &[Candidate]) -> Vec<String> {
    if seating.is_rehearsal() {
        return vec![format!("no agent was found, so a rehearsal speaks, which knows nothing. {HOW_TO_GET_ONE}")];
    }
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for (seat, hand) in &seating.seats {
        let name = hand.to_string();
        match lines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, seats)) => seats.push(seat.as_str()),
            None => lines.push((name, vec![seat.as_str()])),
        }
    }
    let about = |name: &str| {
        let known = candidates.iter().find(|candidate| candidate.name == name);
        known.map(|candidate| format!(" ({})", candidate.about)).unwrap_or_default()
    };
    let mut lines: Vec<String> =
        lines.iter().map(|(name, seats)| format!("{}: {name}{}", seats.join(", "), about(name))).collect();
    if let Some(family) = &seating.one_family {
        lines.push(format!(
            "all seats run on one model family ({family}): they share its errors. `forge agents` says how to get another"
        ));
    }
    lines
}

/// How to get a real model, in one line.
pub const HOW_TO_GET_ONE: &str = "For a real debate install and log in to an agent CLI (claude, codex, gemini, qwen), or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or start Ollama; `forge agents` shows how";

/// The agents in the order in which they are preferred, one of each family: the user's own, agent CLIs, APIs, servers on
/// this machine, and last those whose family nobody knows.
fn best_of_each_family(candidates: &[Candidate]) -> Vec<&Candidate> {
    let mut sorted: Vec<&Candidate> = candidates.iter().collect();
    sorted.sort_by_key(|candidate| (candidate.family.is_none(), candidate.kind));
    let mut bests: Vec<&Candidate> = Vec::new();
    for candidate in sorted {
        if bests.iter().all(|best| best.group() != candidate.group()) {
            bests.push(candidate);
        }
    }
    bests
}

/// The lead first, then the challengers whose seats prefer a family, then the rest; never the lead's family where there
/// is another.
fn seat_families(bests: &[&Candidate], protocol: &Profile, seats: &[(SeatId, Duty)], chosen: &mut [Option<usize>]) {
    let at_place = |index: usize| {
        let place = protocol.fixed_seats().iter().find(|place| place.id == seats[index].0.as_str())?;
        bests.iter().position(|best| best.family.is_some() && best.family.as_deref() == place.family)
    };
    let lead = with_duties(seats, &[Duty::Lead]).next();
    let leading = lead.map(|lead| at_place(lead).unwrap_or(0));
    if let (Some(lead), Some(leading)) = (lead, leading) {
        chosen[lead] = Some(leading);
    }
    let challenges = |best: usize| bests.len() == 1 || leading != Some(best);
    for index in with_duties(seats, &[Duty::Debater]) {
        chosen[index] = at_place(index).filter(|best| challenges(*best));
    }
    for index in with_duties(seats, &[Duty::Debater]) {
        if chosen[index].is_none() {
            chosen[index] = least_seated(bests, chosen, challenges);
        }
    }
}

/// The agent with the fewest seats so far among those that may sit there, the preferred one of equals.
fn least_seated(bests: &[&Candidate], chosen: &[Option<usize>], may: impl Fn(usize) -> bool) -> Option<usize> {
    let seated = |best: usize| chosen.iter().filter(|one| **one == Some(best)).count();
    (0..bests.len()).filter(|best| may(*best)).min_by_key(|best| (seated(*best), *best))
}

fn with_duties<'s>(seats: &'s [(SeatId, Duty)], duties: &'s [Duty]) -> impl Iterator<Item = usize> + 's {
    seats.iter().enumerate().filter(|(_, (_, duty))| duties.contains(duty)).map(|(index, _)| index)
}

/// What a plan cannot tell from the names.
fn stated_families(bests: &[&Candidate]) -> BTreeMap<String, String> {
    let untold = bests.iter().filter(|best| family::of_hand(&Hand::Agent(best.name.clone())) != best.family);
    let program = |name: &str| name.split(':').next().unwrap_or(name).to_owned();
    untold.filter_map(|best| Some((program(&best.name), best.family.clone()?))).collect()
}
