//! Over many seeds a rehearsal reaches every end that a protocol has, each often enough to be seen.

use crate::stage::{Debate, hold, plan};
use forge_agents::{Roster, RosterSettings};
use forge_debate::protocols::{challenge, panel};
use forge_debate::verdict::{Contest, Outcome};
use forge_debate::voting::Merit;
use std::collections::BTreeMap;

const SEEDS: u64 = 200;
/// A panel has some sixty turns; half as many say as much.
const PANEL_SEEDS: u64 = 100;

async fn ends(protocol: &str, seeds: u64, name: impl Fn(&Debate) -> Vec<String>) -> BTreeMap<String, usize> {
    let agent = Roster::new(RosterSettings::default()).find("rehearsal").unwrap();
    let labels = ["Redis", "Memcached", "Keep the current approach", "Try both on a small scale first"];
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..seeds {
        let debate =
            hold(&plan(protocol, None, "Redis or Memcached for sessions?", &labels, seed), agent.as_ref()).await;
        for name in name(&debate) {
            *counts.entry(name).or_default() += 1;
        }
    }
    println!("{protocol}: {counts:?}");
    counts
}

fn assert_seen(counts: &BTreeMap<String, usize>, wanted: &[(&str, usize)]) {
    for (name, least) in wanted {
        let seen = counts.get(*name).copied().unwrap_or(0);
        assert!(seen >= *least, "{name}: {seen}; {counts:?}");
    }
}

// seed: S1-10
#[tokio::test]
async fn judges() {
    let counts = ends("judges", SEEDS, |debate| {
        let verdict = &debate.verdict;
        let earned = verdict.ruling.changes().iter().any(|change| change.merit == Merit::Earned);
        vec![match (verdict.outcome(), verdict.ruling.rounds) {
            (Outcome::Consensus, 1) => "consensus in round 1".to_owned(),
            (Outcome::Consensus, _) if earned => "consensus after an earned change".to_owned(),
            (outcome, _) => outcome.word().to_owned(),
        }]
    })
    .await;
    assert_seen(&counts, &[("consensus in round 1", 40), ("consensus after an earned change", 40), ("contested", 20)]);
}

#[tokio::test]
async fn gate() {
    let counts = ends("gate", SEEDS, |debate| {
        let operator = debate.verdict.ruling.reasons.iter().find_map(|reason| reason.stand.clone()).unwrap_or_default();
        vec![format!("{}, operator {operator}", debate.verdict.outcome().word())]
    })
    .await;
    assert_seen(
        &counts,
        &[("decided, operator GO", 80), ("decided, operator NO-GO", 15), ("decided, operator CONDITIONAL", 15)],
    );
}

#[tokio::test]
async fn panel() {
    let counts = ends("panel", PANEL_SEEDS, |debate| {
        let verdict = &debate.verdict;
        let dissents = if verdict.ruling.dissents.is_empty() { "without" } else { "with" };
        let mut names = vec![
            format!("{} {dissents} dissents", verdict.outcome().word()),
            if verdict.ruling.rounds > 4 {
                "more than 4 rounds".to_owned()
            } else {
                format!("{} rounds", verdict.ruling.rounds)
            },
        ];
        let has = |stage| debate.turns.keys().any(|key| key.stage == stage);
        names.extend(has(panel::CORRECTION).then(|| "corrected".to_owned()));
        names.extend(has(panel::POLL).then(|| "polled".to_owned()));
        let is_halted = verdict.ruling.notes.iter().any(|note| note.fact.code == "referee_halted");
        names.extend(is_halted.then(|| "halted".to_owned()));
        names.extend(matches!(verdict.ruling.contest, Some(Contest::Escalated(_))).then(|| "escalated".to_owned()));
        names
    })
    .await;
    let wanted = [
        ("decided with dissents", 40),
        ("contested with dissents", 10),
        ("2 rounds", 10),
        ("3 rounds", 10),
        ("corrected", 2),
        ("polled", 40),
        ("halted", 2),
        ("escalated", 1),
    ];
    assert_seen(&counts, &wanted);
    assert!(counts.get("more than 4 rounds").copied().unwrap_or(0) < 10, "{counts:?}");
}

#[tokio::test]
async fn challenge() {
    let counts = ends("challenge", SEEDS, |debate| {
        let confronted = debate.turns.keys().any(|key| key.stage == challenge::ANSWER);
        let asks_a_person = debate.verdict.ruling.notes.iter().any(|note| note.fact.code == "wants_a_person");
        vec![match (debate.verdict.outcome(), confronted, asks_a_person) {
            (Outcome::Consensus, false, _) => "fast exit".to_owned(),
            (Outcome::Consensus, true, _) => "consensus after confrontation".to_owned(),
            (Outcome::Tradeoff, _, true) => "tradeoff, escalated".to_owned(),
            (Outcome::Tradeoff, _, false) => "tradeoff after the last round".to_owned(),
            (outcome, ..) => outcome.word().to_owned(),
        }]
    })
    .await;
    let wanted = [
        ("fast exit", 25),
        ("consensus after confrontation", 50),
        ("tradeoff, escalated", 10),
        ("tradeoff after the last round", 10),
    ];
    assert_seen(&counts, &wanted);
}
