//! A lead holds a position; challengers from different angles attack it.
//!
//! Parallel challenge first; whoever objects is answered and may rebut, round by round. If objections remain after the
//! last round, every party states the assumption its stand rests on, and the verdict is a tradeoff for a person. Where a
//! grounded verdict is demanded, a challenger who quotes nothing is neither for nor against.

mod asks;
mod ballots;
mod choices;
mod floor;
mod notes;
mod page;
mod points;
mod report;
mod sections;
mod stands;
mod written;

pub use ballots::Opening;
pub(crate) use ballots::{Critique, LeadAnswer, Rebuttal};
pub use points::points;

use super::Protocol;
use super::parts::Eligibility;
use crate::model::cost::{self, StageCost};
use crate::model::fact::Note;
use crate::model::objections::{AnswerWord, RebuttalWord, ReplyJudgement};
use crate::model::plan::{Duty, Families, OptionId, Plan, Seat, SeatId};
use crate::model::profile::{Evidence, IdScheme, Place, Profile, ReportFile, Rounds, SeatSpec, Seats, StageFile};
use crate::model::ruling::{Abstention, Outcome, Ruling};
use crate::model::turn::{Stage, Turn};
use crate::model::voting::Merit;
use crate::rules::anonymity::Speakers;
use crate::rules::blind::BlindVote;
use crate::rules::family;
use crate::rules::record::{Pending, Record};
use crate::rules::tally;
use ballots::{Agreement, Probe};
use floor::{ChallengerStand, Floor};

/// Is the challenger there, and has it read its persona?
pub const PROBE: Stage = Stage("probe");
pub const OPENING: Stage = Stage("opening");
pub const CHALLENGE: Stage = Stage("challenge");
/// The lead answers every open objection.
pub const ANSWER: Stage = Stage("answer");
/// Those who still object reply.
pub const REBUTTAL: Stage = Stage("rebuttal");
/// What each party's stand rests on.
pub const ASSUMPTIONS: Stage = Stage("assumptions");

const OPENING_FORM: &str = "challenge/opening";
const CHALLENGE_FORM: &str = "challenge/challenge";
const ANSWER_FORM: &str = "challenge/answer";
const REBUTTAL_FORM: &str = "challenge/rebuttal";

pub static PROTOCOL: Protocol = Protocol {
    blind_vote,
    stand: stands::stand,
    challenges: stands::challenges,
    judge_reply,
    ..Protocol::new(PROFILE, deliberate)
};

const PROFILE: Profile = Profile {
    seats: Seats::Fixed(SEATS),
    rounds: Rounds { default: 5, least: 1, most: 10 },
    families_differ: true,
    may_seat_fewer: true,
    defects,
    seating_defects,
    place: Place::Folder("debates"),
    id_scheme: IdScheme::NumberAndSlug,
    plan_file: "context.md",
    stages: &[
        StageFile::new(PROBE, "rounds/r000_{seat}_probe.md"),
        StageFile::new(OPENING, "rounds/r{round:03}_{seat}.md"),
        StageFile::new(CHALLENGE, "rounds/r{round:03}_{seat}.md"),
        StageFile::new(ANSWER, "rounds/r{round:03}_{seat}.md"),
        StageFile::new(REBUTTAL, "rounds/r{round:03}_{seat}_rebuttal.md"),
        StageFile::new(ASSUMPTIONS, "rounds/assumptions_{seat}.md"),
    ],
    reports: &[ReportFile::State, ReportFile::Transcript, ReportFile::Verdict],
    completion: "Every objection is settled, or {rounds} rounds have passed and each party has stated the assumption its stand rests on.",
    cost,
    points,
    evidence: Evidence::Objections,
    unsettled: Outcome::Tradeoff,
    settings: Some("challenge"),
    ..Profile::new(
        "challenge",
        "a lead defends a position against an architect, an operator and an adversary until the objections are settled or explained",
    )
};

/// The lead and its challengers, with what the seed calls their context files.
const SEATS: &[SeatSpec] = &[
    SeatSpec { family: Some("anthropic"), ..SeatSpec::new("lead", Duty::Lead) },
    challenger("architect", "challenger-architect", "GEMINI.md", "google"),
    challenger("operator", "challenger-operator", "AGENTS.md", "openai"),
    challenger("adversary", "challenger-adversary", "QWEN.md", "alibaba"),
];

