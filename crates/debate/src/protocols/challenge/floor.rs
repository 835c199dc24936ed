//! Where the confrontation stands: who still objects, what the lead answered to whom, and how its position moved.

use super::OPENING;
use super::ballots::{Agreement, ChallengeFile, Critique, LeadAnswer, Rebuttal, Strength};
use super::points;
use crate::model::ballot::Ballot;
use crate::model::objections::{AnswerWord, RebuttalWord};
use crate::model::plan::{OptionId, Plan, Seat, SeatId};
use crate::model::profile::Point;
use crate::model::ruling::{Abstention, Cause, Position};
use crate::model::turn::{Speech, Turn};
use crate::model::voting::Merit;
use crate::protocols::parts::{self, Eligibility};
use crate::rules::anonymity::Speakers;
use crate::rules::reading::is_rubber_stamp;

/// A challenger's stand as it develops.
pub(super) struct ChallengerStand<'t> {
    pub(super) first: &'t Turn,
    pub(super) last: &'t Turn,
    pub(super) settled: bool,
    pub(super) escalated: bool,
    pub(super) doubted: bool,
    /// The last turn in which it objected, where it gave way since without a ground.
    pub(super) gave_way_from: Option<&'t Turn>,
}

impl<'t> ChallengerStand<'t> {
    pub(super) fn open(turn: &'t Turn, points: &[Point]) -> Self {
        let critique: Option<Critique> = turn.ballot();
        let says_agree = critique.as_ref().is_some_and(|critique| critique.verdict == Agreement::Agree);
        let doubted = says_agree && !critique.as_ref().is_some_and(|critique| is_substantive(critique, points));
        let settled = critique.is_some_and(|critique| match critique.verdict {
            // Whatever word stands before it, a strong objection is confronted.
            Agreement::Agree => !doubted && critique.objection_strength != Some(Strength::Strong),
            Agreement::Partial => critique.objection_strength == Some(Strength::Minor),
            Agreement::Disagree => false,
        });
        Self { first: turn, last: turn, settled, escalated: false, doubted, gave_way_from: None }
    }

    /// The turn that says what is held against the lead: giving way without a ground takes nothing back.
    pub(super) fn objection(&self) -> &'t Turn {
        self.gave_way_from.unwrap_or(self.last)
    }

    /// Whether it objects, and so little that it stands in nobody's way.
    pub(super) fn is_minor_objection(&self) -> bool {
        let is_partial = |critique: Critique| critique.verdict == Agreement::Partial;
        self.settled && self.objection().ballot().is_some_and(is_partial)
    }

    pub(super) fn seat(&self) -> &SeatId {
        self.first.seat()
    }
}

/// Agreement counts only with something of one's own: what was looked for at which point of the lead, and no stock phrase.
fn is_substantive(critique: &Critique, points: &[Point]) -> bool {
    !is_rubber_stamp(&critique.critique, "") && points::has_examined(&critique.examined, points)
}

/// An answer of the lead, and to whose open objections.
struct Answer<'t> {
    turn: &'t Turn,
    to: Vec<SeatId>,
}

/// Where the confrontation stands.
pub(super) struct Floor<'t> {
    pub(super) lead: &'t Turn,
    pub(super) stands: Vec<ChallengerStand<'t>>,
    answers: Vec<Answer<'t>>,
}

