//! A panel: blind positions, rounds of response and challenge, a synthesis that is reviewed.
//!
//! In a round each seat reads what every other said last. From the second round on the referee reads each round, and may
//! halt the rounds or escalate to a person; else the seats are polled, if one of them asked for it, and two thirds of all
//! seats end the rounds. What the panel comes to:
//!
//! - *decided* if more than half of the votes that count are for one option and the synthesis names it. The votes decide: the
//!   synthesis adds how sure, the dissents and the risks;
//! - *contested*, in this order, if the contrarian or the moonshot gave no position or spoke in no round, there is no
//!   synthesis, the referee escalated, no option has more than half, the synthesis names another, or nobody challenged
//!   anybody in some round;
//! - *insufficient* if fewer than two thirds of the seats gave a position, spoke in a round, or have a vote that counts.
//!
//! A changed vote counts only if it cites an argument of another seat. Where a grounded verdict is demanded, the vote of a
//! seat that quotes nothing of the supplied material does not count. An absence outside of the offices (polls, referee,
//! reviews) degrades the verdict.

mod asks;
mod ballots;
mod notes;
mod report;
mod rosters;
mod sections;

pub use rosters::rosters;

use super::Protocol;
use super::voters::{Count, Voters};
use crate::model::cost::{PhaseCost, StageCost};
use crate::model::plan::{Duty, Hand, Plan, Seat, SeatId, contains_phrase};
use crate::model::profile::{IdScheme, Profile, Rounds, SeatSpec, Seats, StageFile};
use crate::model::ruling::Ruling;
use crate::model::turn::{Stage, Turn};
use crate::model::voting::{Rule, Threshold, Wins};
use crate::rules::blind::BlindVote;
use crate::rules::record::{Pending, Record};
use ballots::{Poll, RefereeRuling, Response, Review, RulingWord, Synthesis};
use notes::Shortage;

pub const POSITION: Stage = Stage("position");
pub const RESPONSE: Stage = Stage("response");
/// Shall we converge?
pub const POLL: Stage = Stage("poll");
/// Are the arguments going in circles?
pub const REFEREE: Stage = Stage("referee");
pub const SYNTHESIS: Stage = Stage("synthesis");
/// Is it accurate?
pub const REVIEW: Stage = Stage("review");
/// The document again, where a dissent was misrepresented.
pub const CORRECTION: Stage = Stage("correction");
/// Is it accurate now?
pub const RECHECK: Stage = Stage("recheck");

/// The round of the positions.
const POSITIONS: u16 = 0;
/// No poll and no referee before this round, and no synthesis either.
const MIN_ROUNDS: u16 = 2;
/// The turns of each seat that one brief may show, for the estimate: its position, the last round, its dissent.
const TURNS_SHOWN: u64 = 3;
/// How many of the seats must speak, and how many end the rounds in a poll.
const TWO_THIRDS: Threshold = Threshold::TWO_THIRDS;
/// The two who sit in every panel: one asks whether we are sure, one what we would do if we aimed higher.
const CROSS_CUTTING: [&str; 2] = ["contrarian", "moonshot"];

pub static PROTOCOL: Protocol = Protocol {
    blind_vote: |plan, heard, _| BlindVote::of_stage(plan, heard, POSITION),
    ..Protocol::new(PROFILE, deliberate)
};

const PROFILE: Profile = Profile {
    seats: Seats::ByRoster(seats),
    rounds: Rounds { default: 10, least: MIN_ROUNDS, most: 10 },
    has_writer: true,
    officer_hand: Some(referee_hand),
    defects,
    id_scheme: IdScheme::SlugAndTime,
    stages: &[
        StageFile::new(POSITION, "positions/{seat}.md"),
        StageFile::new(RESPONSE, "rounds/r{round:02}-{seat}.md"),
        StageFile::office(POLL, "polls/r{round:02}-{seat}.md"),
        StageFile::office(REFEREE, "rounds/r{round:02}-{seat}.md"),
        StageFile::document(SYNTHESIS, "synthesis.md"),
        StageFile::office(REVIEW, "reviews/{seat}.md"),
        StageFile::document(CORRECTION, "synthesis-corrected.md"),
        StageFile::office(RECHECK, "reviews/{seat}-recheck.md"),
    ],
    completion: "At most {rounds} response rounds; 2/3 of the active seats may end them from round 2 on; then synthesis, reviews and at most one correction round.",
    cost,
    phases,
    turns_shown: |_| TURNS_SHOWN,
    ..Profile::new(
        "panel",
        "a roster of experts with a contrarian and a moonshot: positions, rounds of challenge, synthesis with dissents, reviews",
    )
};

