//! Where turns are kept: one file each, inside the debate's own place.

use crate::voices::Voices;
use crate::world::{self, Ended, Pace, key, run, seat};
use forge_debate::framing;
use forge_debate::plan::Plan;
use forge_debate::protocols::{self, ALL, decision_ask, turn_file};
use forge_debate::turn::TurnKey;
use std::collections::BTreeMap;

fn is_inside(path: &str) -> bool {
    !path.starts_with('/')
        && !path.contains('\\')
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

/// Every turn of a debate, the framer's and the person's too, has a file of its own beside the plan's.
pub(crate) fn check(plan: &Plan, asked: impl IntoIterator<Item = TurnKey>) {
    let protocol = world::rules(plan);
    let home = protocol.profile.home(plan);
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    files.insert(home.path(home.plan).to_lowercase(), "the plan".to_owned());
    for key in asked.into_iter().chain([framing::ask().key, decision_ask().key]) {
        let path = home.path(&turn_file(plan.protocol, &key));
        assert!(is_inside(&path), "{key}: {path}");
        // Many disks do not tell case apart.
        if let Some(other) = files.insert(path.to_lowercase(), key.to_string()) {
            panic!("{}: {key} and {other} share {path}", plan.protocol);
        }
    }
}

fn keys(ended: &Ended) -> Vec<TurnKey> {
    ended.asked().into_iter().map(|ask| ask.key.clone()).collect()
}

// seed: S3-39
#[test]
fn every_turn_of_every_protocol_has_a_file_of_its_own() {
    for protocol in ALL {
        let plan = world::plan(protocol.profile.name);
        for seed in 0..30 {
            let voices = Voices { seed, absent_percent: 3, sloppy_percent: 10 };
            check(&plan, keys(&run(&plan, Pace::Waves, |ask, _| voices.answer(&plan, ask))));
        }
    }
}

/// Seats have any name that `check_id` takes; a plan that the defects let through must still map apart.
#[test]
fn seats_named_like_another_turns_file_are_refused_or_kept_apart() {
    for (protocol, names) in [
        ("judges", &["risk", "risk-r2", "effort"][..]),
        ("judges", &["plan", "value", "effort"]),
        ("judges", &["decision", "value", "framing"]),
        ("panel", &["cto", "cto-recheck", "contrarian", "moonshot"]),
        ("challenge", &["lead", "x", "x_rebuttal"]),
        ("challenge", &["lead", "x", "x_probe"]),
    ] {
        let mut plan = world::plan(protocol);
        plan.seats.retain(|seat| seat.id.as_str() != "referee");
        plan.seats.truncate(names.len());
        plan.limits.rounds = 2;
        for (seat, name) in plan.seats.iter_mut().zip(names) {
            seat.id = world::seat(name);
        }
        if plan.defects().is_empty() {
            // Everyone objects to everything, so that every stage is reached.
            for seed in 0..40 {
                let voices = Voices { seed, absent_percent: 0, sloppy_percent: 0 };
                check(&plan, keys(&run(&plan, Pace::Waves, |ask, _| voices.answer(&plan, ask))));
            }
        }
    }
}

// seed: S0-4, S3-17, S4-37
#[test]
fn the_files_are_where_the_seeds_put_them() {
    for (protocol, key, expected) in [
        ("judges", key(protocols::judges::OPENING, 1, "risk"), "docs/forge/sadd/debate-sessions-001-risk.md"),
        ("judges", key(protocols::judges::CHALLENGE, 2, "risk"), "docs/forge/sadd/debate-sessions-001-risk-r2.md"),
        ("gate", key(protocols::gate::CASE, 1, "advocate"), "docs/forge/sessions-001/advocate.md"),
        ("gate", key(protocols::gate::SYNTHESIS, 1, "synthesizer"), "docs/forge/sessions-001/synthesis.md"),
        (
            "challenge",
            key(protocols::challenge::CHALLENGE, 1, "architect"),
            "docs/forge/sessions-001/rounds/r001_architect.md",
        ),
        ("panel", key(protocols::panel::POSITION, 0, "ceo"), "docs/forge/sessions-001/positions/ceo.md"),
        ("panel", key(protocols::panel::SYNTHESIS, 0, "ceo"), "docs/forge/sessions-001/synthesis.md"),
    ] {
        let plan = world::plan(protocol);
        let rules = world::rules(&plan);
        assert_eq!(rules.profile.home(&plan).path(&turn_file(plan.protocol, &key)), expected);
    }
    assert_eq!(protocols::newest("gate").unwrap().profile.home(&world::plan("gate")).plan, "debate-plan.md");
}

#[test]
fn personas_have_the_context_files_of_the_seed() {
    let plan = world::plan("challenge");
    for (name, file) in [
        ("architect", Some("GEMINI.md")),
        ("operator", Some("AGENTS.md")),
        ("adversary", Some("QWEN.md")),
        ("lead", None),
    ] {
        assert_eq!(forge_debate::personas::persona_file(&plan, &seat(name)).as_deref(), file);
    }
}