const fn challenger(id: &'static str, role: &'static str, persona: &'static str, family: &'static str) -> SeatSpec {
    SeatSpec { role, persona: Some(persona), family: Some(family), ..SeatSpec::new(id, Duty::Debater) }
}

fn defects(plan: &Plan) -> Vec<String> {
    let mut defects = Vec::new();
    if plan.with_duty(Duty::Lead).next().is_none() {
        return vec!["challenge needs a lead".to_owned()];
    }
    let challengers = plan.debaters().len();
    let least = plan.limits.min_challengers;
    if challengers == 0 {
        defects.push("challenge needs at least one challenger".to_owned());
    } else if challengers < usize::from(least) {
        defects.push(format!(
            "min_challengers is {least}, and {challengers} sit here; seat more, or lower challenge.min_challengers"
        ));
    }
    defects
}

fn seating_defects(plan: &Plan) -> Vec<String> {
    let Some(lead) = plan.with_duty(Duty::Lead).next() else { return Vec::new() };
    let challengers = plan.debaters();
    let mut defects = Vec::new();
    if plan.families == Families::MustDiffer
        && let Some(family) = family::of_seat(lead)
        && challengers.iter().all(|seat| family::of_seat(seat).is_some_and(|other| other == family))
    {
        defects.push(format!(
            "lead and challengers all run on one model family ({family}); seat another with --seat architect=AGENT (`forge agents` says how to get one), pass --allow-same-family, or see the form with --agent rehearsal"
        ));
    }
    defects
}

fn blind_vote(_plan: &Plan, heard: &[&Turn], _chosen: Option<&OptionId>) -> Option<BlindVote> {
    let opening = heard.iter().find(|turn| turn.key.stage == OPENING)?;
    let points = opening.speech().map(points).unwrap_or_default();
    let first = heard.iter().filter(|turn| turn.key.stage == CHALLENGE && turn.speech().is_some());
    let first: Vec<&Turn> = first.copied().collect();
    let agrees = |turn: &&&Turn| {
        let says = turn.ballot().is_some_and(|critique: Critique| critique.verdict == Agreement::Agree);
        says && ChallengerStand::open(turn, &points).settled
    };
    let agreed = first.iter().filter(agrees).map(|turn| turn.seat().clone()).collect();
    (!first.is_empty()).then_some(BlindVote::Agreed { agreed, of: first.len() })
}

fn cost(plan: &Plan) -> Vec<StageCost> {
    let rounds = usize::from(plan.limits.rounds);
    let all = || cost::lead_and_debaters(plan);
    vec![
        StageCost::once("Preflight: probes", plan.debaters().into_iter().filter(|seat| seat.hand.is_agent())),
        StageCost::once("Opening", plan.with_duty(Duty::Lead).take(1)),
        StageCost::once("Parallel challenge", plan.debaters()),
        StageCost::each("Confrontation: answers and rebuttals", all(), 0..=rounds, 2 * rounds),
        StageCost::each("Assumption extraction", all(), 0..=1, 1),
    ]
}

fn deliberate(plan: &Plan, record: &mut Record<'_>) -> Result<Ruling, Pending> {
    let Some(lead) = plan.with_duty(Duty::Lead).next() else { return Ok(Ruling::new(Outcome::Insufficient)) };
    let least = usize::from(plan.limits.min_challengers.max(1));
    let ready = ready(plan, record)?;
    if ready.len() < least {
        return Ok(report::insufficient(record, notes::too_few_ready(ready.len(), least)));
    }
    let opening = record.hear_one(|| asks::opening(plan, lead))?;
    let Some(position) = opening.speech() else {
        return Ok(report::insufficient(record, notes::no_position()));
    };
    let challenges = record.hear(|| asks::challenges(plan, &ready, opening))?;
    let mut floor = Floor::new(opening, &challenges, &points(position));
    if floor.stands.len() < least {
        return Ok(report::insufficient(record, notes::too_few_spoke(floor.stands.len(), least)));
    }
    let rounds = hold_rounds(plan, lead, &ready, &mut floor, record)?;
    let abstentions = floor.leave_out_ungrounded(lead, &Eligibility::after(plan, &record.heard()));
    if let Some(why) = too_few_grounded(lead, least, &floor, &abstentions) {
        return Ok(Ruling { abstentions, ..report::insufficient(record, why) });
    }
    let parties: Vec<&Seat> = [lead].into_iter().chain(floor.objectors(&ready)).collect();
    let assumptions =
        if floor.is_settled() { Vec::new() } else { record.hear(|| asks::assumptions(&parties, &floor))? };
    Ok(Ruling { abstentions, ..report::ruling(plan, record, &floor, rounds, &assumptions) })
}

