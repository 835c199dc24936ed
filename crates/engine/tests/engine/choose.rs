//! Who sits where when nobody was named: every set of families, every protocol.

use forge_agents::finding::Kind;
use forge_debate::family;
use forge_debate::plan::{Duty, Hand, SeatId};
use forge_debate::profile::Profile;
use forge_debate::protocols;
use forge_engine::choose::{Candidate, Chosen, Level, explain, seat_agents};
use std::collections::{BTreeMap, BTreeSet};

const PROTOCOLS: [&str; 4] = ["judges", "gate", "panel", "challenge"];

fn candidate(name: &str, family: Option<&str>, kind: Kind) -> Candidate {
    Candidate { name: name.to_owned(), family: family.map(str::to_owned), kind, about: format!("about {name}") }
}

/// One agent of each of five families, as a machine with everything would have them.
fn five() -> Vec<Candidate> {
    vec![
        candidate("claude", Some("anthropic"), Kind::Cli),
        candidate("codex", Some("openai"), Kind::Cli),
        candidate("gemini", Some("google"), Kind::Cli),
        candidate("qwen", Some("alibaba"), Kind::Cli),
        candidate("ollama:llama3.2", Some("meta"), Kind::Local),
    ]
}

fn profile(name: &str) -> &'static Profile {
    &protocols::newest(name).unwrap().profile
}

fn seats(protocol: &str) -> Vec<(SeatId, Duty)> {
    let rules = protocols::newest(protocol).unwrap();
    let mut seats: Vec<(SeatId, Duty)> = rules
        .profile
        .seats(None, "Redis or Memcached?")
        .unwrap()
        .into_iter()
        .map(|seat| (SeatId::from(seat.id), seat.duty))
        .collect();
    seats.push((SeatId::from("framer"), Duty::Framer));
    seats.push((SeatId::from("alone"), Duty::Control));
    seats
}

/// Every set of the five, the empty one too.
fn subsets() -> Vec<Vec<Candidate>> {
    let all = five();
    (0..1 << all.len())
        .map(|mask: usize| {
            let taken = all.iter().enumerate().filter(|(i, _)| mask & (1 << i) != 0);
            taken.map(|(_, candidate)| candidate.clone()).collect()
        })
        .collect()
}

fn hand<'s>(seating: &'s Chosen, seat: &str) -> &'s Hand {
    &seating.seats.iter().find(|(id, _)| id.as_str() == seat).unwrap().1
}

fn name(seating: &Chosen, seat: &str) -> String {
    hand(seating, seat).to_string()
}

#[test]
fn every_seat_has_a_hand_that_was_found_and_the_same_one_again() {
    for candidates in subsets() {
        for protocol in PROTOCOLS {
            let seats = seats(protocol);
            let seating = seat_agents(&candidates, profile(protocol), &seats);
            let wanted: Vec<&SeatId> = seats.iter().map(|(id, _)| id).collect();
            assert_eq!(seating.seats.iter().map(|(id, _)| id).collect::<Vec<_>>(), wanted);
            for (seat, hand) in &seating.seats {
                let known = candidates.iter().any(|one| one.name == hand.to_string());
                assert!(known || (candidates.is_empty() && hand.is_rehearsal()), "{protocol} {seat} {hand}");
            }
            assert_eq!(seat_agents(&candidates, profile(protocol), &seats), seating);
            let mut turned = candidates.clone();
            turned.reverse();
            let other = seat_agents(&turned, profile(protocol), &seats);
            assert_eq!(other.one_family, seating.one_family.clone());
            assert_eq!(seating.is_rehearsal(), candidates.is_empty());
        }
    }
}

#[test]
fn families_are_as_different_as_they_can_be() {
    for candidates in subsets().into_iter().filter(|candidates| !candidates.is_empty()) {
        for protocol in PROTOCOLS {
            let seats = seats(protocol);
            let seating = seat_agents(&candidates, profile(protocol), &seats);
            let speaking: Vec<String> = seats
                .iter()
                .filter(|(_, duty)| matches!(duty, Duty::Lead | Duty::Debater))
                .map(|(id, _)| name(&seating, id.as_str()))
                .collect();
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            speaking.iter().for_each(|name| *counts.entry(name).or_default() += 1);
            let context = format!("{protocol} {candidates:?} {speaking:?}");
            assert_eq!(counts.len(), candidates.len().min(speaking.len()), "{context}");
            // No agent sits twice more often than another; a lead keeps its family for itself.
            let among: Vec<usize> = match protocol {
                "challenge" => counts.iter().filter(|(name, _)| **name != speaking[0]).map(|(_, n)| *n).collect(),
                _ => counts.values().copied().collect(),
            };
            assert!(among.iter().max().unwrap_or(&1) - among.iter().min().unwrap_or(&1) <= 1, "{context}");
            let is_one = candidates.len() == 1;
            assert_eq!(seating.one_family.is_some(), is_one, "{context}");
        }
    }
}

#[test]
fn challengers_never_share_the_leads_family_where_there_is_another() {
    for candidates in subsets().into_iter().filter(|candidates| candidates.len() > 1) {
        let seating = seat_agents(&candidates, profile("challenge"), &seats("challenge"));
        let lead = family::of_hand(hand(&seating, "lead"));
        for seat in ["architect", "operator", "adversary"] {
            assert_ne!(family::of_hand(hand(&seating, seat)), lead, "{candidates:?}");
        }
    }
}

