//! The whole walk, killed and refused at every write of every command, and the same command run again.
//!
//! With the clock standing still within an act, a command that was cut off and run again must leave what it leaves
//! undisturbed. The tree right after it is held against the undisturbed one, byte for byte; whatever comes later depends
//! on nothing else, so the story is gone on with to its end only at every so manieth fault, which also shows that what
//! is not compared (copies of the state, indexes, counts) matters to nobody.
//!
//! Every write is died of in one manner: a whole temporary file is left, and the file itself is as it was. That is also
//! what a death right after the write before leaves. The other manners are sampled, each at every [`SAMPLED`]th write,
//! and the death right after it is tried at the last write of every command besides. All of them at all writes pass
//! too (1,028 deaths) and take a minute more: set `FORGE_SWEEP=all`.

use super::walk::{Act, Walked, given_up, go_on, play, story, when};
use super::{STATE, comparable, staged};
use crate::stage::Stage;
use forge_artifacts::catalog::FindError;
use forge_artifacts::disk::{Disk, DiskError};
use forge_artifacts::store::OpenError;
use forge_engine::EngineError;
use forge_engine::workflow::Standing;
use forge_testkit::dying_disk::{Death, DyingDisk, Lasting, Manner, Refusal, Refusing};
use std::sync::Arc;

/// At every so manieth fault the story is gone on with to its end.
const TO_THE_END: usize = 30;
/// At every so manieth death the next run dies too.
const DOUBLE_DEATHS: usize = 5;
/// The other manners are tried at every so manieth write.
const SAMPLED: usize = 8;
/// The act at which the sweep is divided, so that two cores can share it.
const MIDDLE: usize = 17;
/// The first act of the other story that this one does not have.
const SEATED: usize = 5;
/// At most so many failures of a sweep are shown.
const SHOWN: usize = 3;

// seed: S1-2
#[test]
fn dies_at_every_write_up_to_the_design() {
    sweep(story(), |number| number < MIDDLE);
}

// seed: S1-2
#[test]
fn dies_at_every_write_from_the_design_on() {
    sweep(story(), |number| number >= MIDDLE);
}

#[test]
fn dies_at_every_write_of_giving_up() {
    let seated = given_up().iter().position(|act| matches!(act, Act::Seat(_))).unwrap();
    assert_eq!(seated, SEATED);
    sweep(given_up(), |number| number >= SEATED);
}

#[test]
fn is_refused_every_write() {
    refuse(story(), 0);
}

#[test]
fn is_refused_every_write_of_giving_up() {
    refuse(given_up(), SEATED);
}

/// A story with how many writes each act takes.
struct Counted {
    walked: Walked,
    writes: Vec<usize>,
}

impl Counted {
    fn new(acts: Vec<Act>) -> Self {
        let walked = Walked::of(acts);
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
    fn wrongs(&self, stage: &Stage, number: usize, to_the_end: bool) -> Vec<String> {
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

/// How a command is cut off at one of its writes: in one manner, or in several.
fn manners(nth: usize, is_last: bool) -> Vec<Manner> {
    let others = [Manner::Before, Manner::TornTemp, Manner::AfterRename];
    let everything = std::env::var_os("FORGE_SWEEP").is_some_and(|word| word == "all");
    let sampled = |(at, manner): (usize, Manner)| {
        let also = nth % SAMPLED == at || (is_last && manner == Manner::AfterRename);
        (everything || also).then_some(manner)
    };
    std::iter::once(Manner::TempOnly).chain(others.into_iter().enumerate().filter_map(sampled)).collect()
}

fn sweep(acts: Vec<Act>, part: fn(usize) -> bool) {
    let counted = Counted::new(acts);
    let (mut crashes, mut failures) = (0, Vec::new());
    let mut points = 0;
    for (nth, (number, at)) in counted.points().into_iter().enumerate().filter(|(_, (number, _))| part(*number)) {
        points += 1;
        for manner in manners(nth, at == counted.writes[number]) {
            let mut deaths = vec![Death { at, manner }];
            // The second run has at most as many writes to make; it may end before it dies.
            let again = Death { at: 1 + at * 7 % counted.writes[number], manner };
            deaths.extend(nth.is_multiple_of(DOUBLE_DEATHS).then_some(again));
            let (died, wrongs) = die_and_run_again(&counted, number, &deaths, nth.is_multiple_of(TO_THE_END));
            crashes += died;
            if !wrongs.is_empty() {
                let act = &counted.walked.acts[number];
                failures.push(format!("{number} {act:?}, {deaths:?}:\n{}", wrongs.join("\n")));
            }
        }
    }
    eprintln!("{crashes} crashes injected at {points} writes");
    assert_none(&failures, crashes);
}

/// Says how often the command died, and what is wrong after it was run again at last.
fn die_and_run_again(counted: &Counted, number: usize, deaths: &[Death], to_the_end: bool) -> (usize, Vec<String>) {
    let stage = staged(&counted.walked.trees[number]);
    let act = &counted.walked.acts[number];
    let (mut died, mut wrongs) = (0, Vec::new());
    for death in deaths {
        let disk = Arc::new(DyingDisk::dying(stage.disk(), *death));
        let played = play(&stage, Arc::clone(&disk) as Arc<dyn Disk>, act, when(number));
        died += usize::from(disk.is_dead());
        if disk.is_dead() == played.is_ok() {
            wrongs.push(format!("dead: {}, yet {:?}", disk.is_dead(), played.map(|_| ())));
        }
    }
    match play(&stage, stage.disk(), act, when(number)) {
        Ok(_) => wrongs.extend(counted.wrongs(&stage, number, to_the_end)),
        Err(error) => wrongs.push(format!("does not go on: {error}")),
    }
    (died, wrongs)
}

fn refuse(acts: Vec<Act>, from: usize) {
    let counted = Counted::new(acts);
    let acts = &counted.walked.acts;
    let (mut refusals, mut failures) = (0, Vec::new());
    let points = counted.points().into_iter().filter(|(number, _)| *number >= from);
    for (nth, (number, at)) in points.enumerate() {
        let kind = if nth.is_multiple_of(2) { Refusal::Full } else { Refusal::Denied };
        let lasting = if (nth / 2).is_multiple_of(2) { Lasting::Once } else { Lasting::Forever };
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
    eprintln!("{refusals} refusals");
    assert_none(&failures, refusals);
}

/// Whether the state file went missing or unreadable while a write was refused.
fn lost_state(stage: &Stage, walked: &Walked, number: usize) -> Option<String> {
    let there = walked.trees[number].0.contains_key(STATE);
    let readable = matches!(stage.well(when(number)).standing(), Ok(Standing::There(_)));
    (there && !readable).then(|| "the state file is lost".to_owned())
}

fn assert_none(failures: &[String], tried: usize) {
    let shown: Vec<&str> = failures.iter().take(SHOWN).map(String::as_str).collect();
    assert!(failures.is_empty(), "{} of {tried} went wrong\n{}", failures.len(), shown.join("\n"));
}

/// What the disk said, wherever on the way it was said.
fn disk_error(error: &EngineError) -> Option<&DiskError> {
    match error {
        EngineError::Midway { error, .. } => disk_error(error),
        EngineError::Disk(error)
        | EngineError::Open(OpenError::Disk(error))
        | EngineError::Find(FindError::Disk(error)) => Some(error),
        _ => None,
    }
}