fn seats(roster: Option<&str>, question: &str) -> Result<Vec<SeatSpec>, String> {
    let ids = rosters::experts(roster, question)?.into_iter().chain(CROSS_CUTTING);
    let referee = SeatSpec::new("referee", Duty::Referee);
    Ok(ids.map(|id| SeatSpec::new(id, Duty::Debater)).chain([referee]).collect())
}

fn defects(plan: &Plan) -> Vec<String> {
    let mut defects: Vec<String> = CROSS_CUTTING
        .into_iter()
        .filter(|cross| !plan.debaters().iter().any(|seat| seat.id.as_str() == *cross))
        .map(|cross| format!("a panel always has a {cross}"))
        .collect();
    if plan.debaters().len() < 3 {
        defects.push("a panel needs at least one expert besides the contrarian and the moonshot".to_owned());
    }
    if let Some(name) = &plan.synthesizer
        && !plan.debaters().iter().any(|seat| seat.id == *name)
    {
        defects.push(format!("the synthesizer {name} is not a seat of this panel"));
    }
    defects
}

/// The seed's own table, as it writes it: N, 2N to 10N and N + 1 to 2N calls for N participants. What forge itself counts
/// with is [`cost`].
fn phases(plan: &Plan) -> Vec<PhaseCost> {
    let n = plan.debaters().len();
    let (least, most) = (usize::from(MIN_ROUNDS), usize::from(plan.limits.rounds.max(MIN_ROUNDS)));
    vec![
        PhaseCost::new("Phase 1", n, n),
        PhaseCost::new("Phase 2", least * n, most * n),
        PhaseCost::new("Phase 3", n + 1, 2 * n),
        PhaseCost::new("Total", n + least * n + n + 1, n + most * n + 2 * n),
    ]
}

fn cost(plan: &Plan) -> Vec<StageCost> {
    let all = || plan.debaters();
    let most = usize::from(plan.limits.rounds.max(MIN_ROUNDS));
    let least = usize::from(MIN_ROUNDS);
    // The last round is followed by no poll: nothing is left to end early.
    let polls = most.saturating_sub(least);
    let referee: Vec<&Seat> = plan.with_duty(Duty::Referee).take(1).collect();
    let looks = referee.len() * (most - 1);
    vec![
        StageCost::once("Phase 1: positions", all()),
        StageCost::each("Phase 2: responses", all(), least..=most, most),
        StageCost::each("Phase 2: convergence polls", all(), 0..=polls, polls),
        StageCost::each("Phase 2: referee", referee, 1..=most - 1, looks),
        StageCost::each("Phase 3: synthesis, reviews, correction", all(), 1..=2, 4),
    ]
}

fn deliberate(plan: &Plan, record: &mut Record<'_>) -> Result<Ruling, Pending> {
    let rule = Rule { wins: Wins::Majority, quorum: quorum(plan.debaters().len()) };
    let mut panel = Voters::seated(plan, rule, POSITIONS, record.hear(|| asks::positions(plan))?);
    if !panel.is_quorate() {
        return Ok(report::insufficient(&panel, record, Shortage::Positions));
    }
    let end = hold_rounds(&mut panel, record)?;
    // Who is silent in a later round keeps its seat and its vote.
    let count = panel.count(&panel.seats);
    if !panel.is_quorate() {
        return Ok(report::insufficient(&panel, record, Shortage::Speakers));
    }
    if count.votes.len() < rule.quorum {
        return Ok(report::insufficient(&panel, record, Shortage::Quotes));
    }
    let Some(writer) = synthesizer(plan.synthesizer.as_ref(), &panel.seats) else {
        return Ok(report::insufficient(&panel, record, Shortage::Positions));
    };
    let document = reviewed_synthesis(&panel, &count, writer, record)?;
    Ok(report::ruling(&panel, count, end, &document, record))
}

/// The fewest of so many seats that are a quorum.
fn quorum(seats: usize) -> usize {
    (0..=seats).find(|present| TWO_THIRDS.is_reached(*present, seats)).unwrap_or(seats)
}

/// How the rounds ended.
enum End {
    /// By the seats, by their limit, or because too few spoke.
    Held,
    /// By the referee, for this reason: the arguments go in circles.
    Halted(String),
    /// By the referee, for this reason: a person must decide.
    Escalated(String),
}

/// Rounds of response, until the referee or the seats end them, or too few speak.
fn hold_rounds<'t>(panel: &mut Voters<'_, 't>, record: &mut Record<'t>) -> Result<End, Pending> {
    let most = panel.plan.limits.rounds.max(MIN_ROUNDS);
    for round in 1..=most {
        panel.add_round(round, record.hear(|| asks::responses(panel, round))?);
        if !panel.is_quorate() {
            break;
        }
        if round < MIN_ROUNDS {
            continue;
        }
        if let Some(end) = ask_referee(panel, record)? {
            return Ok(end);
        }
        // After the last round there is nothing left that a poll could end.
        if round < most && wants_poll(panel) && poll_ends_rounds(panel, record)? {
            break;
        }
    }
    Ok(End::Held)
}

