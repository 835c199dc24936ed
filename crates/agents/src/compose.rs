//! Composes a reply in form, for any form: sections by their shape, ballot fields by their kind, rails by what they ask.
//!
//! Promises that the reply meets every rule of the form as far as the wishes allow: what a wish says is written as it
//! is, even where it breaks the form, because scripts want exactly that. Never decides anything but defaults; choices
//! are `conduct`'s.

use crate::sections::{self, Said};
use crate::spoken::Spoken;
use crate::voice::Voice;
use forge_debate::brief::{Brief, Peer};
use forge_debate::datum::{Datum, Fields, field_name};
use forge_debate::form::{Field, Kind, Need, Rail};
use forge_debate::plan::{Choice, words};
use forge_debate::turn::title_matches;

/// The most positions that one turn challenges.
const CHALLENGES: usize = 2;

/// What is to stand in a reply.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wishes {
    /// Values of the ballot; a null leaves the field out.
    pub(crate) ballot: Fields,
    /// Bodies of sections by title; nothing leaves the section out.
    pub(crate) sections: Vec<(String, Option<String>)>,
}

/// A reply in the brief's form that opens with `label`.
pub(crate) fn compose(brief: &Brief, label: &str, wishes: &Wishes) -> String {
    let voice = Voice::of(brief);
    let chosen = chosen(brief, &wishes.ballot);
    let ballot = fill(&voice, chosen, &wishes.ballot);
    let said = Said { voice: &voice, chosen, spoken: &Spoken::in_ballot(&ballot) };

    let mut text = format!("{label}\n\nThe question: {}\n", voice.debated());
    let wish = |title: &str| wishes.sections.iter().find(|(wanted, _)| title_matches(title, wanted));
    for rule in &brief.form.sections {
        let body = match wish(rule.title) {
            Some((_, body)) => body.clone(),
            None => Some(sections::body(rule, &said)),
        };
        if let Some(body) = body {
            text.push_str(&format!("\n## {}\n\n{}\n", rule.title, body.trim_end()));
        }
    }
    for (title, body) in &wishes.sections {
        let foreign = !brief.form.sections.iter().any(|rule| title_matches(rule.title, title));
        if let (true, Some(body)) = (foreign, body) {
            text.push_str(&format!("\n## {title}\n\n{}\n", body.trim_end()));
        }
    }
    let keeps = brief.form.rails.iter().any(|rail| matches!(rail, Rail::KeepsDissents { .. }));
    if keeps && !brief.form.sections.iter().any(|rule| rule.title == "Dissents") {
        text.push_str(&format!("\n## Dissents\n\n{}\n", sections::dissents(&said)));
    }
    while text.trim().chars().count() < brief.form.min_chars {
        text.push_str("\nA rehearsal has nothing to add here; the form asks for more characters than it needs.\n");
    }
    if !ballot.is_empty() {
        text.push_str(&format!("\n```json\n{}\n```\n", pretty(&ballot)));
    }
    text
}

/// The option that the reply speaks of: the one its ballot wishes for, the one held, or the one that a peer stands for.
/// None where nobody stands for any.
fn chosen<'b>(brief: &'b Brief, wishes: &Fields) -> Option<&'b Choice> {
    let wished =
        ["option", "options"].iter().find_map(|name| wishes.texts(name).first().map(|text| (*text).to_owned()));
    let by_words = |said: &String| {
        let by_id = brief.options.iter().find(|option| option.id.as_str().eq_ignore_ascii_case(said));
        by_id.or_else(|| forge_debate::plan::option_labelled(&brief.options, said))
    };
    let held = || brief.options.iter().find(|option| Some(&option.id) == brief.held.as_ref());
    if let Some(option) = wished.as_ref().and_then(by_words).or_else(held) {
        return Some(option);
    }
    let votes = brief.form.fields.iter().any(|field| matches!(field.kind, Kind::Option | Kind::Options));
    let spoken_for = brief.peers.iter().rev().find_map(|peer| peer.option.as_ref());
    brief.options.iter().find(|option| if votes { true } else { Some(&option.id) == spoken_for })
}

