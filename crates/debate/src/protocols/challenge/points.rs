//! The points of a lead's opening, numbered, so that a challenger can say which of them it examined.

use super::ballots::Opening;
use crate::ballot;
use crate::model::ballot::Ballot;
use crate::model::form::BALLOT_LIST_LIMIT;
use crate::model::profile::Point;
use crate::model::turn::{Argument, Speech, title_matches};
use crate::rules::reading::is_rubber_stamp;
use forge_prose::measure::items;
use forge_prose::words::words;

ballot! {
    /// What an opening's ballot says beside its sections.
    #[derive(Default)]
    struct OpeningBallot {
        #[like(Opening)]
        arguments: Vec<Argument>,
        #[like(Opening)]
        reason: Option<String>,
        weaknesses: Vec<String>,
        #[like(Opening)]
        assumptions: Vec<String>,
    }
}

/// The points of an opening: the items of its sections, or their paragraphs where nothing is listed. Where a section is
/// missing, the ballot speaks for it.
pub fn points(opening: &Speech) -> Vec<Point> {
    let OpeningBallot { arguments, reason, weaknesses, assumptions } =
        OpeningBallot::of(&opening.ballot).unwrap_or_default();
    let reasons: Vec<String> = match arguments {
        arguments if arguments.is_empty() => reason.into_iter().collect(),
        arguments => arguments.into_iter().map(|argument| argument.text.0).collect(),
    };
    let of = |letter: char, title: &str, otherwise: Vec<String>| {
        let section = opening.sections.iter().find(|section| title_matches(&section.title, title));
        let found = section.map(|section| listed(&section.body)).filter(|found| !found.is_empty());
        let all = found.unwrap_or(otherwise).into_iter().take(BALLOT_LIST_LIMIT).enumerate();
        all.map(move |(i, text)| Point { label: format!("{letter}{}", i + 1), text }).collect::<Vec<_>>()
    };
    let mut all = of('R', "Reasoning", reasons);
    all.extend(of('W', "Weaknesses", weaknesses));
    all.extend(of('A', "Assumptions", assumptions));
    all
}

fn listed(body: &str) -> Vec<String> {
    match items(body) {
        items if items.is_empty() => {
            body.split("\n\n").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
        }
        items => items,
    }
}

/// Whether a challenger says of one of the lead's points what it looked for: something of its own, not the point again.
pub(super) fn has_examined(examined: &[String], points: &[Point]) -> bool {
    examined.iter().any(|entry| {
        let said = words(entry);
        let is_label = |word: &String| points.iter().any(|point| point.label.eq_ignore_ascii_case(word));
        let looked_for: Vec<String> = said.iter().filter(|word| !is_label(word)).cloned().collect();
        let repeats = |point: &Point| words(&point.text) == looked_for;
        said.iter().any(is_label) && !is_rubber_stamp(&looked_for.join(" "), "") && !points.iter().any(repeats)
    })
}
