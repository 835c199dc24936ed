//! A panel: independent positions, rounds of response and challenge, a poll, a referee, a synthesis that is reviewed.
//!
//! A contrarian and a moonshot sit in every panel, and none decides without hearing both. The seats' votes decide, not the
//! synthesis: without one, or with one that names another option than the seats' majority, the debate is contested. So is
//! one with a round without a single challenge; and where a grounded verdict is demanded, seats that quote nothing abstain.

mod ballots;
mod notes;
mod rosters;
mod sections;

pub use rosters::rosters;

use super::parts::{self, Counting};
use super::{Protocol, adversity};
use crate::ballot::Ballot;
use crate::blind::BlindVote;
use crate::cost::{PhaseCost, StageCost};
use crate::form::{Form, Rail};
use crate::plan::{Duty, Hand, OptionId, Plan, Seat, SeatId, contains_phrase, words};
use crate::profile::{IdScheme, Profile, Rounds, SeatSpec, Seats, StageFile};
use crate::record::{Ask, Pending, Reads, Record, blind};
use crate::robustness::{self, Rule, Wins};
use crate::tally::{self, Threshold};
use crate::turn::{Speech, Stage, Turn, TurnKey};
use crate::verdict::{Confidence, Contest, Dissent, Outcome, Verdict};
use ballots::{Poll, Position, Response, Review, Ruling, RulingWord, Synthesis};
use notes::Shortage;
use sections::*;
use std::collections::BTreeSet;

/// Independent positions.
pub const POSITION: Stage = Stage("position");
/// Response and challenge.
pub const RESPONSE: Stage = Stage("response");
/// Shall we converge?
pub const POLL: Stage = Stage("poll");
/// Are the arguments going in circles?
pub const REFEREE: Stage = Stage("referee");
/// The output document.
pub const SYNTHESIS: Stage = Stage("synthesis");
/// Is it accurate?
pub const REVIEW: Stage = Stage("review");
/// The document again, where a dissent was misrepresented.
pub const CORRECTION: Stage = Stage("correction");
/// Is it accurate now?
pub const RECHECK: Stage = Stage("recheck");

/// No poll and no referee before this round, and no synthesis either.
const MIN_ROUNDS: u16 = 2;
/// What the seed's own memos do not have.
const MEMO_LACKS: &[&str] = &["confidence"];
/// The turns of each seat that one brief may show: its position, the last round, its dissent.
const TURNS_SHOWN: u64 = 3;
const QUORUM: Threshold = Threshold::TWO_THIRDS;
/// The two who sit in every panel: one asks whether we are sure, one what we would do if we aimed higher.
const CROSS_CUTTING: [&str; 2] = ["contrarian", "moonshot"];

struct Panel;

pub static PROTOCOL: Protocol = Protocol {
    blind_vote: |plan, heard, _| BlindVote::of_stage(plan, heard, POSITION),
    ..Protocol::new(PROFILE, |plan, record| Panel.deliberate(plan, record))
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
    turns_shown: TURNS_SHOWN,
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

/// N, 2N to 10N and N + 1 to 2N calls for N participants.
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
        StageCost::each("Phase 2: responses", all(), least, most, most),
        StageCost::each("Phase 2: convergence polls", all(), 0, polls, polls),
        StageCost::each("Phase 2: referee", referee, 1, most - 1, looks),
        StageCost::each("Phase 3: synthesis, reviews, correction", all(), 1, 2, 4),
    ]
}

