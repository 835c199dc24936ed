//! Collecting what sessions left in worktrees of their own.
//!
//! AO's sessions work in git worktrees. One that may not write elsewhere leaves its turn under the same relative path in
//! its own tree, where no gate would ever see it. [`Workspace::collect`] looks there and hands in what it finds, as if
//! the session had called `forge turn submit`, and takes in what is complete with it.
//!
//! Promises: only a file in form is handed in, whole, where nothing stood or what stood there would block; one that falls short of its form is given time
//! to be finished first; of two different texts for one turn none is taken; a file that was put aside before is not taken
//! again; no link leads out of a worktree.
//!
//! Must never: change a worktree; lose words that stand in the workspace; believe a header that says that forge wrote
//! the file.
//!
//! If the process dies here: what was handed in stands, and the next collection finds the rest.

use crate::survey::{OpenAsk, Survey};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::{Created, Disk, DiskError, Durability, WorkspaceDisk};
use forge_artifacts::document;
use forge_artifacts::formats::turn::{self, Read};
use forge_artifacts::store::{ATTEMPTS_LIMIT, DebateFiles, Found, without_keys, writer};
use forge_debate::form::Need;
use forge_debate::plan::Hand;
use forge_debate::reading::Reading;
use forge_debate::turn::TurnKey;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most worktrees that are searched.
const WORKTREES_LIMIT: usize = 1000;

/// A file that falls short of its form, with a section missing for instance, is taken only when nobody has changed it for
/// this long: the first half of a long file can be in form.
const SETTLED_AFTER: Duration = Duration::from_secs(60);

/// What a collection found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// Turns that were handed in.
    pub taken: Vec<Taken>,
    /// Files that are not in form, or fall short of it and were changed just now: half-written most likely.
    pub not_yet: Vec<NotYet>,
    /// Turns for which there are different texts. None was taken.
    pub conflicts: Vec<Conflict>,
    /// Worktrees and files that were left alone.
    pub refused: Vec<Refused>,
}

/// A turn that was handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Which turn.
    pub key: TurnKey,
    /// The file in the worktree.
    pub from: PathBuf,
    /// The file in the workspace, relative to it.
    pub to: String,
    /// Where it falls short of its form without leaving it.
    pub shortcomings: Vec<String>,
}

/// A file that is not a turn yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotYet {
    /// Which turn it is to become.
    pub key: TurnKey,
    /// The file in the worktree.
    pub file: PathBuf,
    /// What is missing.
    pub problems: Vec<String>,
}

/// Different texts for one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Which turn.
    pub key: TurnKey,
    /// All files that are in form, those with the same text too.
    pub files: Vec<PathBuf>,
}

/// A worktree or a file that was left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// A worktree that is searched.
struct Tree {
    root: PathBuf,
    disk: WorkspaceDisk,
}

/// What a worktree has at a turn's place.
enum Sight {
    Nothing,
    Refused(String),
    NotYet(Vec<String>),
    InForm { bytes: Vec<u8>, shortcomings: Vec<String> },
}

/// A file in form.
struct Candidate {
    file: PathBuf,
    bytes: Vec<u8>,
    shortcomings: Vec<String>,
}

impl Workspace {
    /// Looks for the debate's open turns in these worktrees and hands in what is there. The caller checks that they are
    /// worktrees of this repository; the workspace itself is skipped.
    pub fn collect(&self, debate: &str, worktrees: &[PathBuf]) -> Result<Collected, EngineError> {
        let files = self.open(debate)?;
        let collected = self.collect_open(&files.layout.plan(), worktrees)?;
        self.close_waves(self.open(&files.layout.plan())?)?;
        Ok(collected)
    }

    fn collect_open(&self, plan_file: &str, worktrees: &[PathBuf]) -> Result<Collected, EngineError> {
        let files = self.open(plan_file)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        let mut collected = Collected::default();
        let trees = self.trees(worktrees, &mut collected);
        let is_held = survey.is_complete() && Survey::as_if_closed(&files)?.is_blocked();
        for open in &survey.open {
            self.collect_turn(&files, open, &trees, is_held, &mut collected)?;
        }
        Ok(collected)
    }

    fn trees(&self, worktrees: &[PathBuf], collected: &mut Collected) -> Vec<Tree> {
        let own = self.locks.root().canonicalize().ok();
        let mut trees: Vec<Tree> = Vec::new();
        for path in worktrees {
            let mut refuse = |why: String| collected.refused.push(Refused { path: path.clone(), why });
            let root = match path.canonicalize() {
                Ok(root) => root,
                Err(error) => {
                    refuse(format!("it cannot be opened: {error}"));
                    continue;
                }
            };
            if own.as_ref() == Some(&root) || trees.iter().any(|tree| tree.root == root) {
                continue;
            }
            if trees.len() == WORKTREES_LIMIT {
                refuse(format!("at most {WORKTREES_LIMIT} worktrees are searched"));
                continue;
            }
            match WorkspaceDisk::open(&root, Durability::None) {
                Ok(disk) => trees.push(Tree { root, disk }),
                Err(error) => refuse(error.to_string()),
            }
        }
        trees
    }

