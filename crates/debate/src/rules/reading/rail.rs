//! The rails: rules for a reply that depend on what was said before.

use crate::fact;
use crate::model::ballot::Ballot;
use crate::model::datum::Fields;
use crate::model::defect::{Defect, Need};
use crate::model::form::{Draft, Rail};
use crate::model::objections::{Exchange, RebuttalWord};
use crate::model::plan::{Plan, SeatId, contains_phrase};
use crate::model::turn::title_matches;
use crate::model::votes::BallotView;
use crate::rules::anonymity::Speakers;
use forge_prose::blanks::is_function_word;
use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::sync::LazyLock;

static EMPTY_WORDS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../../data/empty-words.txt")));

/// The fewest words of a reason that say something of their own.
const OWN_WORDS: usize = 3;
/// The fewest characters of a reason in a script whose words are not looked at.
const OTHER_SCRIPT_CHARS: usize = 8;
/// A text that is this short is no copy of another: two people may say it.
const COPY_CHARS: usize = 24;

pub(super) fn check_rail(rail: &Rail, plan: &Plan, seat: &SeatId, ballot: &Fields, draft: &Draft) -> Vec<Defect> {
    let said = BallotView::of(ballot).unwrap_or_default();
    match rail {
        Rail::NoRubberStamp { said: others } => {
            let Some(reason) = said.reason else { return Vec::new() };
            let label = said.option.and_then(|id| plan.option(&id)).map_or("", |option| option.label.as_str());
            let copied = |text: &String| text.chars().count() >= COPY_CHARS && words(text) == words(&reason);
            if is_rubber_stamp(&reason, label) {
                let fact = fact!(
                    "stamp",
                    "\"reason\" says too little of its own; name a ground: a cost, a risk, a fact, a property"
                );
                vec![Defect::new(Need::Required, fact)]
            } else if others.iter().chain([&plan.question]).any(copied) {
                vec![Defect::new(
                    Need::Required,
                    fact!("copy", "\"reason\" repeats another text of the debate; give a ground of your own"),
                )]
            } else {
                Vec::new()
            }
        }
        Rail::OwesChallenge { peers } => {
            if peers.is_empty() {
                return Vec::new();
            }
            let speakers = Speakers::of(plan, seat);
            let known = said.challenges.iter().any(|challenge| {
                // "I agree with everything" challenges nobody.
                !is_rubber_stamp(&challenge.text, "")
                    && speakers.seat(&challenge.to).is_some_and(|peer| peers.contains(&speakers.prefix(peer)))
            });
            if known {
                Vec::new()
            } else {
                let names = peers.join(", ");
                let fact = fact!(
                    "no_challenge",
                    "no position is challenged: \"challenges\" needs at least one entry whose \"to\" is one of {names}"
                );
                vec![Defect::new(Need::Due, fact).owes(fact!("no_challenge", "no position is challenged"))]
            }
        }
        Rail::ChangeNeedsCause { from, citable } => {
            let Some(to) = said.option else { return Vec::new() };
            let speakers = Speakers::of(plan, seat);
            let is_citable = |citation: &String| {
                let splits = citation.match_indices('.').map(|(i, _)| (&citation[..i], citation[i + 1..].trim()));
                let owned = splits.filter_map(|(owner, id)| Some((speakers.seat(owner)?, id)));
                owned.into_iter().any(|(owner, id)| {
                    citable.iter().any(|(seat, known)| seat == owner && known.eq_ignore_ascii_case(id))
                })
            };
            let has_cause = said.convinced_by.iter().any(is_citable);
            if to == *from || has_cause {
                Vec::new()
            } else {
                let fact = fact!(
                    "no_cause",
                    "the option changed from {from} to {to} but \"convinced_by\" cites no argument of another speaker (such as \"S1.a1\"); without one the earlier vote stands",
                    from = from,
                    to
                );
                let debt = fact!("no_cause", "no ground for the change from {from} to {to}", from = from, to);
                vec![Defect::new(Need::Due, fact).owes(debt)]
            }
        }
        Rail::YieldNeedsCause => {
            let response = Exchange::of(ballot).and_then(|said| said.response);
            if response != Some(RebuttalWord::Accept) || !said.convinced_by.is_empty() {
                Vec::new()
            } else {
                let fact = fact!(
                    "no_ground_for_yielding",
                    "you accept an answer that rejects your objection, but \"convinced_by\" cites no argument of the lead (such as \"S1.a1\"); without one your objection stands"
                );
                let debt = fact!("no_ground_for_yielding", "no ground for giving its objection up");
                vec![Defect::new(Need::Due, fact).owes(debt)]
            }
        }
        Rail::AnswersAll { objections } => {
            let speakers = Speakers::of(plan, seat);
            let answers = Exchange::of(ballot).unwrap_or_default().answers;
            let answered: Vec<&SeatId> = answers.iter().filter_map(|answer| speakers.seat(&answer.to)).collect();
            objections
                .iter()
                .filter(|objection| !speakers.seat(objection).is_some_and(|who| answered.contains(&who)))
                .map(|objection| {
                    let fact = fact!(
                        "unanswered",
                        "the objection of {objection} is not answered in \"answers\"",
                        objection = objection
                    );
                    Defect::new(Need::Due, fact)
                })
                .collect()
        }
        Rail::KeepsDissents { seats } => {
            let kept = draft.sections.iter().filter(|section| title_matches(&section.title, "Dissents"));
            let kept: String = kept.map(|section| format!("{} {}\n", section.title, section.body)).collect();
            // Whole words: "Refactor" names no cto.
            let is_missing = |dissenter: &&SeatId| !contains_phrase(&kept, dissenter.as_str());
            let missing = |dissenter: &SeatId| {
                let fact = fact!(
                    "dissent_left_out",
                    "section \"Dissents\" does not name {dissenter}; every dissent is kept by role",
                    dissenter = dissenter
                );
                Defect::new(Need::Required, fact)
            };
            seats.iter().filter(is_missing).map(missing).collect()
        }
    }
}

/// Whether a reason only agrees: without small words, general words of praise and assent, and the words of the option's
/// label it keeps fewer than three, or two where these are a third of it. Scripts other than Latin are measured by length alone.
pub fn is_rubber_stamp(reason: &str, label: &str) -> bool {
    let letters = reason.chars().filter(|c| c.is_alphabetic()).count();
    let latin = reason.chars().filter(|c| c.is_alphabetic() && u32::from(*c) < 0x250).count();
    if 2 * latin < letters {
        return letters < OTHER_SCRIPT_CHARS;
    }
    let label = words(label);
    let said = words(reason);
    let own = said.iter().enumerate().filter(|(i, word)| {
        let is_empty = EMPTY_WORDS.at(&said[*i..]) > 0 || is_function_word(word) || label.contains(word);
        !is_empty && word.chars().any(char::is_alphanumeric)
    });
    let own = own.count();
    // "Half the memory." says enough: what is short needs less of its own than a long phrase of assent.
    let is_terse = own + 1 == OWN_WORDS && OWN_WORDS * own >= said.len();
    own < OWN_WORDS && !is_terse
}
