//! Particular things to say, put through the ask's own form.

use crate::world::{IntoDatum, fields};
use forge_debate::datum::Fields;
use forge_debate::form::{Draft, Need, Rail, Writer};
use forge_debate::plan::{Plan, SeatId};
use forge_debate::record::Ask;
use forge_debate::turn::{Contribution, Speech};
use forge_prose::outline::Outline;

/// A reply taken apart the way the file formats do it.
pub(crate) fn draft(markdown: &str, ballot: Option<Fields>) -> Draft {
    let outline = Outline::of(markdown, 1);
    Draft {
        text: markdown.to_owned(),
        sections: outline.sections(markdown, 1, &(markdown.len()..markdown.len())),
        ballot,
        labels: outline.bold_labels(),
        memo: outline.memo_labels(),
        lookalikes: outline.lookalikes(),
        ..Draft::default()
    }
}

/// What the ask's form makes of this text and ballot; both must be in form. Sections that the form requires and the text has
/// not are written for it.
pub(crate) fn say(plan: &Plan, ask: &Ask, markdown: &str, ballot: Fields) -> Contribution {
    let mut markdown = markdown.to_owned();
    for rule in ask.form.sections.iter().filter(|rule| rule.need == Need::Required) {
        if !markdown.contains(&format!("## {}", rule.title)) {
            markdown.push_str(&format!("\n\n## {}\n\n- Two engineers for a quarter.\n", rule.title));
        }
    }
    let reading = ask.form.read(plan, &ask.key.seat, &draft(&markdown, Some(ballot)), Writer::Agent);
    match reading.speech {
        Some(speech) => Contribution::Speech(speech),
        None => panic!("{}: not in form: {:?}", ask.key, reading.defects),
    }
}

/// A speech of an ask's form that an outside writer left, without a ballot block.
pub(crate) fn left_outside(plan: &Plan, ask: &Ask, markdown: &str) -> Speech {
    let reading = ask.form.read(plan, &ask.key.seat, &draft(markdown, None), Writer::Outside);
    reading.speech.unwrap_or_else(|| panic!("{}: not in form: {:?}", ask.key, reading.defects))
}

/// A vote with an argument `a1` that only this seat makes.
pub(crate) fn vote(seat: &SeatId, option: &str) -> Fields {
    fields! {
        "option": option,
        "confidence": "HIGH",
        "reason": format!("{seat} measured {option} and found its latency halved"),
        "arguments": [fields! { "id": "a1", "text": format!("the {seat} argument for {option}") }],
    }
}

/// The same ballot with one more field.
pub(crate) fn with(mut ballot: Fields, name: &str, value: impl IntoDatum) -> Fields {
    ballot.set(name, value.into_datum());
    ballot
}

/// The same ballot with a challenge to the first of those whom the ask's form lets it challenge.
pub(crate) fn challenging(ask: &Ask, ballot: Fields) -> Fields {
    let peer = ask.form.rails.iter().find_map(|rail| match rail {
        Rail::OwesChallenge { peers } => peers.first(),
        _ => None,
    });
    match peer {
        Some(peer) => {
            with(ballot, "challenges", [fields! { "to": peer.as_str(), "text": "that ground does not hold" }])
        }
        None => ballot,
    }
}
