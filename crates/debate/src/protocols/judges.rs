//! Three judges with fixed stances: risk, value, effort.
//!
//! A blind round; if enough judges agree it is over. Otherwise each reads all that was said so far, is asked to challenge
//! somebody, and may change its vote: that counts only if it cites an argument of another judge. What they come to:
//!
//! - *consensus* if enough of the votes that count are for one option, *contested* if not;
//! - *insufficient* if fewer than two votes count: one judge alone decides nothing;
//! - *contested* all the same if two or more spoke in a round of challenges and nobody challenged anybody: nobody tested
//!   that agreement ([`super::adversity`]).
//!
//! Who is silent in the first round has no seat in the later ones. Who is silent in a later one is left out of its count, and
//! asked again in the next. Any absence degrades the verdict. Where a grounded verdict is demanded, the vote of a judge who
//! quotes nothing of the supplied material does not count. Each judge keeps its stance: its form has a section for it.

mod asks;
mod convincing;
mod lists;
mod notes;
mod report;
mod written;

use super::Protocol;
use super::voters::Voters;
use crate::model::cost::StageCost;
use crate::model::plan::{Duty, Plan};
use crate::model::profile::{IdScheme, Place, Profile, ReportFile, Rounds, SeatSpec, Seats, StageFile};
use crate::model::ruling::Ruling;
use crate::model::turn::Stage;
use crate::model::voting::{Rule, Wins};
use crate::rules::blind::BlindVote;
use crate::rules::record::{Pending, Record};

/// The first, blind recommendation.
pub const OPENING: Stage = Stage("opening");
/// Reading the others, challenging them, revising or not.
pub const CHALLENGE: Stage = Stage("challenge");

const FIRST_ROUND: u16 = 1;
/// Fewer votes than this decide nothing.
const QUORUM: usize = 2;

/// The name as a value of the configuration, which is JSON.
pub(super) const SETTING: &str = "\"judges\"";

pub static PROTOCOL: Protocol = Protocol {
    blind_vote: |plan, heard, _| BlindVote::of_stage(plan, heard, OPENING),
    ..Protocol::new(PROFILE, deliberate)
};

const PROFILE: Profile = Profile {
    seats: Seats::Fixed(&[
        SeatSpec::new("risk", Duty::Debater),
        SeatSpec::new("value", Duty::Debater),
        SeatSpec::new("effort", Duty::Debater),
    ]),
    rounds: Rounds { default: 2, least: 1, most: 5 },
    has_least_rounds: true,
    defects: |plan| match plan.debaters().len() < QUORUM {
        true => vec![format!("judges needs at least {QUORUM} judges")],
        false => Vec::new(),
    },
    place: Place::Shared { place: "docs/forge", below: "sadd" },
    id_scheme: IdScheme::Slug,
    stages: &[StageFile::new(OPENING, "{seat}.md"), StageFile::new(CHALLENGE, "{seat}-r{round}.md")],
    reports: &[ReportFile::Result],
    completion: "{threshold} of the judges who spoke recommend one option, in round {min_rounds} or after at most {rounds} rounds; otherwise contested.",
    cost,
    turns_shown: |plan| u64::from(plan.limits.rounds.saturating_sub(1)).max(1),
    counts_by_plan: true,
    asks_person: true,
    settings: Some("debate_config"),
    ..Profile::new(
        "judges",
        "three judges (risk, value, effort) recommend one option each, blind; where they differ, they challenge each other",
    )
};

fn cost(plan: &Plan) -> Vec<StageCost> {
    let later = usize::from(plan.limits.rounds.saturating_sub(1));
    let least = usize::from(plan.limits.min_rounds.saturating_sub(1)).min(later);
    vec![
        StageCost::once("Round 1: independent recommendations", plan.debaters()),
        StageCost::each("Round 2 on: adversarial responses", plan.debaters(), least..=later, later),
    ]
}

fn deliberate(plan: &Plan, record: &mut Record<'_>) -> Result<Ruling, Pending> {
    let rule = Rule { wins: Wins::Threshold(plan.limits.threshold), quorum: QUORUM };
    let mut judges = Voters::seated(plan, rule, FIRST_ROUND, record.hear(|| asks::openings(plan))?);
    loop {
        // Who is silent in this round is left out of its count, and asked again in the next one, if there is one.
        let count = judges.count(&judges.present);
        let is_settled = count.winner.is_some() && judges.round >= plan.limits.min_rounds;
        // Too few who voted end it. Too few whose votes count do not: who quotes nothing yet may do so in the next round.
        if is_settled || count.voted() < QUORUM || judges.round >= plan.limits.rounds {
            return Ok(report::ruling(&judges, count, record));
        }
        let round = judges.round + 1;
        judges.add_round(round, record.hear(|| asks::challenges(&judges, round))?);
    }
}