/// The challengers who are there and have read their persona. Whoever is not asked by forge cannot be probed: people and
/// outside sessions speak when they are there.
fn ready<'p>(plan: &'p Plan, record: &mut Record<'_>) -> Result<Vec<&'p Seat>, Pending> {
    let (probed, others): (Vec<&Seat>, Vec<&Seat>) = plan.debaters().into_iter().partition(|seat| seat.hand.is_agent());
    if probed.is_empty() {
        return Ok(others);
    }
    let probes = record.hear(|| probed.into_iter().map(asks::probe).collect())?;
    let is_ready = |turn: &&&Turn| turn.ballot().is_some_and(|probe: Probe| probe.ready);
    let ready: Vec<&SeatId> = probes.iter().filter(is_ready).map(|turn| turn.seat()).collect();
    let sits = |seat: &&Seat| !seat.hand.is_agent() || ready.contains(&&seat.id);
    Ok(plan.debaters().into_iter().filter(sits).collect())
}

/// The lead answers every open objection, and those who object may rebut, until nothing is left that another round could
/// settle. Returns how many rounds were held; that of the challenges counts as the first.
fn hold_rounds<'t>(
    plan: &Plan,
    lead: &Seat,
    ready: &[&Seat],
    floor: &mut Floor<'t>,
    record: &mut Record<'t>,
) -> Result<u16, Pending> {
    let mut held = 0;
    while held < plan.limits.rounds && floor.open().any(|stand| !stand.escalated) {
        let round = held + 1;
        let counting = Eligibility::after(plan, &record.heard());
        let answer = record.hear_one(|| asks::answer(plan, lead, round, floor, &counting))?;
        if answer.speech().is_none() {
            break;
        }
        floor.answer(answer);
        let rebuttals = record.hear(|| asks::rebuttals(plan, ready, round, floor, &counting))?;
        let heard = record.heard();
        for rebuttal in rebuttals {
            floor.take(rebuttal, judge_reply(plan, rebuttal, &heard).and_then(|judged| judged.gives_way));
        }
        held = round;
    }
    Ok(held.max(1))
}

/// Why those who do not count leave no debate, if they leave none.
fn too_few_grounded(lead: &Seat, least: usize, floor: &Floor<'_>, abstentions: &[Abstention]) -> Option<Note> {
    let seats: Vec<SeatId> = abstentions.iter().map(|abstention| abstention.seat.clone()).collect();
    if seats.contains(&lead.id) {
        return Some(notes::lead_ungrounded());
    }
    let are_too_few = floor.stands.len() < least && !seats.is_empty();
    are_too_few.then(|| notes::too_few_grounded(&seats, floor.stands.is_empty()))
}

/// How a rebuttal is taken; nothing for other turns.
fn judge_reply(plan: &Plan, reply: &Turn, heard: &[&Turn]) -> Option<ReplyJudgement> {
    if reply.key.stage != REBUTTAL {
        return None;
    }
    let accepts = reply.ballot::<Rebuttal>()?.response == RebuttalWord::Accept;
    let answered = |turn: &&&Turn| turn.key.stage == ANSWER && turn.key.round == reply.key.round;
    let answer = heard.iter().find(answered).and_then(|answer| answer_to(plan, reply.seat(), answer));
    let is_earned =
        matches!(answer, Some(AnswerWord::Accept | AnswerWord::Partial)) || tally::cites_another(plan, reply, heard);
    let merit = if is_earned { Merit::Earned } else { Merit::Unearned };
    Some(ReplyJudgement { is_rejected: answer == Some(AnswerWord::Reject), gives_way: accepts.then_some(merit) })
}

/// What the lead answers to this challenger's objection.
fn answer_to(plan: &Plan, challenger: &SeatId, answer: &Turn) -> Option<AnswerWord> {
    let speakers = Speakers::of(plan, answer.seat());
    let LeadAnswer { answers, .. } = answer.ballot()?;
    answers.iter().find(|one| speakers.seat(&one.to) == Some(challenger)).map(|one| one.answer)
}
