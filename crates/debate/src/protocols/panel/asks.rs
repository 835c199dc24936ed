//! What is asked of a panel's seats, referee and writer at each stage.

use super::ballots::{Poll, Position, RefereeRuling, Response, Review, Synthesis, is_nothing};
use super::sections::*;
use super::{CORRECTION, POLL, POSITION, REFEREE, RESPONSE, SYNTHESIS, objects};
use crate::model::form::{Form, Rail};
use crate::model::plan::{OptionId, Plan, Seat, words};
use crate::model::ruling::Dissent;
use crate::model::turn::{Stage, Turn};
use crate::protocols::parts::{self, Eligibility};
use crate::protocols::voters::Voters;
use crate::rules::record::{Ask, Reads};
use std::collections::BTreeSet;

/// What the seed's own memos do not have.
const MEMO_LACKS: &[&str] = &["confidence"];
const MOONSHOT: &str = "moonshot";

pub(super) fn positions(plan: &Plan) -> Vec<Ask> {
    let counting = Eligibility::after(plan, &[]);
    let position = |seat: &Seat| {
        let sections = if seat.id.as_str() == MOONSHOT { MOONSHOT_SECTIONS } else { POSITION_SECTIONS };
        let form = Form::asking::<Position>("panel/position", sections)
            .or_memo(MEMO_LACKS)
            .rail(parts::no_stamp(&seat.id, &[]));
        let form = parts::beside_vote(form, plan, &seat.id, &counting);
        Ask::new(parts::key(POSITION, 0, seat), Reads::Blind, form, "panel/position")
    };
    plan.debaters().into_iter().map(position).collect()
}

/// Every seat is shown the latest words of all.
pub(super) fn responses(panel: &Voters<'_, '_>, round: u16) -> Vec<Ask> {
    let (plan, current) = (panel.plan, panel.last_turns());
    let response = |seat: &Seat| {
        let sections = if seat.id.as_str() == MOONSHOT { MOONSHOT_RESPONSE_SECTIONS } else { RESPONSE_SECTIONS };
        let form = Form::asking::<Response>("panel/response", sections)
            .or_memo(MEMO_LACKS)
            .rail(parts::no_stamp(&seat.id, &current))
            .rail(parts::owes_challenge(plan, &seat.id, &current));
        let mut form = parts::beside_vote(form, plan, &seat.id, &panel.counting);
        let held = panel.held(&seat.id);
        if let Some(from) = held.clone() {
            form = form.rail(Rail::ChangeNeedsCause { from, citable: parts::citable(&seat.id, &panel.said) });
        }
        let held = held.map(|option| plan.option_name(&option)).unwrap_or_default();
        Ask::new(parts::key(RESPONSE, round, seat), parts::seeing(&seat.id, &current), form, "panel/response")
            .fact("held", held)
    };
    panel.seats.iter().copied().map(response).collect()
}

pub(super) fn polls(panel: &Voters<'_, '_>) -> Vec<Ask> {
    let current = panel.last_turns();
    let poll = |seat: &&Seat| {
        let form = Form::asking::<Poll>("panel/poll", &[]);
        Ask::new(parts::key(POLL, panel.round, seat), parts::seeing(&seat.id, &current), form, "panel/poll")
    };
    panel.seats.iter().map(poll).collect()
}

/// The referee reads this round and the one before.
pub(super) fn ruling(panel: &Voters<'_, '_>, referee: &Seat) -> Ask {
    let (said, round) = (&panel.said, panel.round);
    let form = Form::asking::<RefereeRuling>("panel/referee", &[]);
    let is_read = |turn: &&&Turn| turn.key.stage == RESPONSE && turn.key.round + 2 > round && turn.speech().is_some();
    let read = said.iter().filter(is_read).map(|turn| turn.key.clone()).collect();
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

/// The writer reads the positions, the last words, and every dissent.
pub(super) fn synthesis(panel: &Voters<'_, '_>, writer: &Seat, winner: Option<&OptionId>, dissents: &[Dissent]) -> Ask {
    let spoken = || panel.said.iter().filter(|turn| turn.speech().is_some());
    let last = spoken().map(|turn| turn.key.round).max().unwrap_or(0);
    let dissented = |turn: &Turn| {
        let dissent = turn.ballot().and_then(|response: Response| response.dissent);
        dissent.is_some_and(|text| !is_nothing(&text))
    };
    let is_read = |turn: &&&Turn| turn.key.round == last || turn.key.stage == POSITION || dissented(turn);
    let read = spoken().filter(is_read).map(|turn| turn.key.clone()).collect();
    let ask = Ask::new(
        parts::key(SYNTHESIS, 0, writer),
        Reads::Attributed(read),
        synthesis_form(dissents),
        "panel/synthesis",
    );
    telling(ask, panel.plan, winner, dissents)
}

/// The writer reads its document, and the reviews that object to it.
pub(super) fn correction(
    plan: &Plan,
    writer: &Seat,
    first: &Turn,
    reviews: &[&Turn],
    winner: Option<&OptionId>,
    dissents: &[Dissent],
) -> Ask {
    let mut read = vec![first.key.clone()];
    read.extend(reviews.iter().filter(|review| objects(review)).map(|review| review.key.clone()));
    let ask = Ask::new(
        parts::key(CORRECTION, 0, writer),
        Reads::Attributed(read),
        synthesis_form(dissents),
        "panel/correction",
    );
    telling(ask, plan, winner, dissents)
}

fn synthesis_form(dissents: &[Dissent]) -> Form {
    let seats = dissents.iter().map(|dissent| dissent.seat.clone()).collect();
    Form::asking::<Synthesis>("panel/synthesis", SYNTHESIS_SECTIONS).rail(Rail::KeepsDissents { seats })
}

/// With what the votes chose, and who dissents.
fn telling(ask: Ask, plan: &Plan, winner: Option<&OptionId>, dissents: &[Dissent]) -> Ask {
    let dissenting: Vec<&str> = dissents.iter().map(|dissent| dissent.seat.as_str()).collect();
    ask.fact("winner", winner.map(|option| plan.option_name(option)).unwrap_or_default())
        .fact("dissenting", dissenting.join(", "))
}

/// A reviewer reads the document and its own last words, to hold one against the other.
pub(super) fn reviews(stage: Stage, panel: &Voters<'_, '_>, writer: &Seat, document: &Turn) -> Vec<Ask> {
    let review = |seat: &Seat| {
        let mut read = vec![document.key.clone()];
        read.extend(parts::latest(&[seat], &panel.said).into_iter().map(|turn| turn.key.clone()));
        Ask::new(
            parts::key(stage, 0, seat),
            Reads::Attributed(read),
            Form::asking::<Review>("panel/review", &[]),
            "panel/review",
        )
    };
    panel.seats.iter().copied().filter(|seat| seat.id != writer.id).map(review).collect()
}
