//! Three judges with fixed stances: risk, value, effort.
//!
//! A blind round; if enough agree it is over. Otherwise each reads the others, must challenge, may revise with a reason.
//! A judge who is absent is left out of that round's count with a note; one judge alone decides nothing. A round without a
//! single challenge settles nothing, and where a grounded verdict is demanded a judge who quotes nothing abstains. Each judge
//! keeps its stance: its form has a section for it.

mod convincing;
mod lists;
mod notes;
mod written;

use super::parts::{self, Counting};
use super::{Protocol, adversity};
use crate::ballot::Ballot;
use crate::blind::BlindVote;
use crate::cost::StageCost;
use crate::datum::Datum;
use crate::fact::Note;
use crate::form::{Form, Handwriting, Need, Rail, SectionRule, Shape};
use crate::plan::{Duty, OptionId, Plan, Seat, SeatId};
use crate::profile::{IdScheme, Place, Profile, ReportFile, Rounds, SeatSpec, Seats, StageFile};
use crate::record::{Ask, Pending, Record, blind};
use crate::robustness::{self, Rule, Wins};
use crate::tally;
use crate::turn::{Argument, Stage, Turn, TurnKey};
use crate::verdict::{Contest, Missing, Outcome, Verdict};
use crate::votes::{Response, Vote};
use std::sync::Arc;

/// The first, blind recommendation.
pub const OPENING: Stage = Stage("opening");
/// Reading the others, challenging them, revising or not.
pub const CHALLENGE: Stage = Stage("challenge");

/// Fewer judges than this decide nothing.
const QUORUM: usize = 2;

const OPENING_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Assessment",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "Each option in turn, from your stance: what speaks for it, what against.",
    },
    SectionRule {
        title: "Recommendation",
        need: Need::Optional,
        shape: Shape::Read(parts::NAMES_OPTION),
        hint: "The one option you recommend and the ground that decides it.",
    },
];

const CHALLENGE_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Challenges",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "What is wrong with the other positions, specifically.",
    },
    SectionRule {
        title: "Position",
        need: Need::Optional,
        shape: Shape::Read(parts::NAMES_OPTION),
        hint: "Your recommendation now; if it changed, exactly what convinced you.",
    },
];

const RISK_STANCE: &str = "What Can Go Wrong";
const VALUE_STANCE: &str = "What Is Lost";
const EFFORT_STANCE: &str = "What It Costs";

/// The section in which a judge keeps its stance, by its role.
fn stance(plan: &Plan, judge: &Seat) -> Option<SectionRule> {
    let (title, hint) = match judge.role.as_str() {
        "risk" => (RISK_STANCE, "What can go wrong with the option you recommend yourself: at least one entry."),
        "value" => (VALUE_STANCE, "What is lost by the options you reject, and by whom: at least one entry."),
        "effort" => {
            (EFFORT_STANCE, "What the option you recommend costs in time, money and attention: at least one entry.")
        }
        _ => return None,
    };
    let need = if plan.demands.stances { Need::Required } else { Need::Optional };
    Some(SectionRule { title, need, shape: Shape::Text, hint })
}

/// The name as JSON.
pub(super) const SETTING: &str = "\"judges\"";

struct Judges;

pub static PROTOCOL: Protocol = Protocol {
    blind_vote: |plan, heard, _| BlindVote::of_stage(plan, heard, OPENING),
    ..Protocol::new(PROFILE, |plan, record| Judges.deliberate(plan, record))
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
        StageCost::each("Round 2 on: adversarial responses", plan.debaters(), least, later, later),
    ]
}

impl Judges {
    fn deliberate(&self, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
        let judges = plan.debaters();
        let mut counting = Counting::after(plan, &[]);
        let openings = judges.iter().map(|judge| self.opening(plan, judge, &counting)).collect();
        let mut said: Vec<&Turn> = record.hear(openings)?;
        // Who gave an opening keeps its seat; who is silent in a later round is left out of that round's count.
        let opened: Vec<&Seat> = speakers(&judges, &said, OPENING, 1);
        let mut sitting = opened.clone();
        let mut round = 1;
        loop {
            let present: Vec<&SeatId> = sitting.iter().map(|seat| &seat.id).collect();
            let (cast, changes) = parts::votes(plan, &present, &said);
            let reasons = parts::reasons(&cast, &said);
            let too_few_speak = cast.len() < QUORUM;
            counting = Counting::after(plan, &said);
            let (votes, abstentions) = counting.split(cast);
            let too_few = votes.len() < QUORUM;
            let agreed = tally::agreed(plan, &votes, plan.limits.threshold, votes.len()).filter(|_| !too_few);
            let is_agreed = agreed.is_some() && round >= plan.limits.min_rounds;
            // A judge who quotes nothing yet may do so in the next round; a round with one judge is none.
            if too_few_speak || is_agreed || round >= plan.limits.rounds {
                let mut verdict = Verdict::new(match (&agreed, too_few) {
                    (_, true) => Outcome::Insufficient,
                    (Some(_), false) => Outcome::Consensus,
                    (None, false) => Outcome::Contested,
                });
                if verdict.outcome == Outcome::Contested {
                    verdict.leave_open(Contest::NoWinner);
                }
                verdict.rounds = round;
                verdict.reasons = reasons;
                if let Some(option) = agreed {
                    verdict.dissents = parts::outvoted(&votes, &option, &verdict.reasons);
                    verdict.confidence = parts::stated_confidence(&votes, &option, &said);
                    verdict.options = vec![option];
                }
                if !too_few {
                    let rule = Rule { wins: Wins::Threshold(plan.limits.threshold), quorum: QUORUM };
                    verdict.robustness = Some(robustness::of_votes(plan, &votes, &said, rule));
                } else if !too_few_speak {
                    verdict.note(notes::too_few_quote(votes.len(), present.len(), QUORUM));
                }
                let ungrounded = changes.iter().filter(|change| change.is_undocumented());
                ungrounded.for_each(|change| verdict.note(notes::ungrounded_change(change)));
                verdict.votes = votes;
                verdict.changes = changes;
                verdict.abstentions = abstentions;
                let found = adversity::unchallenged(plan, CHALLENGE, &said);
                adversity::hold_against(plan, &mut verdict, found);
                parts::settle(&mut verdict, record);
                note_absences(&mut verdict, &judges, &said);
                return Ok(verdict);
            }
            round += 1;
            let argued = arguments(&said);
            let ask = |judge: &&Seat| self.challenge(plan, judge, round, &said, &counting, Arc::clone(&argued));
            let asks = opened.iter().map(ask).collect();
            said.extend(record.hear(asks)?);
            sitting = speakers(&opened, &said, CHALLENGE, round);
        }
    }

