//! A lead holds a position; challengers from different angles attack it.
//!
//! Parallel challenge first; whoever objects is answered and may rebut, round by round. If objections remain after the
//! last round, every party states the assumption its stand rests on, and the verdict is a tradeoff for a person. Where a
//! grounded verdict is demanded, a challenger who quotes nothing is neither for nor against.

mod ballots;
mod choices;
mod floor;
mod notes;
mod page;
mod points;
mod sections;
mod stands;
mod written;

pub use ballots::Opening;
pub(crate) use ballots::{Critique, LeadAnswer, Rebuttal, RebuttalWord};
pub use points::points;

use super::Protocol;
use super::parts::{self, Counting};
use crate::anonymity::Speakers;
use crate::ballot::Ballot;
use crate::blind::BlindVote;
use crate::cost::{self, StageCost};
use crate::fact::Note;
use crate::family;
use crate::form::{Form, Rail, Spelling};
use crate::plan::{Duty, Families, OptionId, Plan, Seat, SeatId};
use crate::profile::{Evidence, IdScheme, POINTS, Place, Profile, ReportFile, Rounds, SeatSpec, Seats, StageFile};
use crate::record::{Ask, Pending, Record, blind};
use crate::robustness;
use crate::tally::{self, Standing};
use crate::turn::{AbsenceKind, Speech, Stage, Turn};
use crate::verdict::{Abstention, Assumption, Confidence, Dissent, Missing, Outcome, Reason, Verdict};
use ballots::{Agreement, AnswerWord, ChallengeFile, Foundation, GivesWayTo, LeadArguments, Probe};
use floor::{Answer, Floor, Stand, last_word, positions};
use sections::*;

/// Is the challenger there, and has it read its persona?
pub const PROBE: Stage = Stage("probe");
/// The lead's opening.
pub const OPENING: Stage = Stage("opening");
/// The parallel challenge.
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

struct Challenge;

pub static PROTOCOL: Protocol = Protocol {
    blind_vote,
    stand: stands::stand,
    challenges: stands::challenges,
    rebutted: Rebutted::by,
    ..Protocol::new(PROFILE, |plan, record| Challenge.deliberate(plan, record))
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
        says && Stand::open(turn, &points).settled
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
        StageCost::each("Confrontation: answers and rebuttals", all(), 0, rounds, 2 * rounds),
        StageCost::each("Assumption extraction", all(), 0, 1, 1),
    ]
}

