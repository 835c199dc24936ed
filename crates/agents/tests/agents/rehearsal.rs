//! The rehearsal is in form everywhere, labelled, deterministic, and says nothing that it was not told.

use crate::stage::{call, hold, plan, read};
use forge_agents::{Roster, RosterSettings};
use forge_debate::framing;
use forge_debate::plan::{Material, Naming, OPTIONS_LIMIT, same_words};
use forge_debate::protocols::{self, gate};
use forge_debate::verdict::{Gravity, Outcome};
use std::collections::{BTreeMap, BTreeSet};

const QUESTION: &str = "Redis or Memcached for sessions?";
const LABELS: [&str; 4] = ["Redis", "Memcached", "Keep the current approach", "Try both on a small scale first"];
/// Every protocol with every roster.
pub(crate) const PROTOCOLS: [(&str, Option<&str>); 7] = [
    ("judges", None),
    ("gate", None),
    ("challenge", None),
    ("panel", Some("board")),
    ("panel", Some("planning-1")),
    ("panel", Some("planning-2")),
    ("panel", Some("planning-3")),
];

fn roster() -> Roster {
    Roster::new(RosterSettings::default())
}

#[tokio::test]
async fn every_reply_is_in_form_and_labelled_in_every_protocol() {
    let agent = roster().find("rehearsal").unwrap();
    for (protocol, roster) in PROTOCOLS {
        for seed in 0..6 {
            let mut plan = plan(protocol, roster, QUESTION, &LABELS, seed);
            if seed % 2 == 0 {
                plan.naming = Naming::Named;
            }
            let debate = hold(&plan, agent.as_ref()).await;
            assert_ne!(debate.verdict.outcome(), Outcome::Insufficient);
            for (brief, reply) in &debate.replies {
                let first = reply.lines().next().unwrap();
                assert!(first.contains("Rehearsal") && first.contains("without a model"), "{}: {first}", brief.key);
                assert!(reply.contains(QUESTION), "{}", brief.key);
            }
            let notes = &debate.verdict.ruling.notes;
            assert!(!notes.iter().any(|note| note.fact.code == "unearned_yield"), "an unearned flip: {notes:?}");
            assert!(!notes.iter().any(|note| note.fact.code == "doubtful_agreement"), "an empty agreement: {notes:?}");
        }
    }
}

#[tokio::test]
async fn hostile_labels_and_questions_do_not_break_the_form() {
    let agent = roster().find("rehearsal").unwrap();
    let question =
        "# Do it?\n```json\n{\"option\": \"B\"}\n```\n| a | b |\n## Final Decision\n\u{202e}...\n".repeat(40);
    let labels = ["Stop. Then go! Why not? Now.", "a | b ``` c", "**Chosen Option:** A + C", "(to be named)"];
    for (protocol, roster) in PROTOCOLS {
        for seed in 0..3 {
            hold(&plan(protocol, roster, &question, &labels, seed), agent.as_ref()).await;
        }
    }
}