    fn opening(&self, plan: &Plan, judge: &Seat, counting: &Counting) -> Ask {
        let form = Form::asking::<Vote>("judges/opening", OPENING_SECTIONS).rail(parts::no_stamp(&judge.id, &[]));
        let form = self.completed(form, plan, judge, counting, handwriting(1, None, Arc::from([])));
        Ask::new(parts::key(OPENING, 1, judge), blind(), form, "judges/opening")
    }

    fn challenge(
        &self,
        plan: &Plan,
        judge: &Seat,
        round: u16,
        said: &[&Turn],
        counting: &Counting,
        argued: Arc<[(SeatId, Argument)]>,
    ) -> Ask {
        let form = Form::asking::<Response>("judges/challenge", CHALLENGE_SECTIONS)
            .rail(parts::no_stamp(&judge.id, said))
            .rail(parts::owes_challenge(plan, &judge.id, said));
        let held = parts::held(plan, &judge.id, said);
        let mut form = self.completed(form, plan, judge, counting, handwriting(round, held.clone(), argued));
        if let Some(from) = held.clone().filter(|_| plan.demands.documented_changes) {
            form = form.rail(Rail::ChangeNeedsCause { from, citable: parts::citable(&judge.id, said) });
        }
        let held = held.map(|option| plan.option_name(&option)).unwrap_or_default();
        Ask::new(parts::key(CHALLENGE, round, judge), parts::seeing(&judge.id, said), form, "judges/challenge")
            .fact("held", held)
            .fact("needs_ground", Datum::Flag(plan.demands.documented_changes))
    }

    /// The form with the judge's stance, with what is asked for beside the vote, and with how files are read.
    fn completed(&self, form: Form, plan: &Plan, judge: &Seat, counting: &Counting, written: Handwriting) -> Form {
        let form = parts::beside_vote(form, plan, &judge.id, counting);
        stance(plan, judge).into_iter().fold(form, Form::section).handwritten(written)
    }
}

/// All that these turns argue, with whose it is. Every seat's form of a round shares it.
fn arguments(said: &[&Turn]) -> Arc<[(SeatId, Argument)]> {
    let argued = said.iter().flat_map(|turn| {
        let made = turn.speech().map(|speech| speech.arguments()).unwrap_or_default();
        made.into_iter().map(|argument| (turn.seat().clone(), argument))
    });
    argued.collect()
}

/// How a judge's file is read that somebody wrote by hand.
fn handwriting(round: u16, held: Option<OptionId>, arguments: Arc<[(SeatId, Argument)]>) -> Handwriting {
    Handwriting {
        round,
        held,
        arguments,
        titles: written::TITLES,
        fields: written::JudgeFile::FIELDS,
        read: written::read,
    }
}

/// Those of `seats` who spoke in this round.
fn speakers<'p>(seats: &[&'p Seat], said: &[&Turn], stage: Stage, round: u16) -> Vec<&'p Seat> {
    let spoke = |seat: &Seat| {
        let key = TurnKey::new(stage, round, &seat.id);
        said.iter().any(|turn| turn.key == key && turn.speech().is_some())
    };
    seats.iter().filter(|seat| spoke(seat)).copied().collect()
}

/// Who was absent is told first.
fn note_absences(verdict: &mut Verdict, judges: &[&Seat], said: &[&Turn]) {
    let note = |missing: &Missing| {
        let left = speakers(judges, said, missing.key.stage, missing.key.round).len();
        notes::judge_absent(missing, left)
    };
    let absences: Vec<Note> = verdict.missing.iter().map(note).collect();
    verdict.notes.splice(0..0, absences);
}
