//! The whole walk, killed and refused at every write of every command, and the same command run again.
//!
//! With the clock standing still within an act, a command that was cut off and run again must leave what it leaves
//! undisturbed. The tree right after it is held against the undisturbed one at every write in every manner: whatever
//! comes later depends on nothing else, so the story is gone on with to its end only at every so manieth write, which
//! also shows that what is not compared (copies of the state, indexes, counts) matters to nobody.

use super::walk::{Walked, go_on, play, story, when};
use super::{STATE, comparable, staged};
use forge_artifacts::catalog::FindError;
use forge_artifacts::disk::{Disk, DiskError};
use forge_artifacts::store::OpenError;
use forge_engine::EngineError;
use forge_testkit::dying_disk::{Death, DyingDisk, Lasting, Manner, Refusal, Refusing};
use std::sync::Arc;

/// At every so manieth fault the story is gone on with to its end.
const TO_THE_END: usize = 16;
/// At every so manieth death the next run dies too.
const DOUBLE_DEATHS: usize = 5;
/// At most so many failures of a sweep are shown.
const SHOWN: usize = 3;

#[test]
fn dies_before_every_write() {
    sweep(Manner::Before);
}

#[test]
fn dies_with_half_a_write_at_every_write() {
    sweep(Manner::TornTemp);
}

#[test]
fn dies_with_a_write_that_is_not_in_place_at_every_write() {
    sweep(Manner::TempOnly);
}

#[test]
fn dies_right_after_every_write() {
    sweep(Manner::AfterRename);
}

#[test]
fn the_disk_is_full_at_every_write() {
    refuse(Refusal::Full);
}

#[test]
fn permission_is_denied_at_every_write() {
    refuse(Refusal::Denied);
}

/// A story with how many writes each act takes.
struct Counted {
    walked: Walked,
    writes: Vec<usize>,
}

impl Counted {
    fn new() -> Self {
        let walked = Walked::of(story());
        let writes = (0..walked.acts.len()).map(|number| {
            let stage = staged(&walked.trees[number]);
            let disk = Arc::new(DyingDisk::counting(stage.disk()));
            play(&stage, Arc::clone(&disk) as Arc<dyn Disk>, &walked.acts[number], when(number)).unwrap();
            disk.writes()
        });
        Self { writes: writes.collect(), walked }
    }

    /// Every write of every command: the act's number, and the write's.
    fn points(&self) -> Vec<(usize, usize)> {
        let commands = |(number, _): &(usize, &usize)| self.walked.acts[*number].is_command();
        let all = self.writes.iter().enumerate().filter(commands);
        all.flat_map(|(number, writes)| (1..=*writes).map(move |at| (number, at))).collect()
    }

    /// What is wrong after an act was done at last: now, and in the end where that is looked at.
    fn wrongs(&self, stage: &crate::stage::Stage, number: usize, to_the_end: bool) -> Vec<String> {
        let mut wrongs = comparable(&stage.tree()).differences(&comparable(&self.walked.trees[number + 1]));
        if to_the_end || !wrongs.is_empty() {
            match go_on(stage, &self.walked.acts, number + 1) {
                Ok(()) => {
                    let end = comparable(&stage.tree()).differences(&comparable(self.walked.end()));
                    wrongs.extend(end.into_iter().map(|line| format!("in the end {line}")));
                }
                Err(error) => wrongs.push(format!("does not go on: {error}")),
            }
        }
        wrongs
    }
}