impl Panel {
    fn deliberate(&self, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
        let seats = plan.debaters();
        let mut counting = Counting::after(plan, &[]);
        let asks = seats.iter().map(|seat| self.position(plan, seat, &counting)).collect();
        let mut said: Vec<&Turn> = record.hear(asks)?;
        let active: Vec<&Seat> = seats.iter().copied().filter(|seat| spoke_in(&said, POSITION, 0, seat)).collect();
        if !QUORUM.is_reached(active.len(), seats.len()) {
            return Ok(self.insufficient(plan, record, &said, 0, Shortage::Positions));
        }
        let mut held = 0;
        let mut escalated = None;
        let mut halted = None;
        while held < plan.limits.rounds.max(MIN_ROUNDS) {
            let round = held + 1;
            counting = Counting::after(plan, &said);
            let current = parts::latest(&active, &said);
            let response = |seat: &&Seat| self.response(plan, seat, round, &current, &said, &counting);
            let asks = active.iter().map(response).collect();
            said.extend(record.hear(asks)?);
            let present = active.iter().filter(|seat| spoke_in(&said, RESPONSE, round, seat)).count();
            held = round;
            if !QUORUM.is_reached(present, seats.len()) {
                return Ok(self.insufficient(plan, record, &said, held, Shortage::Speakers));
            }
            if round < MIN_ROUNDS {
                continue;
            }
            if let Some(referee) = plan.with_duty(Duty::Referee).next() {
                let ruling = record.hear_one(rule(referee, round, &said))?;
                if let Some(Ruling { ruling, reason }) = ruling.ballot() {
                    match ruling {
                        RulingWord::Continue => {}
                        RulingWord::Halt => halted = Some(reason.0),
                        RulingWord::Escalate => escalated = Some(reason.0),
                    }
                }
                if halted.is_some() || escalated.is_some() {
                    break;
                }
            }
            // After the last round there is nothing left that a poll could end.
            if round < plan.limits.rounds && someone_asks(&said, round) {
                let polled = record.hear(active.iter().map(|seat| poll(seat, round, &active, &said)).collect())?;
                let yes = polled.iter().filter_map(|turn| turn.ballot()).filter(|poll: &Poll| poll.converge).count();
                if Threshold::TWO_THIRDS.is_reached(yes, active.len()) {
                    break;
                }
            }
        }
        let ended = Ended { rounds: held, halted, escalated };
        self.conclude(plan, record, &active, &said, ended)
    }
}

/// Those of contrarian and moonshot who gave no position, or spoke in none of the rounds: without them a panel has not
/// been held as it should be, and does not decide.
fn silent_guards(plan: &Plan, said: &[&Turn], rounds: u16) -> Vec<SeatId> {
    let was_heard = |seat: &Seat| {
        spoke_in(said, POSITION, 0, seat) && (1..=rounds).any(|round| spoke_in(said, RESPONSE, round, seat))
    };
    let guards = plan.debaters().into_iter().filter(|seat| CROSS_CUTTING.contains(&seat.id.as_str()));
    guards.filter(|seat| !was_heard(seat)).map(|seat| seat.id.clone()).collect()
}

/// The fewest of so many seats that are a quorum.
fn quorum(seats: usize) -> usize {
    (0..=seats).find(|present| QUORUM.is_reached(*present, seats)).unwrap_or(seats)
}

/// How the rounds ended.
struct Ended {
    rounds: u16,
    halted: Option<String>,
    escalated: Option<String>,
}