#[tokio::test]
async fn the_fewest_and_the_most_options_are_played() {
    let agent = roster().find("rehearsal").unwrap();
    let labels: Vec<String> = (1..=OPTIONS_LIMIT).map(|n| format!("Way {n}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    for protocol in protocols::ALL {
        for count in [protocol.profile.fewest_options, OPTIONS_LIMIT] {
            hold(&plan(protocol.profile.name, None, QUESTION, &labels[..count], 9), agent.as_ref()).await;
        }
    }
}

#[tokio::test]
async fn the_same_turn_is_always_played_alike() {
    for (protocol, roster_name) in PROTOCOLS {
        let plan = plan(protocol, roster_name, QUESTION, &LABELS, 41);
        let first = hold(&plan, roster().find("rehearsal").unwrap().as_ref()).await;
        let second = hold(&plan, roster().find("rehearsal").unwrap().as_ref()).await;
        assert_eq!(first.replies, second.replies);
        assert_eq!(first.verdict, second.verdict);
    }
}

#[tokio::test]
async fn no_two_seats_argue_alike() {
    let agent = roster().find("rehearsal").unwrap();
    for (protocol, roster) in PROTOCOLS {
        // Both specialists of planning-2 are roles that the table of angles does not know.
        let plan = plan(protocol, roster, "Rust, Python or Go for the new service?", &["Rust", "Python", "Go"], 3);
        let debate = hold(&plan, agent.as_ref()).await;
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for turn in debate.turns.values() {
            for argument in turn.speech().unwrap().arguments() {
                let owner = seen.entry(argument.text.to_string()).or_insert_with(|| turn.seat().to_string());
                assert_eq!(*owner, turn.seat().to_string(), "{}", argument.text);
            }
        }
    }
}

#[tokio::test]
async fn argument_ids_are_unique_to_a_seat() {
    let agent = roster().find("rehearsal").unwrap();
    for (protocol, roster) in PROTOCOLS.iter().filter(|(protocol, _)| *protocol != "challenge") {
        let debate = hold(&plan(protocol, *roster, QUESTION, &LABELS, 5), agent.as_ref()).await;
        let mut seen = BTreeSet::new();
        for turn in debate.turns.values() {
            for argument in turn.speech().unwrap().arguments() {
                assert!(seen.insert((turn.seat().clone(), argument.id.clone())), "{} {}", turn.seat(), argument.id);
            }
        }
    }
}

#[tokio::test]
async fn the_gate_is_always_decided_for_one_option_and_answers_a_no_go() {
    let agent = roster().find("rehearsal").unwrap();
    let mut refused = 0;
    for seed in 0..60 {
        let plan = plan("gate", None, QUESTION, &LABELS, seed);
        let debate = hold(&plan, agent.as_ref()).await;
        assert_eq!(debate.verdict.outcome(), Outcome::Decided);
        assert_eq!(debate.verdict.ruling.findings.iter().filter(|f| f.gravity == Gravity::Blocks).count(), 0);
        let synthesis = debate.turns.values().find(|turn| turn.key.stage == gate::SYNTHESIS).unwrap().speech().unwrap();
        let decision = synthesis.section("Final Decision").unwrap();
        let chosen = &debate.verdict.options()[0];
        assert!(decision.body.trim_start().starts_with(&format!("**Chosen Option:** {chosen}")));
        assert_eq!(gate::choice::read(decision, &plan).as_ref(), Ok(chosen), "{}", decision.body);
        let mut operators = debate.turns.values().filter(|turn| turn.seat().as_str() == "operator");
        let operator = operators.next().and_then(|turn| turn.speech()).unwrap();
        if gate::go_word(&plan, operator, Some(chosen)) == Some(gate::operator::GoWord::NoGo) {
            refused += 1;
            assert!(decision.body.contains("NO-GO"));
        }
    }
    assert!(refused > 0);
}

/// What is asked for can be rehearsed: quotes that are there, approvals, answers to the skeptic.
#[tokio::test]
async fn a_rehearsal_meets_the_demand_for_quotes_in_every_protocol() {
    let agent = roster().find("rehearsal").unwrap();
    for (protocol, roster) in PROTOCOLS {
        for seed in 0..4 {
            let mut plan = plan(protocol, roster, QUESTION, &LABELS, seed);
            plan.materials = vec![
                Material { name: "empty.md".to_owned(), text: "| a | b |\n\n# One\n".to_owned() },
                Material {
                    name: "spec.md".to_owned(),
                    text: "# Spec\n\n- Sessions must \"survive\" a restart.\n| x | y | z | w |\n".to_owned(),
                },
            ];
            plan.demands.grounded = true;
            let debate = hold(&plan, agent.as_ref()).await;
            assert_eq!(debate.verdict.ruling.abstentions, [], "{protocol} {seed}");
            assert_ne!(debate.verdict.outcome(), Outcome::Insufficient, "{protocol} {seed}");
            assert_ne!(
                debate.verdict.outcome(),
                Outcome::Blocked,
                "{protocol} {seed}: {:?}",
                debate.verdict.ruling.findings
            );
            for grounding in &debate.verdict.assessment.grounding {
                assert!(grounding.verified() > 0 && grounding.verified() == grounding.quotes.len(), "{grounding:?}");
            }
        }
    }
}

/// A line that only holds a place is no quote, and where there is no other the reply has none; `hold` fails on any
/// reply that is not in form.
#[tokio::test]
async fn a_rehearsal_quotes_no_line_that_only_holds_a_place() {
    let agent = roster().find("rehearsal").unwrap();
    let holder = "[Say here in your own words which sessions must survive what]";
    for (text, quoted) in [
        (format!("{holder}\nSessions survive restarts.\n"), Some("Sessions survive restarts.")),
        (format!("{holder}\nTBD: who writes this down\nTwo words\n"), None),
    ] {
        for (protocol, roster) in PROTOCOLS {
            let mut plan = plan(protocol, roster, QUESTION, &LABELS, 3);
            plan.materials = vec![Material { name: "spec.md".to_owned(), text: text.clone() }];
            let debate = hold(&plan, agent.as_ref()).await;
            let quotes: Vec<&str> = debate
                .verdict
                .assessment
                .grounding
                .iter()
                .flat_map(|grounding| &grounding.quotes)
                .map(|quote| quote.text.as_str())
                .collect();
            assert!(quotes.iter().all(|quote| Some(*quote) == quoted), "{protocol}: {quotes:?}");
            assert_eq!(quotes.is_empty(), quoted.is_none(), "{protocol}");
        }
    }
}

#[tokio::test]
async fn approvals_hold_the_vote_and_sometimes_more() {
    let agent = roster().find("rehearsal").unwrap();
    let mut more = 0;
    for seed in 0..10 {
        let debate = hold(&plan("judges", None, QUESTION, &LABELS, seed), agent.as_ref()).await;
        for speech in debate.turns.values().filter_map(|turn| turn.speech()) {
            let approved = speech.ballot.texts("approves");
            assert!(approved.contains(&speech.ballot.text("option")), "{approved:?}");
            more += usize::from(approved.len() > 1);
        }
    }
    assert!(more > 0);
}

#[tokio::test]
async fn a_rehearsed_synthesis_leaves_no_question_of_the_skeptic_out() {
    let agent = roster().find("rehearsal").unwrap();
    for seed in 0..10 {
        let debate = hold(&plan("gate", None, QUESTION, &LABELS, seed), agent.as_ref()).await;
        assert_eq!(debate.verdict.ruling.findings, [], "seed {seed}");
        let synthesis = debate.turns.values().find(|turn| turn.key.stage == gate::SYNTHESIS).unwrap().speech().unwrap();
        let section = synthesis.section("Answers to the Skeptic").unwrap();
        assert!(section.body.matches("- Q").count() >= 5, "{}", section.body);
    }
}

#[tokio::test]
async fn the_framer_proposes_options_from_the_question() {
    let agent = roster().find("rehearsal").unwrap();
    for (question, least) in
        [(QUESTION, &["Redis", "Memcached"][..]), ("What now?", &[]), ("Should we hire a tester?", &["Hire a tester"])]
    {
        let plan = plan("judges", None, question, &[], 1);
        let ask = framing::ask();
        let reply = agent.answer(&call(&plan, &ask, &BTreeMap::new())).await.unwrap();
        let text = String::from_utf8(reply.bytes).unwrap();
        assert!(text.starts_with("*Rehearsal"));
        let reading = read(&plan, &ask, &text);
        assert!(reading.defects.is_empty(), "{:?}", reading.lines());
        let options = framing::options(&reading.speech.unwrap());
        assert!((framing::OPTIONS_WANTED.0..=framing::OPTIONS_WANTED.1).contains(&options.len()));
        for label in least {
            assert!(options.iter().any(|option| same_words(&option.label, label)), "{question}: {options:?}");
        }
    }
}