fn sweep(manner: Manner) {
    let counted = Counted::new();
    let acts = &counted.walked.acts;
    let (mut crashes, mut failures) = (0, Vec::new());
    for (nth, (number, at)) in counted.points().into_iter().enumerate() {
        let stage = staged(&counted.walked.trees[number]);
        let mut deaths = vec![at];
        // The second run has at most as many writes to make; it may end before it dies.
        deaths.extend(nth.is_multiple_of(DOUBLE_DEATHS).then(|| 1 + at * 7 % counted.writes[number]));
        let mut wrongs = Vec::new();
        for at in &deaths {
            let disk = Arc::new(DyingDisk::dying(stage.disk(), Death { at: *at, manner }));
            let died = play(&stage, Arc::clone(&disk) as Arc<dyn Disk>, &acts[number], when(number));
            crashes += usize::from(disk.is_dead());
            if disk.is_dead() == died.is_ok() {
                wrongs.push(format!("dead: {}, yet {:?}", disk.is_dead(), died.map(|_| ())));
            }
        }
        match play(&stage, stage.disk(), &acts[number], when(number)) {
            Ok(_) => wrongs.extend(counted.wrongs(&stage, number, nth.is_multiple_of(TO_THE_END))),
            Err(error) => wrongs.push(format!("does not go on: {error}")),
        }
        if !wrongs.is_empty() {
            failures.push(format!("{number} {:?}, {manner:?} at {deaths:?}:\n{}", acts[number], wrongs.join("\n")));
        }
    }
    eprintln!("{manner:?}: {crashes} crashes injected at {} writes", counted.points().len());
    assert_none(&failures, crashes);
}

fn refuse(kind: Refusal) {
    let counted = Counted::new();
    let acts = &counted.walked.acts;
    let (mut refusals, mut failures) = (0, Vec::new());
    for (nth, (number, at)) in counted.points().into_iter().enumerate() {
        let lasting = if nth.is_multiple_of(2) { Lasting::Once } else { Lasting::Forever };
        let stage = staged(&counted.walked.trees[number]);
        let disk = Arc::new(DyingDisk::refusing(stage.disk(), Refusing { at, kind, lasting }));
        let refused = play(&stage, disk, &acts[number], when(number)).map(|_| ());
        refusals += 1;
        let mut wrongs = Vec::new();
        match (refused.as_ref().err().and_then(disk_error), kind) {
            (Some(DiskError::Full { path }), Refusal::Full) | (Some(DiskError::Denied { path }), Refusal::Denied) => {
                let said = refused.as_ref().unwrap_err().to_string();
                if path.is_empty() || !said.contains(path.as_str()) {
                    wrongs.push(format!("the error does not name the file: {said}"));
                }
            }
            _ => wrongs.push(format!("not told of the refusal: {refused:?}")),
        }
        if let Some(lost) = lost_state(&stage, &counted.walked, number) {
            wrongs.push(lost);
        }
        match play(&stage, stage.disk(), &acts[number], when(number)) {
            Ok(_) => wrongs.extend(counted.wrongs(&stage, number, nth.is_multiple_of(TO_THE_END))),
            Err(error) => wrongs.push(format!("does not go on: {error}")),
        }
        if !wrongs.is_empty() {
            let act = &acts[number];
            failures.push(format!("{number} {act:?}, {kind:?} {lasting:?} at {at}:\n{}", wrongs.join("\n")));
        }
    }
    eprintln!("{kind:?}: {refusals} refusals");
    assert_none(&failures, refusals);
}

/// Whether the state file went missing or unreadable while a write was refused.
fn lost_state(stage: &crate::stage::Stage, walked: &Walked, number: usize) -> Option<String> {
    let there = walked.trees[number].0.contains_key(STATE);
    let readable = matches!(stage.well(when(number)).standing(), Ok(forge_engine::workflow::Standing::There(_)));
    (there && !readable).then(|| "the state file is lost".to_owned())
}

fn assert_none(failures: &[String], tried: usize) {
    let shown: Vec<&str> = failures.iter().take(SHOWN).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} of {tried} went wrong\n{}", failures.len(), shown.join("\n"));
}

/// What the disk said, wherever on the way it was said.
fn disk_error(error: &EngineError) -> Option<&DiskError> {
    match error {
        EngineError::Disk(error)
        | EngineError::Open(OpenError::Disk(error))
        | EngineError::Find(FindError::Disk(error)) => Some(error),
        _ => None,
    }
}
