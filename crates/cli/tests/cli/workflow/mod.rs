//! The workflow's commands as a user meets them: stories with recorded output, and what cannot be told as a story.

mod commands;
mod limits;
mod scenario;
mod tripwires;

use crate::place::Place;
use std::process::Command;

/// When tests happen.
const NOW: &str = "2026-01-27T10:00:00Z";

/// A fresh repository to work in, with a clock that stands still.
fn repository() -> Place {
    let place = Place::new().with("FORGE_NOW", NOW);
    git(&place, &["init", "-q", "-b", "main"]);
    place
}

/// Runs git in the workspace, away from the user's settings.
fn git(place: &Place, args: &[&str]) -> String {
    let done = Command::new("git")
        .args(args)
        .current_dir(place.work())
        .env("HOME", place.around().join("home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.org")])
        .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.org")])
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "git {args:?}: {err}");
    out.into_owned()
}

/// One test for each scenario, and one that none is forgotten.
macro_rules! scenarios {
    ($($name:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                scenario::play(&stringify!($name).replace('_', "-"));
            }
        )+

        #[test]
        fn every_scenario_is_played() {
            let played = [$(stringify!($name)),+].map(|name| format!("{}.txt", name.replace('_', "-")));
            for entry in std::fs::read_dir(scenario::folder()).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(played.contains(&name), "{name} is not in the list");
            }
        }
    };
}

scenarios! {
    agents_of_the_plan,
    bad_phases,
    debate_flags,
    deleted_files,
    documents_of_others,
    gate_messages,
    going_back,
    judges,
    layouts_of_others,
    mandatory_debates,
    no_workflow,
    odd_objectives,
    origin_phases,
    own_phases,
    recovery,
    registries,
    rehearsal,
    repository_of_others,
    save_restore,
    script_of_others,
    starting,
    tasks,
    ten_phases,
    triggers,
    tripwires,
}