/// How the referee ends the rounds, if it does; where it is absent they go on.
fn ask_referee(panel: &Voters<'_, '_>, record: &mut Record<'_>) -> Result<Option<End>, Pending> {
    let Some(referee) = panel.plan.with_duty(Duty::Referee).next() else { return Ok(None) };
    let Some(RefereeRuling { ruling, reason }) = record.hear_one(|| asks::ruling(panel, referee))?.ballot() else {
        return Ok(None);
    };
    Ok(match ruling {
        RulingWord::Continue => None,
        RulingWord::Halt => Some(End::Halted(reason.0)),
        RulingWord::Escalate => Some(End::Escalated(reason.0)),
    })
}

fn wants_poll(panel: &Voters<'_, '_>) -> bool {
    let of_round = panel.said.iter().filter(|turn| turn.key.stage == RESPONSE && turn.key.round == panel.round);
    of_round.filter_map(|turn| turn.ballot()).any(|response: Response| response.converge == Some(true))
}

fn poll_ends_rounds(panel: &Voters<'_, '_>, record: &mut Record<'_>) -> Result<bool, Pending> {
    let polled = record.hear(|| asks::polls(panel))?;
    let yes = polled.iter().filter_map(|turn| turn.ballot()).filter(|poll: &Poll| poll.converge).count();
    Ok(TWO_THIRDS.is_reached(yes, panel.seats.len()))
}

/// The synthesis as its reviewers left it.
struct Document {
    /// None where nobody wrote one.
    synthesis: Option<Synthesis>,
    /// The reviewers who find their dissent misrepresented in it.
    misrepresented: usize,
    /// Whether it was corrected after reviewers objected.
    is_corrected: bool,
}

fn reviewed_synthesis(
    panel: &Voters<'_, '_>,
    count: &Count,
    writer: &Seat,
    record: &mut Record<'_>,
) -> Result<Document, Pending> {
    let dissents = report::dissents(panel, count);
    let winner = count.winner.as_ref();
    let first = record.hear_one(|| asks::synthesis(panel, writer, winner, &dissents))?;
    let Some(synthesis) = first.ballot() else {
        return Ok(Document { synthesis: None, misrepresented: 0, is_corrected: false });
    };
    let reviews = record.hear(|| asks::reviews(REVIEW, panel, writer, first))?;
    let misrepresented = reviews.iter().filter(|review| objects(review)).count();
    let unchanged = Document { synthesis: Some(synthesis), misrepresented, is_corrected: false };
    if misrepresented == 0 {
        return Ok(unchanged);
    }
    let corrected = record.hear_one(|| asks::correction(panel.plan, writer, first, &reviews, winner, &dissents))?;
    // Nobody is asked twice about one text.
    let Some(synthesis) = corrected.ballot() else { return Ok(unchanged) };
    let again = record.hear(|| asks::reviews(RECHECK, panel, writer, corrected))?;
    // Silence settles no objection.
    let still = |(before, now): &(&&Turn, &&Turn)| objects(if now.speech().is_some() { now } else { before });
    let misrepresented = reviews.iter().zip(&again).filter(still).count();
    Ok(Document { synthesis: Some(synthesis), misrepresented, is_corrected: true })
}

/// A review that says a dissent is misrepresented. "Not accurate" without saying what opens no correction round.
fn objects(review: &Turn) -> bool {
    let Some(Review { accurate: false, misrepresented: Some(what), .. }) = review.ballot() else { return false };
    !ballots::is_nothing(&what) && !contains_phrase(&what, "not applicable")
}

/// Who writes the synthesis, of those who gave a position: who is named in the plan, else who usually does on such a board,
/// else the first.
pub fn synthesizer<'s>(named: Option<&SeatId>, seats: &[&'s Seat]) -> Option<&'s Seat> {
    let present = |id: &str| seats.iter().find(|seat| seat.id.as_str() == id).copied();
    named
        .and_then(|id| present(id.as_str()))
        .or_else(|| ["software-architect", "lead-specialist", "ceo", "delivery-lead"].into_iter().find_map(present))
        .or_else(|| seats.first().copied())
}

/// Who moves the referee where nobody says so: the first agent that does not move the synthesizer, or else the
/// synthesizer's; where only people and outside sessions sit, an outside session.
pub fn referee_hand(named: Option<&SeatId>, debaters: &[&Seat]) -> Hand {
    let writer = synthesizer(named, debaters).map(|seat| &seat.hand);
    let agents = || debaters.iter().map(|seat| &seat.hand).filter(|hand| hand.is_agent());
    agents().find(|hand| Some(*hand) != writer).or_else(|| agents().next()).cloned().unwrap_or(Hand::Outside)
}
