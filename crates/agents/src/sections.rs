//! The sections of a composed reply: by their shape, with what a few well-known titles call for.
//!
//! A title that is not known here still gets a body of the right shape, so a new form works before anybody teaches this
//! file its titles.

use crate::spoken::{Spoken, words};
use crate::voice::{Voice, named, one_line, sentence};
use forge_debate::brief::Peer;
use forge_debate::form::{Rail, SectionRule, Shape};
use forge_debate::plan::{Choice, SeatId};
use forge_prose::measure::sentences;

/// The most characters of a peer's words that are repeated in a summary.
const PEER_CHARS: usize = 400;
/// The most characters of a dissent; it is kept word for word.
const DISSENT_CHARS: usize = 8_000;

/// Titles whose bodies are a few fixed words around the option. `{question}` is one of the role's own.
#[rustfmt::skip]
const PHRASES: &[(&str, &str)] = &[
    ("Success Criteria", "It counts as a success when this has an answer that somebody checked: {question}"),
    ("Risk Acceptance", "Acceptable is what can be undone; everything else needs an answer first. {question}"),
    ("Hidden Assumptions", "That everybody means the same by {option}; that the other options stay open meanwhile. {question}"),
    ("Failure Modes", "{doubt} {question}"),
    ("Second-Order Effects", "Whatever is chosen will be built upon by people who were not asked. {question}"),
    ("Resource Requirements", "A rehearsal has no figures for time and cost. {ground}"),
    ("Dependency Analysis", "Before {option} can start, this needs an answer: {question}"),
    ("Operational Constraints", "{doubt} {question}"),
    ("Key Tradeoffs", "Gained: {ground} Given up: {doubt}"),
    ("Decision Criteria", "A rehearsal weighs nothing and gives no scores. What would have to be weighed:\n\n- {question}\n- {question2}"),
    ("Fallback Plan", "If {option} has to be stopped: back to how things are now, and the question is debated again with what was learned."),
    ("Risks Missed", "{doubt} {question}"),
    ("Moonshot", "The ambitious version: {option} for everybody whom the question touches, and whatever becomes possible next."),
    ("Stepping Stone", "The first step: {option} for one small part, and a date on which it is kept or undone."),
    ("Weaknesses", "{doubt}"),
    ("Risks", "{doubt} {question}"),
];

/// What a reply says so far, for sections that repeat or explain it.
pub(crate) struct Said<'a> {
    /// Who speaks.
    pub(crate) voice: &'a Voice<'a>,
    /// The option that the reply speaks for.
    pub(crate) chosen: Option<&'a Choice>,
    pub(crate) spoken: &'a Spoken,
}

/// The body of a section.
pub(crate) fn body(rule: &SectionRule, said: &Said<'_>) -> String {
    let (voice, chosen) = (said.voice, said.chosen);
    // Sections of one reply begin elsewhere in the stock of questions, so that they do not all ask the first.
    let place = voice.brief.form.sections.iter().position(|other| other.title == rule.title).unwrap_or(0);
    match rule.shape {
        Shape::Sentences(most) => brief_case(most, said),
        Shape::Items(least) => items(rule.title, least, said),
        Shape::Questions(least) => {
            (0..least.max(1)).map(|nth| format!("- {}", voice.question(nth))).collect::<Vec<_>>().join("\n")
        }
        Shape::Table(columns) => table(columns, rule.hint, said),
        Shape::Mentions(parts) => parts
            .iter()
            .map(|part| format!("- {part}: not known; a rehearsal has no figures."))
            .collect::<Vec<_>>()
            .join("\n"),
        Shape::Read(read) => match read.name {
            "threshold" => format!(
                "- An action item is still open 14 days after its date.\n    - Detection: somebody to be named looks at the list.\n    - Timeline: every week.\n    - Fallback: stop, and take up the fallback plan.\n- This is still without an answer after 30 days: {}",
                voice.question(0)
            ),
            "go-word" => {
                format!("**Status:** {}\n\n{}", words(&said.spoken.recommendation), words(&said.spoken.reason))
            }
            _ => decision(rule.title, said),
        },
        Shape::Text | Shape::TextOrNone | Shape::Line => text(rule.title, place, said)
            .unwrap_or_else(|| format!("{} {}", voice.ground(place, chosen), voice.question(place))),
    }
}