impl Challenge {
    fn deliberate(&self, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
        let Some(lead) = plan.with_duty(Duty::Lead).next() else { return Ok(Verdict::new(Outcome::Insufficient)) };
        // Whoever is not asked by forge cannot be probed: people and outside sessions speak when they are there.
        let probed = plan.debaters().into_iter().filter(|seat| seat.hand.is_agent()).collect::<Vec<_>>();
        let probes =
            if probed.is_empty() { Vec::new() } else { record.hear(probed.into_iter().map(probe).collect())? };
        let is_ready = |seat: &&Seat| {
            let answer = |turn: &&&Turn| turn.ballot().is_some_and(|probe: Probe| probe.ready);
            !seat.hand.is_agent() || probes.iter().filter(answer).any(|turn| *turn.seat() == seat.id)
        };
        let ready: Vec<&Seat> = plan.debaters().into_iter().filter(is_ready).collect();
        let least = usize::from(plan.limits.min_challengers.max(1));
        if ready.len() < least {
            return Ok(insufficient(record, notes::too_few_ready(ready.len(), least)));
        }
        let mut counting = Counting::after(plan, &[]);
        let opening = record.hear_one(self.opening(plan, lead, &counting))?;
        if opening.speech().is_none() {
            return Ok(insufficient(record, notes::no_position()));
        }
        let challenges =
            record.hear(ready.iter().map(|seat| self.challenge(plan, seat, opening, &counting)).collect())?;
        let heard: Vec<&Turn> = challenges.into_iter().filter(|turn| turn.speech().is_some()).collect();
        if heard.len() < least {
            return Ok(insufficient(record, notes::too_few_spoke(heard.len(), least)));
        }
        let points = opening.speech().map(points).unwrap_or_default();
        let stands = heard.into_iter().map(|turn| Stand::open(turn, &points)).collect();
        let mut floor = Floor { lead: opening, stands, answers: Vec::new() };
        let mut round = 1;
        counting = Counting::after(plan, &record.heard());
        while round <= plan.limits.rounds && floor.open().any(|stand| !stand.escalated) {
            let answer = record.hear_one(self.answer(plan, lead, round, &floor, &counting))?;
            if answer.speech().is_none() {
                break;
            }
            let to = floor.open().map(|stand| stand.seat().clone()).collect();
            floor.answers.push(Answer { turn: answer, to });
            let dissenters: Vec<&Seat> =
                ready.iter().copied().filter(|seat| floor.open().any(|stand| *stand.seat() == seat.id)).collect();
            let asks = dissenters.iter().map(|seat| self.rebuttal(plan, seat, round, &floor, &counting)).collect();
            let replies = record.hear(asks)?;
            let heard = record.heard();
            for reply in replies {
                floor.take(reply, Rebutted::by(plan, reply, &heard).and_then(|rebutted| rebutted.gives_way));
            }
            counting = Counting::after(plan, &record.heard());
            round += 1;
        }
        let left_out = floor.leave_out(|seat| !counting.has(seat));
        let mut abstentions: Vec<Abstention> = left_out.iter().map(|seat| parts::abstention(seat, None)).collect();
        let ungrounded_lead = !counting.has(&lead.id);
        if ungrounded_lead {
            let held = floor.position().speech().and_then(Speech::option);
            abstentions.insert(0, parts::abstention(&lead.id, held));
            return Ok(Verdict { abstentions, ..insufficient(record, notes::lead_ungrounded()) });
        }
        if floor.stands.len() < least && !left_out.is_empty() {
            let why = notes::too_few_grounded(&left_out, floor.stands.is_empty());
            return Ok(Verdict { abstentions, ..insufficient(record, why) });
        }
        let settled = floor.open().next().is_none();
        let assumptions = if settled { Vec::new() } else { extract(lead, &ready, &floor, record)? };
        let verdict = self.verdict(plan, record, &floor, round.saturating_sub(1).max(1), assumptions);
        Ok(Verdict { abstentions, ..verdict })
    }
}

impl Challenge {
    fn verdict(
        &self,
        plan: &Plan,
        record: &Record<'_>,
        floor: &Floor<'_>,
        rounds: u16,
        assumptions: Vec<Assumption>,
    ) -> Verdict {
        let settled = floor.open().next().is_none();
        let mut verdict = Verdict::new(if settled { Outcome::Consensus } else { Outcome::Tradeoff });
        let final_word = floor.position().speech();
        verdict.rounds = rounds;
        verdict.positions = positions(plan, floor);
        verdict.position = verdict.positions.last().map(|position| position.text.clone());
        let option = final_word.and_then(Speech::option);
        let stands: Vec<(SeatId, bool)> =
            floor.stands.iter().map(|stand| (stand.seat().clone(), stand.settled)).collect();
        verdict.robustness = Some(robustness::of_stands(option.as_ref(), &stands));
        if settled {
            verdict.options = option.clone().into_iter().collect();
            verdict.confidence = final_word.and_then(|speech| speech.said().confidence).unwrap_or(Confidence::Medium);
        } else {
            verdict.confidence = Confidence::Medium;
        }
        if let Some(speech) = floor.lead.speech() {
            // Answers carry no reason of their own; a lead that moved is quoted with the position it moved to.
            let moved = speech.option() != option;
            let text = if moved {
                verdict.position.clone().unwrap_or_default()
            } else {
                speech.said().reason.unwrap_or_default()
            };
            verdict.reasons.push(Reason { seat: floor.lead.seat().clone(), option, stand: None, text });
        }
        for stand in &floor.stands {
            let (word, text) = last_word(stand.objection());
            if !stand.settled {
                verdict.dissents.push(Dissent { seat: stand.seat().clone(), option: None, text: text.clone() });
            }
            if stand.gave_way_from.is_some() {
                verdict.note(notes::unearned_yield(stand.seat()));
            }
            verdict.reasons.push(Reason { seat: stand.seat().clone(), option: None, stand: Some(word), text });
            if stand.is_minor_objection() {
                verdict.minor_objections.push(stand.seat().clone());
            }
            if stand.doubted {
                verdict.note(notes::doubtful_agreement(stand.seat()));
            }
            if stand.escalated && !stand.settled {
                verdict.note(notes::wants_a_person(stand.seat()));
            }
        }
        let parties = plan.seats.iter().filter(|seat| matches!(seat.duty, Duty::Lead | Duty::Debater));
        let unproven: Vec<SeatId> = parties.filter(|seat| !seat.hand.is_agent()).map(|seat| seat.id.clone()).collect();
        if !unproven.is_empty() {
            verdict.note(notes::family_unproven(&unproven));
        }
        verdict.assumptions = assumptions;
        parts::settle(&mut verdict, record);
        verdict.missing.extend(declined(record));
        verdict
    }
}