#[test]
fn challenge_has_places_of_its_own() {
    let places = [("lead", "claude"), ("architect", "gemini"), ("operator", "codex"), ("adversary", "qwen")];
    let seating = seat_agents(&five(), profile("challenge"), &seats("challenge"));
    for (seat, agent) in places {
        assert_eq!(name(&seating, seat), agent);
    }
    // Whoever is missing, those who are there keep their places, and the lead is never a small model.
    for candidates in subsets().into_iter().filter(|one| one.iter().any(|candidate| candidate.name == "claude")) {
        let seating = seat_agents(&candidates, profile("challenge"), &seats("challenge"));
        for (seat, agent) in places.iter().filter(|(_, agent)| candidates.iter().any(|one| one.name == *agent)) {
            assert_eq!(name(&seating, seat), *agent, "{candidates:?}");
        }
    }
    let without_claude: Vec<Candidate> = five().into_iter().skip(1).collect();
    let seating = seat_agents(&without_claude, profile("challenge"), &seats("challenge"));
    let seated: Vec<String> = ["lead", "architect", "operator", "adversary"].map(|seat| name(&seating, seat)).into();
    assert_eq!(seated, ["codex", "gemini", "ollama:llama3.2", "qwen"]);
}

#[test]
fn within_a_family_the_nearest_is_taken_and_none_is_taken_twice() {
    let family = Some("anthropic");
    let all = [
        candidate("openai:claude-local", family, Kind::Local),
        candidate("anthropic:claude-x", family, Kind::Api),
        candidate("claude", family, Kind::Cli),
        candidate("mine", family, Kind::Own),
    ];
    for (count, expected) in [(1, "openai:claude-local"), (2, "anthropic:claude-x"), (3, "claude"), (4, "mine")] {
        let seating = seat_agents(&all[..count], profile("judges"), &seats("judges"));
        let names: BTreeSet<String> = seating.seats.iter().map(|(_, hand)| hand.to_string()).collect();
        assert_eq!(names, BTreeSet::from([expected.to_owned()]));
        assert_eq!(seating.one_family.as_deref(), family);
    }
}

#[test]
fn what_nobody_knows_the_family_of_comes_last() {
    let all = [
        candidate("opencode", None, Kind::Cli),
        candidate("ollama:llama3.2", Some("meta"), Kind::Local),
        candidate("claude", Some("anthropic"), Kind::Cli),
    ];
    let seating = seat_agents(&all, profile("judges"), &seats("judges"));
    let seated: Vec<String> = ["risk", "value", "effort"].map(|seat| name(&seating, seat)).into();
    assert_eq!(seated, ["claude", "ollama:llama3.2", "opencode"]);
    assert_eq!(seating.one_family, None);
}

#[test]
fn officers_read_much_and_spoke_little() {
    // The synthesizer is the fourth family where there are four, and never a small local model beside better ones.
    let seating = seat_agents(&five()[..4], profile("gate"), &seats("gate"));
    assert_eq!(name(&seating, "synthesizer"), "qwen");
    let some = [five()[0].clone(), five()[1].clone(), five()[2].clone(), five()[4].clone()];
    let seating = seat_agents(&some, profile("gate"), &seats("gate"));
    assert_eq!(name(&seating, "synthesizer"), "claude");
    let seating = seat_agents(&five()[4..], profile("panel"), &seats("panel"));
    assert_eq!(name(&seating, "referee"), "ollama:llama3.2");
    // Options and the answer for comparison come from the best.
    let seating = seat_agents(&five(), profile("judges"), &seats("judges"));
    assert_eq!((name(&seating, "framer"), name(&seating, "alone")), ("claude".to_owned(), "claude".to_owned()));
}

#[test]
fn families_that_the_names_do_not_tell_are_stated_for_the_plan() {
    // A plan has only the names, and would refuse.
    let all =
        [candidate("claude", Some("anthropic"), Kind::Cli), candidate("claude-look-alike", Some("zhipu"), Kind::Own)];
    let seating = seat_agents(&all, profile("challenge"), &seats("challenge"));
    assert_eq!(seating.one_family, None);
    let stated = BTreeMap::from([("claude-look-alike".to_owned(), "zhipu".to_owned())]);
    assert_eq!(seating.stated_families, stated);
    assert_eq!(seat_agents(&five(), profile("challenge"), &seats("challenge")).stated_families, BTreeMap::new());
}

#[test]
fn the_level_of_challenge_counts_the_families_besides_the_leads() {
    for candidates in subsets() {
        let expected = match candidates.len() {
            0 | 1 => Level::Disabled,
            2 => Level::Minimal,
            3 => Level::Functional,
            _ => Level::Optimal,
        };
        assert_eq!(Level::of(&candidates), expected, "{candidates:?}");
    }
    let twice = [five()[0].clone(), candidate("anthropic:claude-x", Some("anthropic"), Kind::Api)];
    assert_eq!(Level::of(&twice), Level::Disabled);
}

#[test]
fn what_was_chosen_is_said() {
    let all = five();
    let mut three = seats("judges");
    three.truncate(3);
    let lines = explain(&seat_agents(&all[..2], profile("judges"), &three), &all);
    assert_eq!(lines, ["risk, effort: claude (about claude)", "value: codex (about codex)"]);
    let lines = explain(&seat_agents(&all[..1], profile("judges"), &three), &all);
    assert_eq!(lines[0], "risk, value, effort: claude (about claude)");
    assert!(lines[1].contains("one model family (anthropic)"), "{lines:?}");
    let lines = explain(&seat_agents(&[], profile("judges"), &three), &[]);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("rehearsal") && lines[0].contains("forge agents"), "{lines:?}");
}