/// At most so many sentences.
fn brief_case(most: usize, said: &Said<'_>) -> String {
    let mut body = said.voice.ground(0, said.chosen);
    for nth in 1..most.min(3) {
        let longer = format!("{body} {}", said.voice.ground(nth, said.chosen));
        if sentences(&longer) <= most {
            body = longer;
        }
    }
    body
}

fn items(title: &str, least: usize, said: &Said<'_>) -> String {
    let voice = said.voice;
    let count = least.max(2);
    let item = |nth: usize| match title {
        "Action Items" => {
            format!("- Somebody to be named, by a date to be set: find an answer to this. {}", voice.question(nth))
        }
        "Reasoning" => format!("{}. {}", nth + 1, voice.ground(nth, said.chosen)),
        _ => format!("- {}", voice.ground(nth, said.chosen)),
    };
    (0..count).map(item).collect::<Vec<_>>().join("\n")
}

/// The columns that the hint lists, where it does; they include the ones that are required.
fn table(columns: &[&str], hint: &str, said: &Said<'_>) -> String {
    let listed: Vec<&str> = hint.trim_end_matches('.').split('|').map(str::trim).collect();
    let complete = listed.len() > 1 && columns.iter().all(|column| listed.contains(column));
    let head: Vec<&str> = if complete { listed } else { columns.to_vec() };
    let row = |nth: usize| {
        let cells: Vec<String> = head
            .iter()
            .map(|column| match *column {
                "Risk" => said.voice.doubt(nth, said.chosen),
                "Owner" => "to be named".to_owned(),
                "Mitigation" => said.voice.question(nth).to_owned(),
                _ => "not known".to_owned(),
            })
            .collect();
        format!("| {} |", cells.join(" | "))
    };
    let rule = vec!["---"; head.len()].join(" | ");
    format!("| {} |\n| {rule} |\n{}\n{}", head.join(" | "), row(0), row(1))
}

/// Names the option by id and label, because either may be what a reader looks for.
fn decision(title: &str, said: &Said<'_>) -> String {
    let voice = said.voice;
    let Some(chosen) = said.chosen else { return voice.ground(0, None) };
    let stand = format!("Option {}, {}. {}", chosen.id, named(said.chosen), voice.ground(0, said.chosen));
    if title != "Final Decision" {
        let because = words(&said.spoken.convinced_because);
        let moved = if because.is_empty() { String::new() } else { format!("\n\nWhat changed my mind: {because}") };
        return format!("{stand}{moved}");
    }
    let refused = voice.brief.facts.flag("no_go");
    let answer = if refused {
        "\n\nAnswer to the NO-GO: it is not overruled by this line. Nothing starts before what it names has an owner, and the kill-switch below is how it is honoured."
    } else {
        ""
    };
    format!("**Chosen Option:** {}\n\n{stand}{answer}", chosen.id)
}

fn text(title: &str, place: usize, said: &Said<'_>) -> Option<String> {
    let (voice, spoken) = (said.voice, said.spoken);
    let body = match title {
        "Assessment" => every_option(said, |_| true),
        "Comparative Advantages" | "Rejected Alternatives" => {
            every_option(said, |option| Some(&option.id) != said.chosen.map(|chosen| &chosen.id))
        }
        "Challenges" | "Disagreements" => {
            listed(spoken.challenges.iter().map(|one| format!("- To {}: {}", one.to, one.text)))
        }
        "Answers" => {
            listed(spoken.answers.iter().map(|one| format!("- To {}: {}. {}", one.to, one.answer, one.reason)))
        }
        // A rehearsal has no answers; it may say that a question is open, as everybody may.
        "Answers to the Skeptic" => {
            let count: usize = voice.brief.facts.text("questions").parse().unwrap_or(0);
            let open = |nth: usize| {
                format!("- Q{nth}: open; somebody to be named finds an answer before the first action item.")
            };
            (1..=count).map(open).collect::<Vec<_>>().join("\n")
        }
        "Agreements" => agreements(said),
        "Risk Register" => table(&["Risk", "Probability", "Impact", "Owner"], "", said),
        "Debate Summary" => summary(said),
        "Dissents" => dissents(said),
        "Critique" => format!("{} {}", sentence(words(&spoken.critique)), voice.question(0)),
        "Position" if spoken.position.is_some() => {
            let changed = spoken.changed_because.join(" ");
            format!("{} {changed}", sentence(words(&spoken.position)))
        }
        "Confidence" => format!("{}: {}", words(&spoken.confidence), words(&spoken.reason)),
        "Reasoning" => format!("{} {}", voice.ground(0, said.chosen), voice.ground(1, said.chosen)),
        _ => {
            let (_, phrase) = PHRASES.iter().find(|(known, _)| *known == title)?;
            phrase
                .replace("{question2}", voice.question(place + 1))
                .replace("{question}", voice.question(place))
                .replace("{ground}", &voice.ground(place, said.chosen))
                .replace("{doubt}", &voice.doubt(place, said.chosen))
                .replace("{option}", &named(said.chosen))
        }
    };
    (!body.trim().is_empty()).then_some(body)
}

