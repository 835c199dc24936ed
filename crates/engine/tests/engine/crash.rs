//! Every scenario, killed at every write, and the same command run again.

use crate::recovery::Calm;
use crate::scenario::Scenario;
use crate::stage::{Stage, Tale};
use forge_artifacts::disk::Disk;
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::sync::Arc;

/// These are killed at every write in every manner; the others at every write in one manner, which changes from write to
/// write.
const IN_EVERY_MANNER: [&str; 6] = [
    "judges-consensus-round-1",
    "judges-flip-unearned-contested-then-decided-by-person",
    "retry-absent",
    "gate-decided",
    "gate-outside-files",
    "challenge-fast-exit",
];
/// Scenarios with more writes than this are killed at every second one.
const WRITES_SWEPT_IN_FULL: usize = 75;
/// At every so manieth write the next run dies too.
const DOUBLE_DEATHS: usize = 10;
/// At most so many failures of a sweep are shown.
const SHOWN: usize = 3;

each_scenario!(super::crash::sweep);

fn sweep(name: &str) {
    let scenario = Scenario::load(name);
    let calm = Calm::of(&scenario);
    let mut crashes = 0;
    let mut failures = Vec::new();
    for deaths in deaths(name, calm.writes) {
        let (survived, wrongs) = die_and_run_again(&scenario, &calm, &deaths);
        // One write more than there are: that run ends alive, so nothing was left out.
        assert_eq!(survived, deaths[0].at > calm.writes, "{name}: {deaths:?} of {} writes", calm.writes);
        crashes += deaths.len() - usize::from(survived);
        if !wrongs.is_empty() {
            failures.push(format!("{deaths:?}:\n{}", wrongs.join("\n")));
        }
    }
    eprintln!("{name}: {crashes} crashes injected, {} writes", calm.writes);
    let shown: Vec<&str> = failures.iter().take(SHOWN).map(String::as_str).collect();
    assert!(failures.is_empty(), "{name}: {} of {crashes} went wrong\n{}", failures.len(), shown.join("\n"));
}

/// When a scenario's runs die: the first run, and perhaps the second.
fn deaths(name: &str, writes: usize) -> Vec<Vec<Death>> {
    let stride = if writes > WRITES_SWEPT_IN_FULL { 2 } else { 1 };
    let manner = |n: usize| Manner::ALL[n % Manner::ALL.len()];
    let mut all = Vec::new();
    for at in (1..=writes + 1).step_by(stride) {
        let count = if IN_EVERY_MANNER.contains(&name) { Manner::ALL.len() } else { 1 };
        all.extend((0..count).map(|nth| vec![Death { at, manner: manner(at / stride + nth) }]));
    }
    for at in (1..=writes).step_by(DOUBLE_DEATHS) {
        let again = Death { at: 1 + at * 7 % writes, manner: manner(at) };
        all.push(vec![Death { at, manner: manner(at / DOUBLE_DEATHS) }, again]);
    }
    all
}

/// Plays the scenario; each death ends a run, and the next run begins with the command that was cut off. Says whether
/// nobody died, and what is wrong in the end.
fn die_and_run_again(scenario: &Scenario, calm: &Calm, deaths: &[Death]) -> (bool, Vec<String>) {
    let stage = Stage::new();
    let mut step = 0;
    let mut cuts = 0;
    for death in deaths {
        let disk = Arc::new(DyingDisk::dying(stage.disk(), *death));
        let shared: Arc<dyn Disk> = Arc::clone(&disk) as Arc<dyn Disk>;
        match stage.play(scenario, &shared, step) {
            Ok(tale) => return (cuts == 0, wrongs(scenario, calm, &stage, &tale, cuts)),
            Err(stopped) if disk.is_dead() => step = stopped.step,
            Err(stopped) => return (false, vec![format!("stopped while alive: {}", stopped.error)]),
        }
        cuts += 1;
    }
    let disk: Arc<dyn Disk> = stage.disk();
    match stage.play(scenario, &disk, step) {
        Ok(tale) => (false, wrongs(scenario, calm, &stage, &tale, cuts)),
        Err(stopped) => (false, vec![format!("step {} does not go on: {}", stopped.step + 1, stopped.error)]),
    }
}

fn wrongs(scenario: &Scenario, calm: &Calm, stage: &Stage, tale: &Tale, cuts: usize) -> Vec<String> {
    calm.wrongs(scenario, &stage.tree(), tale, cuts)
}
