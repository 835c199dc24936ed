//! A speaker that plainly says who it is has its label there for its peers; ordinary words stay; the record is never touched.

use crate::voices::Voices;
use crate::world::{self, Pace, key, run, seat, speech, turn};
use forge_debate::anonymity::Speakers;
use forge_debate::brief;
use forge_debate::datum::{Datum, Fields};
use forge_debate::form::{BallotBlock, Form};
use forge_debate::plan::{Naming, Plan};
use forge_debate::protocols::judges::OPENING;
use forge_debate::record::{Ask, Reads};
use forge_debate::texts::Texts;
use forge_debate::turn::{Contribution, Speech};

/// What `value` reads of words that `name` said.
fn shown(plan: &Plan, name: &str, said: &str) -> String {
    let told = key(OPENING, 1, name);
    let spoken = Speech { text: said.to_owned(), ..speech(Fields::new()) };
    let turns = [(told.clone(), turn(told.clone(), Contribution::Speech(spoken)))].into();
    let form = Form::new("x", &[], &[], BallotBlock::Optional);
    let reads = Reads::Peers { others: vec![told], own: Vec::new() };
    let ask = Ask::new(key(OPENING, 2, "value"), reads, form, "judges/challenge");
    let brief = brief::render(plan, &ask, &turns, &Texts::embedded()).unwrap();
    brief.peers.into_iter().chain(brief.own).next().unwrap().text
}

/// A plan of judges in which `risk` is called so.
fn judges(name: &str) -> Plan {
    let mut plan = world::plan("judges");
    plan.seats.iter_mut().filter(|one| one.id == seat("risk")).for_each(|one| one.id = seat(name));
    plan
}

#[test]
fn introductions_show_the_speakers_label() {
    for (name, said, expected) in [
        ("risk", "As the risk judge, I hold B.", "As {}, I hold B."),
        ("risk", "As the **Risk Judge** I hold B.", "As the **{}** I hold B."),
        ("risk", "# Risk Judge's assessment\n\nB.", "# {}'s assessment\n\nB."),
        ("risk", "From the risk-seat, B is worst.", "From {}, B is worst."),
        ("risk", "As risk, I hold B.", "As {}, I hold B."),
        ("risk", "Speaking as risk, B is worst.", "Speaking as {}, B is worst."),
        ("risk", "As Claude, I hold B.", "As {}, I hold B."),
        ("risk", "As Gemini 2.5 Pro, my vote is B.", "As {}, my vote is B."),
        ("risk", "I am GPT-5.", "I am {}."),
        ("risk", "I'm Claude Opus 4.1, and I hold B.", "I'm {}, and I hold B."),
        ("risk", "So it is. I’m claude-opus-4-1", "So it is. I’m {}"),
        ("contrarian", "I'm the contrarian. No.", "I'm {}. No."),
        ("cfo", "## CFO - Independent Position\n\nNo.", "## {} - Independent Position\n\nNo."),
        ("cfo", "# CFO\n\nNo.", "# {}\n\nNo."),
        ("software-architect", "### Software Architect: Position\nNo.", "### {}: Position\nNo."),
        ("software-architect", "As Software Architect, I see a wall.", "As {}, I see a wall."),
    ] {
        let plan = judges(name);
        let label = Speakers::of(&plan, &seat("value")).name(&seat(name));
        assert_eq!(shown(&plan, name, said), expected.replace("{}", &label), "{said:?}");
    }
}

#[test]
fn ordinary_words_stay() {
    for (name, said) in [
        ("risk", "The risk is high. As risk grows, we wait. As the risk I named shows, we wait. I am risk-averse."),
        (
            "risk",
            "As the risk, if there is any, is low, we wait. Such as risk, I would add. It counts as risk, I think.",
        ),
        ("risk", "## Risk Analysis\n\nRisk: high.\n\n- price\n- risk"),
        ("value", "As value accrues, I expect more. My value judgement stands. I value speed."),
        ("lead", "As lead times grow, I worry. I lead a team. I am in the lead."),
        ("operator", "As the operator I talked to said, it pages at night."),
        ("risk", "Claude is cheaper than GPT-5. As Claude, unlike GPT-5, has a limit, we wait. I'm GPT agnostic."),
        ("risk", "I am Claude-sceptical. Titan weighs more. I am the value judge of nothing."),
        ("a", "I am a sceptic. As a rule, I wait."),
    ] {
        assert_eq!(shown(&judges(if name == "value" { "risk" } else { name }), name, said), said, "{name}");
    }
}

#[test]
fn named_peers_and_long_texts_are_shown_as_they_are() {
    let plan = Plan { naming: Naming::Named, ..judges("risk") };
    assert_eq!(shown(&plan, "risk", "As the risk judge, I am Claude."), "As the risk judge, I am Claude.");
    for scrap in ["As the risk ", "risk.", "a=", "I am ", "\u{1F600}"] {
        let text = scrap.repeat(200_000 / scrap.len());
        assert_eq!(shown(&judges("risk"), "risk", &text), text, "{scrap:?}");
    }
}

/// In every protocol: peers who are anonymous read no name, whoever reads names reads them all.
#[test]
fn peers_read_labels_and_the_record_keeps_every_word() {
    let texts = Texts::embedded();
    let mut hidden_briefs = 0;
    for protocol in ["judges", "gate", "panel", "challenge"] {
        for naming in [Naming::Anonymous, Naming::Named] {
            let mut plan = world::plan(protocol);
            plan.naming = naming;
            plan.limits.rounds = plan.limits.rounds.min(3);
            let voices = Voices { seed: 3, absent_percent: 0, sloppy_percent: 0 };
            run(&plan, Pace::Waves, |ask, turns| {
                let brief = brief::render(&plan, ask, turns, &texts).unwrap();
                let hidden = naming == Naming::Anonymous && matches!(ask.reads, Reads::Peers { .. });
                let shown = format!("{:?}", brief.peers);
                for other in ask.reads.keys().into_iter().filter(|other| other.seat != ask.key.seat) {
                    for leak in [format!("As the {} seat", other.seat), format!("the {} persona", other.seat)] {
                        assert_eq!(!shown.contains(&leak), hidden, "{protocol} {naming:?} {}: {leak}", ask.key);
                    }
                    assert_eq!(shown.contains("I am Claude") || shown.contains("\"model\""), !hidden, "{}", ask.key);
                    assert!(turns[other].speech().unwrap().text.contains("I am Claude"), "the record keeps every word");
                    hidden_briefs += usize::from(hidden);
                }
                let Contribution::Speech(mut speech) = voices.answer(&plan, ask) else { panic!("nobody is absent") };
                let name = &ask.key.seat;
                speech.text = format!("As the {name} seat, I speak. I am Claude.\n\n{}", speech.text);
                speech.ballot.set("aside", Datum::from(format!("I'm the {name} persona.")));
                speech.ballot.set("model", Datum::from("Claude"));
                Contribution::Speech(speech)
            });
        }
    }
    assert!(hidden_briefs > 10, "{hidden_briefs}");
}