impl Challenge {
    fn opening(&self, plan: &Plan, lead: &Seat, counting: &Counting) -> Ask {
        let form =
            Form::asking::<Opening>(OPENING_FORM, OPENING_SECTIONS).spelled(spelling(1, &ChallengeFile::default()));
        let form = counting.quotes(form, plan, &lead.id);
        Ask::new(parts::key(OPENING, 0, lead), blind(), form, "challenge/opening")
    }

    /// Each challenger reads the lead and nobody else.
    fn challenge(&self, plan: &Plan, seat: &Seat, opening: &Turn, counting: &Counting) -> Ask {
        let form = Form::asking::<Critique>(CHALLENGE_FORM, CHALLENGE_SECTIONS)
            .spelled(spelling(1, &ChallengeFile::default()));
        let form = counting.quotes(form, plan, &seat.id);
        Ask::new(parts::key(CHALLENGE, 1, seat), parts::seeing(&seat.id, &[opening]), form, "challenge/challenge")
            .fact(POINTS, true)
    }

    fn answer(&self, plan: &Plan, lead: &Seat, round: u16, floor: &Floor<'_>, counting: &Counting) -> Ask {
        let speakers = Speakers::of(plan, &lead.id);
        let objections: Vec<String> = floor.open().map(|stand| speakers.prefix(stand.seat())).collect();
        let mut read: Vec<&Turn> = vec![floor.position()];
        read.extend(floor.open().map(Stand::objection));
        let listed = objections.join(", ");
        let held =
            floor.position().speech().and_then(Speech::option).map(|id| plan.option_name(&id)).unwrap_or_default();
        let before: ChallengeFile = floor.position().ballot().unwrap_or_default();
        let as_before = ChallengeFile {
            option: before.option,
            position: before.position,
            confidence: before.confidence,
            ..ChallengeFile::default()
        };
        let form = Form::asking::<LeadAnswer>(ANSWER_FORM, ANSWER_SECTIONS)
            .spelled(spelling(1, &as_before))
            .rail(Rail::AnswersAll { objections });
        let form = counting.quotes(form, plan, &lead.id).and::<LeadArguments>();
        Ask::new(parts::key(ANSWER, round, lead), parts::seeing(&lead.id, &read), form, "challenge/answer")
            .fact("objections", listed)
            .fact("held", held)
    }

    fn rebuttal(&self, plan: &Plan, seat: &Seat, round: u16, floor: &Floor<'_>, counting: &Counting) -> Ask {
        let mut read: Vec<&Turn> = vec![floor.position()];
        read.extend(floor.stands.iter().filter(|stand| *stand.seat() == seat.id).map(|stand| stand.last));
        let form = Form::asking::<Rebuttal>(REBUTTAL_FORM, &[]).spelled(spelling(round, &ChallengeFile::default()));
        let mut form = counting.quotes(form, plan, &seat.id).and::<GivesWayTo>();
        if answer_to(plan, &seat.id, floor.position()) == Some(AnswerWord::Reject) {
            form = form.rail(Rail::YieldNeedsCause);
        }
        Ask::new(parts::key(REBUTTAL, round, seat), parts::seeing(&seat.id, &read), form, "challenge/rebuttal")
    }
}