fn fill(voice: &Voice<'_>, chosen: Option<&Choice>, wishes: &Fields) -> Fields {
    let mut ballot = Fields::new();
    for field in &voice.brief.form.fields {
        let value = match wishes.get(field.name) {
            Some(wish) => Some(wish.clone()),
            None => standing(voice, chosen, field).or_else(|| default(voice, chosen, field)),
        };
        if let Some(value) = value {
            ballot.put(field.name, value);
        }
    }
    for (name, value) in wishes.iter() {
        ballot.put(field_name(name), value.clone());
    }
    ballot
        .iter()
        .filter(|(_, value)| **value != Datum::Null)
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect()
}

/// Fields whose meaning a rail or the record fixes.
fn standing(voice: &Voice<'_>, chosen: Option<&Choice>, field: &Field) -> Option<Datum> {
    let brief = voice.brief;
    match field.name {
        "arguments" => Some(Datum::List(
            voice.arguments(chosen).into_iter().map(|(id, text)| record(&[("id", id), ("text", text)])).collect(),
        )),
        "challenges" => Some(Datum::List(challenges(voice, chosen))),
        "answers" => Some(Datum::List(answers(voice, |_| "PARTIAL"))),
        // Where nothing can be quoted, nothing is: a made-up quote would only be looked up in vain.
        "quotes" => Some(brief.quotable.clone().map_or(Datum::Null, |passage| {
            Datum::List(vec![record(&[("source", passage.source), ("text", passage.text)])])
        })),
        "convinced_by" => convincing(voice, chosen).map(|(citation, _)| Datum::List(vec![Datum::from(citation)])),
        "convinced_because" => convincing(voice, chosen)
            .map(|(citation, text)| Datum::from(format!("{citation} weighs more than the ground I stood on: {text}"))),
        _ => None,
    }
}

/// Answers to all whom the form wants answered, each with the word that `word` has for it.
pub(crate) fn answers(voice: &Voice<'_>, word: impl Fn(&str) -> &'static str) -> Vec<Datum> {
    objections(voice.brief).into_iter().map(|to| answer(voice, to, word(to))).collect()
}

/// The answer of a lead to one objector.
fn answer(voice: &Voice<'_>, to: &str, word: &str) -> Datum {
    let held = voice.brief.options.iter().find(|option| Some(&option.id) == voice.held());
    let reason = match word {
        "ACCEPT" => format!("The point stands and becomes a condition. {}", voice.ground(0, held)),
        "REJECT" => format!("The point does not decide it. {}", voice.ground(1, held)),
        _ => format!("The point holds in part. {}", voice.ground(2, held)),
    };
    record(&[("to", to.to_owned()), ("answer", word.to_owned()), ("reason", reason)])
}

/// Those whose objections the form wants answered.
fn objections(brief: &Brief) -> Vec<&str> {
    brief
        .form
        .rails
        .iter()
        .flat_map(|rail| match rail {
            Rail::AnswersAll { objections } => objections.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        })
        .collect()
}

/// Challenges to those who may be challenged, first of all to those who hold something else.
fn challenges(voice: &Voice<'_>, chosen: Option<&Choice>) -> Vec<Datum> {
    let brief = voice.brief;
    let owed: Vec<&str> = brief
        .form
        .rails
        .iter()
        .flat_map(|rail| match rail {
            Rail::OwesChallenge { peers } => peers.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        })
        .collect();
    let peer = |prefix: &str| brief.peers.iter().rev().find(|peer| peer.prefix == prefix);
    let option = |peer: &Peer| brief.options.iter().find(|option| Some(&option.id) == peer.option.as_ref());
    let mut targets: Vec<(&str, Option<&Choice>)> =
        owed.iter().map(|prefix| (*prefix, peer(prefix).and_then(option))).collect();
    targets.sort_by_key(|(_, held)| held.map(|held| &held.id) == chosen.map(|chosen| &chosen.id));
    targets
        .into_iter()
        .take(CHALLENGES)
        .enumerate()
        .map(|(nth, (to, held))| {
            let same = held.is_some() && held.map(|held| &held.id) == chosen.map(|chosen| &chosen.id);
            let text = if same {
                format!("We hold the same option, and your case leaves this open: {}", voice.question(nth))
            } else {
                format!("{} {}", voice.doubt(nth, held), voice.question(nth))
            };
            record(&[("to", to.to_owned()), ("text", text)])
        })
        .collect()
}

