//! No seat is shown what it may not know yet: for every scenario, every brief on disk is searched for words that only
//! other seats use.
//!
//! What may be in a brief is what the ask reads, and what those who wrote that had read themselves. A blind ask reads
//! nothing, so its brief has nobody's words but the plan's.

use crate::scenario::Scenario;
use crate::stage::Stage;
use forge_debate::framing;
use forge_debate::plan::Plan;
use forge_debate::protocols::Protocol;
use forge_debate::record::{Ask, Reads, Record};
use forge_debate::turn::{Turn, TurnKey};
use std::collections::{BTreeMap, BTreeSet};

each_scenario!(super::sealed::check);

fn check(name: &str) {
    let scenario = Scenario::load(name);
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    let tree = stage.tree();
    let files = stage.debate(&scenario);
    let survey = stage.healthy(&scenario).survey(&files).unwrap();
    let asks = asks(files.protocol, &files.plan, &survey.turns);
    let mut sealed = 0;
    let mut told = 0;
    for (turn, _, bytes) in tree.trail("briefs").into_iter().chain(tree.trail("outside")) {
        // A turn that was withdrawn and not asked for again has no ask any more.
        let Some(ask) = asks.values().find(|ask| ask.key.slug() == turn) else { continue };
        let text = String::from_utf8_lossy(bytes);
        let known = may_know(&asks, &ask.key);
        for (seat, word) in &scenario.markers {
            let says_it = text.contains(word.as_str());
            assert!(!says_it || known.contains(seat.as_str()), "{name}: the brief of {} has words of {seat}", ask.key);
            told += usize::from(says_it && *seat != ask.key.seat.as_str());
        }
        sealed += usize::from(ask.reads == Reads::Blind);
    }
    assert!(sealed > 0, "{name}: no brief is blind");
    // The words would show: whoever has one uses it in its first turn, and those who may read it do.
    for (seat, word) in &scenario.markers {
        let mut own = survey.turns.values().filter(|turn| turn.seat().as_str() == seat);
        assert!(own.any(|turn| says(turn, word)), "{name}: {seat} never says {word:?}");
    }
    let shown = asks.values().any(|ask| ask.reads.keys().iter().any(|key| key.seat != ask.key.seat));
    assert_eq!(told > 0, shown, "{name}: words of others in briefs");
}

/// Every ask of the debate, as its protocol made it.
fn asks(protocol: &Protocol, plan: &Plan, turns: &BTreeMap<TurnKey, Turn>) -> BTreeMap<TurnKey, Ask> {
    let mut record = Record::new(turns);
    let _ = forge_debate::conclude(protocol, plan, &mut record).unwrap();
    let asked = record.waves().iter().flat_map(|wave| wave.iter()).cloned().chain([framing::ask()]);
    asked.map(|ask| (ask.key.clone(), ask)).collect()
}

/// The seats whose words may have found their way to the one that is asked.
fn may_know<'a>(asks: &'a BTreeMap<TurnKey, Ask>, key: &'a TurnKey) -> BTreeSet<&'a str> {
    let mut known = BTreeSet::from([key.seat.as_str()]);
    for read in asks.get(key).map(|ask| ask.reads.keys()).unwrap_or_default() {
        known.extend(may_know(asks, read));
    }
    known
}

fn says(turn: &Turn, word: &str) -> bool {
    turn.speech().is_some_and(|speech| speech.text.contains(word) || format!("{:?}", speech.ballot).contains(word))
}