/// How files from outside may be written; what they leave out stands as it was.
fn spelling(round: u16, held: &ChallengeFile) -> Spelling {
    Spelling { round, held: held.to_fields(), read: written::respelled }
}

/// A challenger's reply to the lead's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rebutted {
    /// Whether the answer rejects the objection.
    pub is_rejected: bool,
    /// Where the challenger accepts it: whether it had a ground. The lead took the objection up, at least in part, or the
    /// challenger cites an argument of the lead that it had not made itself.
    pub gives_way: Option<Standing>,
}

impl Rebutted {
    /// What this turn is as a reply to the lead; nothing for other turns and other protocols.
    pub(crate) fn by(plan: &Plan, reply: &Turn, heard: &[&Turn]) -> Option<Self> {
        if reply.key.stage != REBUTTAL {
            return None;
        }
        let accepts = reply.ballot::<Rebuttal>()?.response == RebuttalWord::Accept;
        let answered = |turn: &&&Turn| turn.key.stage == ANSWER && turn.key.round == reply.key.round;
        let answer = heard.iter().find(answered).and_then(|answer| answer_to(plan, reply.seat(), answer));
        let earned = matches!(answer, Some(AnswerWord::Accept | AnswerWord::Partial))
            || tally::cites_another(plan, reply, heard);
        let standing = if earned { Standing::Earned } else { Standing::Unearned };
        Some(Self { is_rejected: answer == Some(AnswerWord::Reject), gives_way: accepts.then_some(standing) })
    }
}

/// What the lead answers to this challenger's objection.
fn answer_to(plan: &Plan, challenger: &SeatId, answer: &Turn) -> Option<AnswerWord> {
    let speakers = Speakers::of(plan, answer.seat());
    let LeadAnswer { answers, .. } = answer.ballot()?;
    answers.iter().find(|one| speakers.seat(&one.to) == Some(challenger)).map(|one| one.answer)
}

fn probe(seat: &Seat) -> Ask {
    let form = Form::asking::<Probe>("challenge/probe", &[]);
    Ask::new(parts::key(PROBE, 0, seat), blind(), form, "challenge/probe")
}

/// The lead and every challenger with an open objection say what their stand rests on.
fn extract(
    lead: &Seat,
    ready: &[&Seat],
    floor: &Floor<'_>,
    record: &mut Record<'_>,
) -> Result<Vec<Assumption>, Pending> {
    let mut read: Vec<&Turn> = vec![floor.position()];
    read.extend(floor.open().map(Stand::objection));
    let parties =
        [lead].into_iter().chain(ready.iter().copied().filter(|seat| floor.open().any(|s| *s.seat() == seat.id)));
    let asks = parties
        .map(|seat| {
            let form = Form::asking::<Foundation>("challenge/assumptions", &[])
                .spelled(spelling(1, &ChallengeFile::default()));
            Ask::new(parts::key(ASSUMPTIONS, 0, seat), parts::seeing(&seat.id, &read), form, "challenge/assumptions")
        })
        .collect();
    let turns = record.hear(asks)?;
    Ok(turns
        .into_iter()
        .filter_map(|turn| {
            let Foundation { why, what_would_change, assumption } = turn.ballot()?;
            let (why, what_would_change, assumption) = (why.0, what_would_change.0, assumption.0);
            Some(Assumption { seat: turn.seat().clone(), why, what_would_change, assumption })
        })
        .collect())
}

/// Challengers that answered the probe and are not ready: lost in the probe, they are absent.
fn declined(record: &Record<'_>) -> Vec<Missing> {
    let declines = |turn: &&Turn| turn.key.stage == PROBE && turn.ballot().is_some_and(|probe: Probe| !probe.ready);
    let missing = |turn: &Turn| Missing {
        key: turn.key.clone(),
        kind: AbsenceKind::Refused,
        detail: "it answered the probe and is not ready".to_owned(),
    };
    record.heard().into_iter().filter(declines).map(missing).collect()
}

fn insufficient(record: &Record<'_>, why: Note) -> Verdict {
    let mut verdict = Verdict::new(Outcome::Insufficient);
    verdict.note(why);
    parts::settle(&mut verdict, record);
    verdict.missing.extend(declined(record));
    verdict
}