impl Panel {
    fn conclude(
        &self,
        plan: &Plan,
        record: &mut Record<'_>,
        active: &[&Seat],
        said: &[&Turn],
        ended: Ended,
    ) -> Result<Verdict, Pending> {
        let ids: Vec<&SeatId> = active.iter().map(|seat| &seat.id).collect();
        let (cast, changes) = parts::votes(plan, &ids, said);
        let reasons = parts::reasons(&cast, said);
        let (votes, abstentions) = Counting::after(plan, said).split(cast);
        if !abstentions.is_empty() && !QUORUM.is_reached(votes.len(), plan.debaters().len()) {
            return Ok(self.insufficient(plan, record, said, ended.rounds, Shortage::Quotes));
        }
        let winner = tally::majority(plan, &votes, active.len() - abstentions.len());
        let dissents = dissents(&votes, winner.as_ref(), &reasons, said);

        let Some(writer) = synthesizer(plan.synthesizer.as_ref(), active) else {
            return Ok(self.insufficient(plan, record, said, ended.rounds, Shortage::Writer));
        };
        let first = record.hear_one(synthesis(plan, writer, said, winner.as_ref(), &dissents))?;
        let mut document = first.speech();
        let mut misrepresented = 0;
        if document.is_some() {
            let reviewers: Vec<&Seat> = active.iter().copied().filter(|seat| seat.id != writer.id).collect();
            let reviews = record.hear(reviewers.iter().map(|seat| review(REVIEW, seat, first, said)).collect())?;
            if reviews.iter().any(|turn| objects(turn)) {
                let corrected =
                    record.hear_one(correction(plan, writer, first, &reviews, winner.as_ref(), &dissents))?;
                document = corrected.speech().or(document);
                let latest = if corrected.speech().is_some() { corrected } else { first };
                let again = record.hear(reviewers.iter().map(|seat| review(RECHECK, seat, latest, said)).collect())?;
                misrepresented = again.iter().filter(|turn| objects(turn)).count();
            }
        }

        let named = document.and_then(Speech::option);
        let silent = silent_guards(plan, said, ended.rounds);
        let contest = if !silent.is_empty() {
            Some(Contest::Silent(silent))
        } else if document.is_none() {
            Some(Contest::NoSynthesis)
        } else if let Some(reason) = ended.escalated {
            Some(Contest::Escalated(reason))
        } else if let Some(chosen) = &winner {
            (named != winner).then(|| Contest::OtherName { named, chosen: chosen.clone() })
        } else {
            Some(Contest::NoWinner)
        };
        let mut verdict = Verdict::new(Outcome::Decided);
        verdict.rounds = ended.rounds;
        verdict.options = winner.into_iter().collect();
        verdict.confidence = document
            .and_then(|speech| Synthesis::of(&speech.ballot))
            .map_or(Confidence::Medium, |synthesis| synthesis.confidence);
        if let Some(why) = contest {
            verdict.leave_open(why);
        }
        if let Some(reason) = &ended.halted {
            verdict.note(notes::referee_halted(reason));
        }
        if misrepresented > 0 {
            verdict.note(notes::misrepresented(misrepresented));
        }
        let rule = Rule { wins: Wins::Majority, quorum: quorum(plan.debaters().len()) };
        verdict.robustness = Some(robustness::of_votes(plan, &votes, said, rule));
        verdict.votes = votes;
        verdict.changes = changes;
        verdict.abstentions = abstentions;
        verdict.reasons = reasons;
        verdict.dissents = dissents;
        let found = adversity::unchallenged(plan, RESPONSE, said);
        adversity::hold_against(plan, &mut verdict, found);
        parts::settle(&mut verdict, record);
        Ok(verdict)
    }

    fn position(&self, plan: &Plan, seat: &Seat, counting: &Counting) -> Ask {
        let sections = if seat.id.as_str() == "moonshot" { MOONSHOT_SECTIONS } else { POSITION_SECTIONS };
        let form = Form::asking::<Position>("panel/position", sections)
            .or_memo(MEMO_LACKS)
            .rail(parts::no_stamp(&seat.id, &[]));
        let form = parts::beside_vote(form, plan, &seat.id, counting);
        Ask::new(parts::key(POSITION, 0, seat), blind(), form, "panel/position")
    }

    /// `current` are the latest words of every seat, `said` is all that was said.
    fn response(
        &self,
        plan: &Plan,
        seat: &Seat,
        round: u16,
        current: &[&Turn],
        said: &[&Turn],
        counting: &Counting,
    ) -> Ask {
        let sections = if seat.id.as_str() == "moonshot" { MOONSHOT_RESPONSE_SECTIONS } else { RESPONSE_SECTIONS };
        let form = Form::asking::<Response>("panel/response", sections)
            .or_memo(MEMO_LACKS)
            .rail(parts::no_stamp(&seat.id, current))
            .rail(parts::owes_challenge(plan, &seat.id, current));
        let mut form = parts::beside_vote(form, plan, &seat.id, counting);
        let held = parts::held(plan, &seat.id, said);
        if let Some(from) = held.clone() {
            form = form.rail(Rail::ChangeNeedsCause { from, citable: parts::citable(&seat.id, said) });
        }
        let held = held.map(|option| plan.option_name(&option)).unwrap_or_default();
        Ask::new(parts::key(RESPONSE, round, seat), parts::seeing(&seat.id, current), form, "panel/response")
            .fact("held", held)
    }

