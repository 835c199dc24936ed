//! Every scenario, killed at every write in every manner, and the same command run again.

use crate::dying_disk::{Death, DyingDisk, Manner};
use crate::recovery::Calm;
use crate::scenario::Scenario;
use crate::stage::{Stage, Tale};
use forge_artifacts::disk::Disk;
use std::sync::Arc;

/// Scenarios with more writes than this are killed at every third write only, another third per manner.
const WRITES_SWEPT_IN_FULL: usize = 75;
/// At most so many failures of a sweep are shown.
const SHOWN: usize = 3;

each_scenario!(super::crash::sweep);

fn sweep(name: &str) {
    let scenario = Scenario::load(name);
    let calm = Calm::of(&scenario);
    let writes = writes_of(&scenario);
    let stride = if writes > WRITES_SWEPT_IN_FULL { 3 } else { 1 };
    let mut crashes = 0;
    let mut failures = Vec::new();
    for (nth, manner) in Manner::ALL.into_iter().enumerate() {
        let mut at = 1 + nth % stride;
        // One write more than there are: that run ends alive, and nothing was left out.
        while at <= writes + stride {
            let death = Death { at, manner };
            let (survived, wrongs) = die_and_run_again(&scenario, &calm, &[death]);
            assert_eq!(survived, at > writes, "{name}: {death:?} of {writes} writes");
            crashes += usize::from(!survived);
            if !wrongs.is_empty() {
                failures.push(format!("{death:?}:\n{}", wrongs.join("\n")));
            }
            at += stride;
        }
    }
    // And now and then the second run dies too.
    for at in (1..=writes).step_by(5) {
        let again = Death { at: 1 + (at * 7) % writes, manner: Manner::ALL[at % 4] };
        let deaths = [Death { at, manner: Manner::ALL[(at / 5) % 4] }, again];
        let (_, wrongs) = die_and_run_again(&scenario, &calm, &deaths);
        crashes += 1;
        if !wrongs.is_empty() {
            failures.push(format!("{deaths:?}:\n{}", wrongs.join("\n")));
        }
    }
    eprintln!("{name}: {crashes} crashes injected, {writes} writes");
    let shown: Vec<&str> = failures.iter().take(SHOWN).map(String::as_str).collect();
    assert!(failures.is_empty(), "{name}: {} of {crashes} went wrong\n{}", failures.len(), shown.join("\n"));
}

/// How many writes the scenario takes when nothing goes wrong.
fn writes_of(scenario: &Scenario) -> usize {
    let stage = Stage::new();
    let disk = Arc::new(DyingDisk::counting(stage.disk()));
    let shared: Arc<dyn Disk> = Arc::clone(&disk) as Arc<dyn Disk>;
    stage.play(scenario, &shared, 0).unwrap_or_else(|stopped| panic!("{}: {}", scenario.name, stopped.error));
    disk.writes()
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
            Ok(tale) => return (cuts == 0, judged(scenario, calm, &stage, &tale, cuts)),
            Err(stopped) => {
                if !disk.is_dead() {
                    return (false, vec![format!("stopped before the death: {}", stopped.error)]);
                }
                step = stopped.step;
                cuts += 1;
            }
        }
    }
    let disk: Arc<dyn Disk> = stage.disk();
    match stage.play(scenario, &disk, step) {
        Ok(tale) => (false, judged(scenario, calm, &stage, &tale, cuts)),
        Err(stopped) => (false, vec![format!("step {} does not go on: {}", stopped.step + 1, stopped.error)]),
    }
}

fn judged(scenario: &Scenario, calm: &Calm, stage: &Stage, tale: &Tale, cuts: usize) -> Vec<String> {
    calm.wrongs(scenario, &stage.tree(), tale, cuts)
}
