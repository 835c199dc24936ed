//! Where the confrontation stands: who still objects, what the lead answered to whom, and how its position moved.

use super::points::{self, Point};
use super::{OPENING, REBUTTAL};
use crate::anonymity::Speakers;
use crate::form::is_rubber_stamp;
use crate::plan::{Plan, SeatId};
use crate::tally::Standing;
use crate::turn::{Speech, Turn};
use crate::verdict::{Cause, Position};

/// A challenger's stand as it develops.
pub(super) struct Stand<'t> {
    pub(super) first: &'t Turn,
    pub(super) last: &'t Turn,
    pub(super) settled: bool,
    pub(super) escalated: bool,
    pub(super) doubted: bool,
    /// The last turn in which it objected, where it gave way since without a ground.
    pub(super) gave_way_from: Option<&'t Turn>,
}

impl<'t> Stand<'t> {
    pub(super) fn open(turn: &'t Turn, points: &[Point]) -> Self {
        let speech = turn.speech();
        let verdict = speech.map(|s| s.ballot.text("verdict")).unwrap_or("");
        let strength = speech.map(|s| s.ballot.text("objection_strength")).unwrap_or("");
        let doubted = verdict == "agree" && !speech.is_some_and(|speech| is_substantive(speech, points));
        // Whatever word stands before it, a strong objection is confronted.
        let agrees = verdict == "agree" && !doubted && strength != "strong";
        let settled = agrees || (verdict == "partial" && strength == "minor");
        Self { first: turn, last: turn, settled, escalated: false, doubted, gave_way_from: None }
    }

    /// The turn that says what is held against the lead: giving way without a ground takes nothing back.
    pub(super) fn objection(&self) -> &'t Turn {
        self.gave_way_from.unwrap_or(self.last)
    }

    /// Whether it objects, and so little that it stands in nobody's way.
    pub(super) fn is_minor_objection(&self) -> bool {
        let ballot = self.objection().speech().map(|speech| &speech.ballot);
        self.settled && ballot.is_some_and(|ballot| ballot.text("verdict") == "partial")
    }

    pub(super) fn seat(&self) -> &SeatId {
        self.first.seat()
    }
}

/// Agreement counts only with something of one's own: what was looked for at which point of the lead, and no stock phrase.
fn is_substantive(speech: &Speech, points: &[Point]) -> bool {
    !is_rubber_stamp(speech.ballot.text("critique"), "") && points::has_examined(&speech.ballot, points)
}

/// An answer of the lead, and to whose open objections.
pub(super) struct Answer<'t> {
    pub(super) turn: &'t Turn,
    pub(super) to: Vec<SeatId>,
}

/// Where the confrontation stands.
pub(super) struct Floor<'t> {
    pub(super) lead: &'t Turn,
    pub(super) stands: Vec<Stand<'t>>,
    pub(super) answers: Vec<Answer<'t>>,
}

impl<'t> Floor<'t> {
    pub(super) fn open(&self) -> impl Iterator<Item = &Stand<'t>> {
        self.stands.iter().filter(|stand| !stand.settled)
    }

    /// Silence is not agreement: an absent rebuttal leaves the objection open.
    pub(super) fn take(&mut self, reply: &'t Turn, gives_way: Option<Standing>) {
        let Some(speech) = reply.speech() else { return };
        if let Some(stand) = self.stands.iter_mut().find(|stand| stand.first.seat() == reply.seat()) {
            let objected = stand.objection();
            stand.last = reply;
            stand.gave_way_from = None;
            match speech.ballot.text("response") {
                "ACCEPT" if gives_way == Some(Standing::Unearned) => {
                    stand.escalated = false;
                    stand.gave_way_from = Some(objected);
                }
                "ACCEPT" => stand.settled = true,
                "ESCALATE" => stand.escalated = true,
                _ => stand.escalated = false,
            }
        }
    }

    /// Leaves out the stands of these challengers: neither agreement nor an open objection.
    pub(super) fn leave_out(&mut self, abstains: impl Fn(&SeatId) -> bool) -> Vec<SeatId> {
        let (out, kept) = std::mem::take(&mut self.stands).into_iter().partition(|stand| abstains(stand.seat()));
        self.stands = kept;
        Vec::<Stand<'t>>::into_iter(out).map(|stand| stand.seat().clone()).collect()
    }

    /// The lead's latest word.
    pub(super) fn position(&self) -> &'t Turn {
        self.answers.last().map_or(self.lead, |answer| answer.turn)
    }
}

/// A challenger's stand in a word, and what it says.
pub(super) fn last_word(turn: &Turn) -> (String, String) {
    let speech = turn.speech();
    let ballot = |name: &str| speech.map(|s| s.ballot.text(name)).unwrap_or("").to_owned();
    if turn.key.stage == REBUTTAL {
        (ballot("response"), ballot("reason"))
    } else {
        let strength = ballot("objection_strength");
        let word = match ballot("verdict").as_str() {
            "agree" => "agree".to_owned(),
            verdict if strength.is_empty() => verdict.to_owned(),
            verdict => format!("{verdict} ({strength})"),
        };
        (word, ballot("critique"))
    }
}

/// v1 is the opening; each answer whose position differs from the one before is a new version.
pub(super) fn positions(plan: &Plan, floor: &Floor<'_>) -> Vec<Position> {
    let mut all: Vec<Position> = Vec::new();
    let opening = Answer { turn: floor.lead, to: Vec::new() };
    for answer in [&opening].into_iter().chain(&floor.answers) {
        let Some(speech) = answer.turn.speech() else { continue };
        let text = speech.ballot.text("position").to_owned();
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
    let accepted = speech.ballot.records("answers").into_iter().filter(|entry| entry.text("answer") != "REJECT");
    let mut all: Vec<Cause> = accepted
        .filter_map(|entry| {
            let seat = speakers.seat(entry.text("to")).filter(|seat| answer.to.contains(seat))?;
            Some(Cause { seat: Some(seat.clone()), text: entry.text("reason").to_owned() })
        })
        .collect();
    for said in speech.ballot.texts("changed_because") {
        if speakers.named_in(plan, said).iter().all(|seat| answer.to.contains(seat)) {
            all.push(Cause { seat: None, text: speakers.retold(plan, said, &|seat, _| seat.to_string()) });
        }
    }
    all
}