    fn insufficient(
        &self,
        plan: &Plan,
        record: &Record<'_>,
        said: &[&Turn],
        rounds: u16,
        shortage: Shortage,
    ) -> Verdict {
        let mut verdict = Verdict::new(Outcome::Insufficient);
        let seats = plan.debaters();
        let ids: Vec<&SeatId> = seats.iter().map(|seat| &seat.id).collect();
        let (cast, changes) = parts::votes(plan, &ids, said);
        verdict.rounds = rounds;
        verdict.reasons = parts::reasons(&cast, said);
        (verdict.votes, verdict.abstentions) = Counting::after(plan, said).split(cast);
        verdict.changes = changes;
        verdict.note(notes::too_few(shortage, seats.len()));
        parts::settle(&mut verdict, record);
        verdict
    }
}

fn spoke_in(said: &[&Turn], stage: Stage, round: u16, seat: &Seat) -> bool {
    let key = TurnKey::new(stage, round, &seat.id);
    said.iter().any(|turn| turn.key == key && turn.speech().is_some())
}

fn someone_asks(said: &[&Turn], round: u16) -> bool {
    said.iter()
        .filter(|turn| turn.key.stage == RESPONSE && turn.key.round == round)
        .filter_map(|turn| turn.ballot())
        .any(|response: Response| response.converge == Some(true))
}

fn poll(seat: &Seat, round: u16, active: &[&Seat], said: &[&Turn]) -> Ask {
    let form = Form::asking::<Poll>("panel/poll", &[]);
    Ask::new(parts::key(POLL, round, seat), parts::seeing(&seat.id, &parts::latest(active, said)), form, "panel/poll")
}

fn rule(referee: &Seat, round: u16, said: &[&Turn]) -> Ask {
    let form = Form::asking::<Ruling>("panel/referee", &[]);
    let read = said
        .iter()
        .filter(|turn| turn.key.stage == RESPONSE && turn.key.round + 2 > round && turn.speech().is_some())
        .map(|turn| turn.key.clone())
        .collect();
    Ask::new(parts::key(REFEREE, round, referee), Reads::Attributed(read), form, "panel/referee")
        .fact("repeated", repetition(said, round))
}

/// How much of this round's arguments was said before, in percent of their distinct words: a hint for the referee.
fn repetition(said: &[&Turn], round: u16) -> String {
    let vocabulary = |wanted: &dyn Fn(u16) -> bool| -> BTreeSet<String> {
        said.iter()
            .filter(|turn| turn.key.stage == RESPONSE && wanted(turn.key.round))
            .filter_map(|turn| turn.speech())
            .flat_map(|speech| speech.arguments())
            .flat_map(|argument| words(&argument.text).collect::<Vec<_>>())
            .filter(|word| word.chars().count() > 3)
            .collect()
    };
    let now = vocabulary(&|r| r == round);
    let before = vocabulary(&|r| r < round);
    match now.len() {
        0 => "no arguments were listed".to_owned(),
        all => format!(
            "{}% of the words of this round's arguments were used in earlier rounds",
            100 * now.intersection(&before).count() / all
        ),
    }
}

fn dissents(
    votes: &[tally::Vote],
    winner: Option<&OptionId>,
    reasons: &[crate::verdict::Reason],
    said: &[&Turn],
) -> Vec<Dissent> {
    votes
        .iter()
        .filter_map(|vote| {
            let formal = said
                .iter()
                .rev()
                .filter(|turn| *turn.seat() == vote.seat && turn.key.stage == RESPONSE)
                .filter_map(|turn| turn.ballot::<Response>())
                .find_map(|response| response.dissent)
                // A later "none" withdraws it.
                .filter(|text| !is_no_dissent(text));
            let outvoted = winner.is_some_and(|winner| vote.counted != *winner);
            let text = match formal {
                Some(text) => text,
                None if outvoted => reasons.iter().find(|r| r.seat == vote.seat).map(|r| r.text.clone())?,
                None => return None,
            };
            Some(Dissent { seat: vote.seat.clone(), option: Some(vote.counted.clone()), text })
        })
        .collect()
}

fn seats_of(dissents: &[Dissent]) -> String {
    dissents.iter().map(|dissent| dissent.seat.to_string()).collect::<Vec<_>>().join(", ")
}