impl<'t> Floor<'t> {
    /// The lead's opening, and what the challengers who spoke say to it.
    pub(super) fn new(lead: &'t Turn, challenges: &[&'t Turn], points: &[Point]) -> Self {
        let spoken = challenges.iter().filter(|turn| turn.speech().is_some());
        let stands = spoken.map(|turn| ChallengerStand::open(turn, points)).collect();
        Self { lead, stands, answers: Vec::new() }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.open().next().is_none()
    }

    /// Those of these challengers whose objections are open.
    pub(super) fn objectors<'s>(&self, challengers: &[&'s Seat]) -> impl Iterator<Item = &'s Seat> {
        challengers.iter().copied().filter(|seat| self.open().any(|stand| *stand.seat() == seat.id))
    }

    /// The lead answers every open objection.
    pub(super) fn answer(&mut self, turn: &'t Turn) {
        let to = self.open().map(|stand| stand.seat().clone()).collect();
        self.answers.push(Answer { turn, to });
    }

    /// The option that the lead is for now.
    pub(super) fn option(&self) -> Option<OptionId> {
        self.position().speech().and_then(Speech::option)
    }

    pub(super) fn open(&self) -> impl Iterator<Item = &ChallengerStand<'t>> {
        self.stands.iter().filter(|stand| !stand.settled)
    }

    /// Silence is not agreement: an absent rebuttal leaves the objection open.
    pub(super) fn take(&mut self, reply: &'t Turn, gives_way: Option<Merit>) {
        let Some(rebuttal) = reply.ballot::<Rebuttal>() else { return };
        if let Some(stand) = self.stands.iter_mut().find(|stand| stand.first.seat() == reply.seat()) {
            let objected = stand.objection();
            stand.last = reply;
            stand.gave_way_from = None;
            match rebuttal.response {
                RebuttalWord::Accept if gives_way == Some(Merit::Unearned) => {
                    stand.escalated = false;
                    stand.gave_way_from = Some(objected);
                }
                RebuttalWord::Accept => stand.settled = true,
                RebuttalWord::Escalate => stand.escalated = true,
                RebuttalWord::Maintain => stand.escalated = false,
            }
        }
    }

    /// Leaves out who does not count: a challenger is then neither for nor against.
    pub(super) fn leave_out_ungrounded(&mut self, lead: &Seat, counting: &Eligibility) -> Vec<Abstention> {
        let (kept, out): (Vec<ChallengerStand<'t>>, Vec<ChallengerStand<'t>>) =
            std::mem::take(&mut self.stands).into_iter().partition(|stand| counting.has(stand.seat()));
        self.stands = kept;
        let of_lead = (!counting.has(&lead.id)).then(|| parts::abstention(&lead.id, self.option()));
        of_lead.into_iter().chain(out.iter().map(|stand| parts::abstention(stand.seat(), None))).collect()
    }

    /// The lead's latest word.
    pub(super) fn position(&self) -> &'t Turn {
        self.answers.last().map_or(self.lead, |answer| answer.turn)
    }
}

/// A challenger's stand in a word, and what it says.
pub(super) fn last_word(turn: &Turn) -> (String, String) {
    if let Some(Rebuttal { response, reason, .. }) = turn.ballot() {
        (response.word().to_owned(), reason.0)
    } else if let Some(critique) = turn.ballot::<Critique>() {
        (critique.stand(), critique.critique.0)
    } else {
        (String::new(), String::new())
    }
}

/// v1 is the opening; each answer whose position differs from the one before is a new version.
pub(super) fn positions(plan: &Plan, floor: &Floor<'_>) -> Vec<Position> {
    let mut all: Vec<Position> = Vec::new();
    let opening = Answer { turn: floor.lead, to: Vec::new() };
    for answer in [&opening].into_iter().chain(&floor.answers) {
        let Some(speech) = answer.turn.speech() else { continue };
        let Some(text) = ChallengeFile::of(&speech.ballot).and_then(|said| said.position) else { continue };
        let round = if answer.turn.key.stage == OPENING { 0 } else { answer.turn.key.round };
        if all.last().is_some_and(|last| last.text == text) {
            continue;
        }
        let because = causes(plan, answer, speech);
        all.push(Position { version: u16::try_from(all.len() + 1).unwrap_or(u16::MAX), round, text, because });
    }
    all
}

/// What changed the position: the open objections that the answer takes up, and what the lead says besides. Nobody is
/// credited who had no open objection.
fn causes(plan: &Plan, answer: &Answer<'_>, speech: &Speech) -> Vec<Cause> {
    let speakers = Speakers::of(plan, answer.turn.seat());
    let Some(LeadAnswer { answers, changed_because, .. }) = LeadAnswer::of(&speech.ballot) else { return Vec::new() };
    let taken_up = answers.iter().filter(|one| one.answer != AnswerWord::Reject);
    let mut all: Vec<Cause> = taken_up
        .filter_map(|one| {
            let seat = speakers.seat(&one.to).filter(|seat| answer.to.contains(seat))?;
            Some(Cause { seat: Some(seat.clone()), text: one.reason.to_string() })
        })
        .collect();
    for said in &changed_because {
        if speakers.named_in(plan, said).iter().all(|seat| answer.to.contains(seat)) {
            all.push(Cause { seat: None, text: speakers.retold(plan, said, &|seat, _| seat.to_string()) });
        }
    }
    all
}
