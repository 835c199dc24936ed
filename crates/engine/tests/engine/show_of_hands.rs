//! A protocol in one file: four seats raise their hands once, and most of them decide.

use forge_debate::ballot;
use forge_debate::ballot::Sentence;
use forge_debate::blind::BlindVote;
use forge_debate::cost::StageCost;
use forge_debate::form::{Form, Need, SectionRule, Shape};
use forge_debate::plan::{Duty, OptionId, Plan, SeatId};
use forge_debate::profile::{Profile, SeatSpec, Seats, StageFile};
use forge_debate::protocols::Protocol;
use forge_debate::protocols::parts;
use forge_debate::protocols::voters::Voters;
use forge_debate::record::{Ask, Pending, Reads, Record};
use forge_debate::turn::Stage;
use forge_debate::verdict::{Contest, Outcome, Ruling};
use forge_debate::voting::{Rule, Wins};

const HAND: Stage = Stage("hand");
const QUORUM: usize = 3;

ballot! {
    struct Hand {
        /// the id of the option that you raise your hand for
        option: OptionId,
        /// why, in a sentence
        reason: Sentence,
    }
}

const SECTIONS: &[SectionRule] = &[SectionRule {
    title: "Why My Hand Is Up",
    need: Need::Optional,
    shape: Shape::Text,
    hint: "One sentence from where you stand.",
}];

pub(crate) static PROTOCOL: Protocol = Protocol {
    blind_vote: |plan, heard, _| BlindVote::of_stage(plan, heard, HAND),
    sections: |_| SECTIONS,
    ..Protocol::new(PROFILE, deliberate)
};

const PROFILE: Profile = Profile {
    seats: Seats::Fixed(&[
        SeatSpec::new("north", Duty::Debater),
        SeatSpec::new("east", Duty::Debater),
        SeatSpec::new("south", Duty::Debater),
        SeatSpec::new("west", Duty::Debater),
    ]),
    plan_file: "plan.md",
    prompts: &[("hands/raise", "Raise your hand for one of {{ options | length }} options.\n")],
    stages: &[StageFile::new(HAND, "hands/{seat}.md")],
    completion: "Every hand was asked for once; more than half of those that are up decide.",
    cost: |plan| vec![StageCost::once("Hands", plan.debaters())],
    ..Profile::new("show-of-hands", "four seats raise their hands once, and most of them decide")
};

fn deliberate(plan: &Plan, record: &mut Record<'_>) -> Result<Ruling, Pending> {
    let seats = plan.debaters();
    let hands = record.hear(|| seats.iter().map(|seat| raise(&seat.id)).collect())?;
    let hands = Voters::seated(plan, Rule { wins: Wins::Majority, quorum: QUORUM }, 1, hands);
    let count = hands.count(&hands.seats);
    let winner = count.winner.clone();
    let dissents = winner.as_ref().map(|winner| count.outvoted(winner)).unwrap_or_default();
    let outcome = match (hands.is_quorate(), &winner) {
        (false, _) => Outcome::Insufficient,
        (true, Some(_)) => Outcome::Decided,
        (true, None) => Outcome::Contested,
    };
    let mut ruling = hands.ruling(outcome, count);
    if outcome == Outcome::Contested {
        ruling.leave_open(Contest::NoWinner);
    }
    (ruling.options, ruling.dissents) = (winner.into_iter().collect(), dissents);
    parts::settle(&mut ruling, record);
    Ok(ruling)
}

fn raise(seat: &SeatId) -> Ask {
    let form = Form::asking::<Hand>("hands/raise", SECTIONS);
    Ask::new(forge_debate::turn::TurnKey::new(HAND, 1, seat), Reads::Blind, form, "hands/raise")
}