/// What convinced this seat, if it leaves the option that it held: a peer's argument by its id, and its text.
fn convincing(voice: &Voice<'_>, chosen: Option<&Choice>) -> Option<(String, String)> {
    let (held, chosen) = (voice.held()?, chosen?);
    if *held == chosen.id {
        return None;
    }
    let cites = |peer: &Peer| {
        let argument = peer.arguments.first()?;
        Some((format!("{}.{}", peer.prefix, argument.id), crate::voice::one_line(&argument.text, 400)))
    };
    let peers = &voice.brief.peers;
    peers
        .iter()
        .filter(|peer| peer.option.as_ref() == Some(&chosen.id))
        .find_map(cites)
        .or_else(|| peers.iter().find_map(cites))
}

fn default(voice: &Voice<'_>, chosen: Option<&Choice>, field: &Field) -> Option<Datum> {
    let welcome_only = field.need == Need::Optional;
    match field.kind {
        Kind::Option => chosen.map(|option| Datum::from(option.id.as_str())),
        Kind::Options => chosen.map(|option| Datum::List(vec![Datum::from(option.id.as_str())])),
        _ if welcome_only => None,
        Kind::Word(all) => all.first().map(|word| Datum::from(*word)),
        Kind::Flag => Some(Datum::Flag(true)),
        Kind::Text(least) => Some(Datum::from(text(voice, chosen, field.name, least))),
        Kind::Texts(least) => {
            Some(Datum::List((0..least.max(1)).map(|nth| Datum::from(voice.ground(nth, chosen))).collect()))
        }
        Kind::Records(least, fields) => {
            let one = || {
                let filled =
                    fields.iter().filter_map(|inner| Some((inner.name.to_owned(), default(voice, chosen, inner)?)));
                Datum::Record(filled.collect())
            };
            Some(Datum::List((0..least.max(1)).map(|_| one()).collect()))
        }
    }
}

fn text(voice: &Voice<'_>, chosen: Option<&Choice>, name: &str, least: usize) -> String {
    let mut text = match name {
        "critique" | "why" => voice.doubt(0, chosen),
        "evidence" => format!(
            "Nothing was looked up for a rehearsal; the point rests on the question itself. {}",
            voice.question(0)
        ),
        "what_would_change" => format!("An answer that somebody has checked to this: {}", voice.question(0)),
        "angle" => voice.angle.concern.to_owned(),
        "reason" => {
            format!("I look at {}. {} {}", voice.angle.concern, voice.ground(0, chosen), voice.ground(1, chosen))
        }
        _ => voice.ground(0, chosen),
    };
    while words(&text).count() < least {
        text.push(' ');
        text.push_str(voice.question(0));
    }
    text
}

fn record(fields: &[(&str, String)]) -> Datum {
    Datum::Record(fields.iter().map(|(name, text)| ((*name).to_owned(), Datum::from(text.as_str()))).collect())
}

/// The ballot as JSON that a person can read: one field to a line.
fn pretty(ballot: &Fields) -> String {
    let lines: Vec<String> =
        ballot.iter().map(|(name, value)| format!("  {}: {}", Datum::from(name), spread(value))).collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

fn spread(value: &Datum) -> String {
    match value {
        Datum::List(items) if items.iter().any(|item| item.as_record().is_some()) => {
            let lines: Vec<String> = items.iter().map(|item| format!("    {item}")).collect();
            format!("[\n{}\n  ]", lines.join(",\n"))
        }
        other => other.to_string(),
    }
}