fn is_no_dissent(text: &str) -> bool {
    ["none", "no", "no dissent", "n/a", "na", "null"]
        .contains(&text.trim().trim_end_matches('.').to_lowercase().as_str())
}

/// Who writes the synthesis: the one who is named, or the first of those the seeds name, or the first who speaks.
pub fn synthesizer<'s>(named: Option<&SeatId>, seats: &[&'s Seat]) -> Option<&'s Seat> {
    let present = |id: &str| seats.iter().find(|seat| seat.id.as_str() == id).copied();
    named
        .and_then(|id| present(id.as_str()))
        .or_else(|| ["software-architect", "lead-specialist", "ceo", "delivery-lead"].into_iter().find_map(present))
        .or_else(|| seats.first().copied())
}

/// Who moves the referee where nobody says so: the first agent that does not move the synthesizer, or else the
/// synthesizer's; where only people and outside sessions sit, an outside session.
fn referee_hand(named: Option<&SeatId>, debaters: &[&Seat]) -> Hand {
    let writer = synthesizer(named, debaters).map(|seat| &seat.hand);
    let agents = || debaters.iter().map(|seat| &seat.hand).filter(|hand| hand.is_agent());
    agents().find(|hand| Some(*hand) != writer).or_else(|| agents().next()).cloned().unwrap_or(Hand::Outside)
}

fn synthesis(plan: &Plan, writer: &Seat, said: &[&Turn], winner: Option<&OptionId>, dissents: &[Dissent]) -> Ask {
    let others = dissents.iter().map(|dissent| dissent.seat.clone()).collect();
    let form =
        Form::asking::<Synthesis>("panel/synthesis", SYNTHESIS_SECTIONS).rail(Rail::KeepsDissents { seats: others });
    let last = said.iter().filter(|turn| turn.speech().is_some()).map(|turn| turn.key.round).max().unwrap_or(0);
    let read = said
        .iter()
        .filter(|turn| {
            let dissents = turn.ballot().is_some_and(|response: Response| response.dissent.is_some());
            turn.speech().is_some() && (turn.key.round == last || turn.key.stage == POSITION || dissents)
        })
        .map(|turn| turn.key.clone())
        .collect();
    let winner = winner.map(|option| plan.option_name(option)).unwrap_or_default();
    Ask::new(parts::key(SYNTHESIS, 0, writer), Reads::Attributed(read), form, "panel/synthesis")
        .fact("winner", winner)
        .fact("dissenting", seats_of(dissents))
}

/// A reviewer reads the document and its own last words, to hold one against the other.
fn review(stage: Stage, seat: &Seat, document: &Turn, said: &[&Turn]) -> Ask {
    let form = Form::asking::<Review>("panel/review", &[]);
    let mut read = vec![document.key.clone()];
    read.extend(parts::latest(&[seat], said).into_iter().map(|turn| turn.key.clone()));
    Ask::new(parts::key(stage, 0, seat), Reads::Attributed(read), form, "panel/review")
}

/// A review that says a dissent is misrepresented. "Not accurate" without saying what opens no correction round.
fn objects(turn: &Turn) -> bool {
    let Some(Review { accurate: false, misrepresented: Some(what), .. }) = turn.ballot() else { return false };
    !is_no_dissent(&what) && !contains_phrase(&what, "not applicable")
}

fn correction(
    plan: &Plan,
    writer: &Seat,
    first: &Turn,
    reviews: &[&Turn],
    winner: Option<&OptionId>,
    dissents: &[Dissent],
) -> Ask {
    let others = dissents.iter().map(|dissent| dissent.seat.clone()).collect();
    let form =
        Form::asking::<Synthesis>("panel/synthesis", SYNTHESIS_SECTIONS).rail(Rail::KeepsDissents { seats: others });
    let mut read = vec![first.key.clone()];
    read.extend(reviews.iter().filter(|turn| objects(turn)).map(|turn| turn.key.clone()));
    Ask::new(parts::key(CORRECTION, 0, writer), Reads::Attributed(read), form, "panel/correction")
        .fact("winner", winner.map(|option| plan.option_name(option)).unwrap_or_default())
        .fact("dissenting", seats_of(dissents))
}