    fn collect_turn(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        trees: &[Tree],
        is_held: bool,
        collected: &mut Collected,
    ) -> Result<(), EngineError> {
        let key = &open.ask.key;
        let path = files.turn_path(key);
        let put_aside = put_aside(files, key)?;
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut not_yet = Vec::new();
        for tree in trees {
            let file = tree.root.join(&path);
            match self.look_at(files, open, tree, is_held, &put_aside) {
                Sight::Nothing => {}
                Sight::Refused(why) => collected.refused.push(Refused { path: file, why }),
                Sight::NotYet(problems) => not_yet.push(NotYet { key: key.clone(), file, problems }),
                Sight::InForm { bytes, shortcomings } => candidates.push(Candidate { file, bytes, shortcomings }),
            }
        }
        if candidates.iter().any(|one| candidates.first().is_some_and(|first| first.bytes != one.bytes)) {
            let files = candidates.into_iter().map(|one| one.file).collect();
            collected.conflicts.push(Conflict { key: key.clone(), files });
            return Ok(());
        }
        let Some(chosen) = candidates.into_iter().next() else {
            collected.not_yet.extend(not_yet);
            return Ok(());
        };
        match hand_in(files, open, &path, &chosen.bytes)? {
            Ok(()) => {
                let Candidate { file: from, shortcomings, .. } = chosen;
                collected.taken.push(Taken { key: key.clone(), from, to: path, shortcomings });
            }
            Err(why) => collected.refused.push(Refused { path: chosen.file, why }),
        }
        Ok(())
    }

    /// What one worktree has at the turn's place.
    fn look_at(&self, files: &DebateFiles, open: &OpenAsk, tree: &Tree, is_held: bool, put_aside: &[Vec<u8>]) -> Sight {
        let path = files.turn_path(&open.ask.key);
        let file = tree.root.join(&path);
        let bytes = match tree.disk.read(&path) {
            Ok(None) => return Sight::Nothing,
            // AO can be told to link `docs/forge` into every worktree: then this is our own file.
            Ok(Some(_)) | Err(DiskError::Refused { .. }) if self.leads_here(&file, &path) => return Sight::Nothing,
            Ok(Some(bytes)) => bytes,
            Err(error) => return Sight::Refused(error.to_string()),
        };
        if !matches!(turn::read(&document::decode(&bytes).text), Read::Plain) {
            let why = "it has the header of a turn that forge wrote; only a session's own words are collected";
            return Sight::Refused(why.to_owned());
        }
        let (bytes, had_keys) = match without_keys(&bytes) {
            Some(clean) => (clean, true),
            None => (bytes, false),
        };
        if put_aside.contains(&bytes) {
            return Sight::Refused("the same words were put aside before; the turn is to be written anew".to_owned());
        }
        let reading = files.hold_against_form(&open.ask, &bytes, writer(&Hand::Outside.to_string()));
        match &open.found {
            Found::HandedIn { bytes: there }
                if *there == bytes || without_keys(there).as_ref() == Some(&bytes) || reading.speech.is_none() =>
            {
                Sight::Nothing
            }
            // Words that block are mended by whoever wrote them; any others stand.
            Found::HandedIn { .. } if !(is_held && self.is_newer(tree, &path)) => {
                Sight::Refused(format!("{path} has other words already, and those stand"))
            }
            _ => match sight_of(&reading, bytes, tree.disk.age(&path)) {
                Sight::InForm { bytes, mut shortcomings } if had_keys => {
                    shortcomings.push(format!("what looks like a key was removed; {} still holds it", file.display()));
                    Sight::InForm { bytes, shortcomings }
                }
                sight => sight,
            },
        }
    }

    /// Whether a worktree's file was changed after ours was.
    fn is_newer(&self, tree: &Tree, path: &str) -> bool {
        matches!((tree.disk.age(path), self.locks.age(path)), (Some(theirs), Some(ours)) if theirs < ours)
    }

    /// Whether a file of another worktree is the workspace's own file of that path.
    fn leads_here(&self, file: &Path, path: &str) -> bool {
        // The file need not be there yet; its folder is what is linked.
        let real = |file: &Path| file.ancestors().find_map(|part| part.canonicalize().ok());
        real(file).is_some_and(|file| real(&self.locks.root().join(path)) == Some(file))
    }
}

/// A file that was held against its form: taken, or left until it is finished.
fn sight_of(reading: &Reading, bytes: Vec<u8>, age: Option<Duration>) -> Sight {
    let mut lines = reading.lines();
    if reading.speech.is_none() {
        return Sight::NotYet(lines);
    }
    let falls_short = reading.defects.iter().any(|defect| defect.need == Need::Due);
    if falls_short && age.is_none_or(|age| age < SETTLED_AFTER) {
        let wait = SETTLED_AFTER.as_secs();
        lines
            .push(format!("it may still be being written: as it is, it is taken {wait} seconds after its last change"));
        return Sight::NotYet(lines);
    }
    Sight::InForm { bytes, shortcomings: lines }
}

/// Puts the words at the turn's place, as submitting does; says why not if something else stands there.
fn hand_in(files: &DebateFiles, open: &OpenAsk, path: &str, bytes: &[u8]) -> Result<Result<(), String>, EngineError> {
    if let Found::NotYet { .. } | Found::Damaged { .. } | Found::HandedIn { .. } = open.found {
        match files.set_aside(&open.ask.key, path) {
            Err(error) if error.is_about_one_file() => return Ok(Err(error.to_string())),
            moved => moved?,
        };
    }
    files.seal()?;
    Ok(match files.hand_in(&open.ask.key, bytes)? {
        Created::New => Ok(()),
        Created::AlreadyThere => Err(format!("{path} was written by somebody else meanwhile")),
    })
}

/// What was moved out of the turn's place before. A session's worktree still has it, and would bring it back for ever.
fn put_aside(files: &DebateFiles, key: &TurnKey) -> Result<Vec<Vec<u8>>, EngineError> {
    let mut all = Vec::new();
    for number in 1..=ATTEMPTS_LIMIT {
        let Some(bytes) = files.disk().read(&files.layout.set_aside(key, number))? else { break };
        all.push(without_keys(&bytes).unwrap_or(bytes));
    }
    Ok(all)
}