fn every_option(said: &Said<'_>, wanted: impl Fn(&Choice) -> bool) -> String {
    let lines: Vec<String> = said
        .voice
        .brief
        .options
        .iter()
        .filter(|option| wanted(option))
        .enumerate()
        .map(|(nth, option)| {
            let judged = if Some(&option.id) == said.chosen.map(|chosen| &chosen.id) {
                said.voice.ground(nth, Some(option))
            } else {
                said.voice.doubt(nth, Some(option))
            };
            format!("- Option {}: {judged}", option.id)
        })
        .collect();
    lines.join("\n")
}

fn listed(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| one_line(&line, DISSENT_CHARS)).collect::<Vec<_>>().join("\n")
}

fn agreements(said: &Said<'_>) -> String {
    let with: Vec<&str> = said
        .voice
        .brief
        .peers
        .iter()
        .filter(|peer| peer.option.is_some() && peer.option.as_ref() == said.chosen.map(|chosen| &chosen.id))
        .map(|peer| peer.prefix.as_str())
        .collect();
    let ground = said.voice.ground(1, said.chosen);
    match with.is_empty() {
        true => format!("With nobody on the option so far. What I would still sign: {ground}"),
        false => format!("With {} on the option, for a ground of my own: {ground}", with.join(", ")),
    }
}

fn summary(said: &Said<'_>) -> String {
    let lines: Vec<String> =
        said.voice.brief.peers.iter().map(|peer| format!("- **{}**: {}", peer.name, own_words(peer))).collect();
    lines.join("\n")
}

/// Every dissent that the form wants kept, under its seat's name and in its own words as far as this brief shows them.
pub(crate) fn dissents(said: &Said<'_>) -> String {
    let brief = said.voice.brief;
    let lines: Vec<String> = brief
        .form
        .rails
        .iter()
        .flat_map(|rail| match rail {
            Rail::KeepsDissents { seats } => seats.iter().collect(),
            _ => Vec::new(),
        })
        .map(|seat| format!("- **{seat}**: {}", words_of(seat, &brief.peers)))
        .collect();
    if lines.is_empty() {
        "None: no seat holds another option and none dissents formally.".to_owned()
    } else {
        lines.join("\n")
    }
}

fn words_of(seat: &SeatId, peers: &[Peer]) -> String {
    let turns = || peers.iter().rev().filter(|peer| peer.prefix == seat.as_str());
    let formal = turns().find_map(|peer| Spoken::in_ballot(&peer.ballot).dissent);
    // A correction reads the first synthesis and the reviews that object, not the rounds.
    let kept = || {
        let mark = format!("- **{seat}**: ");
        peers.iter().flat_map(|peer| peer.text.lines()).find_map(|line| line.strip_prefix(&mark).map(str::to_owned))
    };
    let objected = turns().find_map(|peer| Spoken::in_ballot(&peer.ballot).misrepresented);
    let words = formal.or_else(kept).or_else(|| turns().next().map(own_words));
    let words = one_line(&words.unwrap_or_else(|| "as its own turns say.".to_owned()), DISSENT_CHARS);
    match objected {
        Some(objection) => format!("{words} Its review adds: {}", one_line(&objection, DISSENT_CHARS)),
        None => words,
    }
}

/// What a peer gives as its reason, or else the start of what it said.
fn own_words(peer: &Peer) -> String {
    one_line(Spoken::in_ballot(&peer.ballot).reason.as_ref().unwrap_or(&peer.text), PEER_CHARS)
}
