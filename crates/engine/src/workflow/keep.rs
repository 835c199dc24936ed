//! Snapshots of the state file: on every change of phase, hourly, and when asked for. A copy that says the same as the
//! newest one is not made.

use super::Log;
use super::standing::Standing;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::{Created, EntryKind};
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow::{self, Layout};
use forge_artifacts::stamp::Stamp;
use forge_workflow::next::{STATE_FILE, touch};
use forge_workflow::state::State;

/// Where snapshots are.
pub(crate) const SNAPSHOTS: &str = ".claude/forge/snapshots";
/// Where files go that stood in the way.
pub(crate) const ASIDE: &str = ".claude/forge/aside";
const HOUR_SECONDS: i64 = 3600;
/// The most files with one moment in their name.
const NAMESAKES_LIMIT: usize = 1000;
/// The most snapshots that are read to find the newest.
const SNAPSHOTS_LIMIT: usize = 2000;
/// The snapshots that stay when a new one is made.
const SNAPSHOTS_KEPT: usize = 100;

/// What came of saving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// A copy was made here.
    Made(String),
    /// The newest copy, here, says the same.
    Already(String),
    /// There is nothing to copy.
    Nothing,
}

/// What came of restoring.
#[derive(Debug, Clone, PartialEq)]
pub struct Restored {
    /// The snapshot.
    pub path: String,
    /// What it says.
    pub state: State,
    /// Whether the state file says something else than before.
    pub is_new: bool,
    /// The other snapshots, the last one by name first.
    pub others: Vec<(String, State)>,
    /// What else was done.
    pub log: Log,
}

impl Workspace {
    /// Keeps a copy of the state file as it is.
    pub fn save(&self) -> Result<Kept, EngineError> {
        // A folder without a workflow is left as it is.
        if self.disk.read(STATE_FILE)?.is_none() {
            return Ok(Kept::Nothing);
        }
        let _held = self.hold_workflow()?;
        self.keep()
    }

    pub(crate) fn keep(&self) -> Result<Kept, EngineError> {
        let Some(bytes) = self.disk.read(STATE_FILE)? else { return Ok(Kept::Nothing) };
        if let Some(newest) = self.snapshots()?.pop()
            && self.disk.read(&newest)?.as_deref() == Some(bytes.as_slice())
        {
            return Ok(Kept::Already(newest));
        }
        let path = self.put_under(SNAPSHOTS, &(self.clock)().compact(), &bytes)?;
        self.prune()?;
        Ok(Kept::Made(path))
    }

    /// Removes the oldest snapshots of forge's own making.
    fn prune(&self) -> Result<(), EngineError> {
        let mut own = self.snapshots()?;
        own.retain(|path| path.rsplit('/').next().is_some_and(|name| Stamp::parse_compact(name).is_some()));
        let spare = own.len().saturating_sub(SNAPSHOTS_KEPT);
        for path in own.iter().take(spare) {
            self.disk.remove(path)?;
        }
        Ok(())
    }

    /// A snapshot an hour after the last one, when a command runs.
    pub(crate) fn keep_hourly(&self) -> Result<(), EngineError> {
        let now = (self.clock)();
        let all = self.snapshots()?;
        let stamps = all.iter().filter_map(|path| Stamp::parse_compact(path.rsplit('/').next()?));
        // Snapshots of the future were made before the clock was put back.
        let newest = stamps.filter(|made| made.0 <= now.0).max_by_key(|made| made.0);
        if newest.is_none_or(|made| now.0 - made.0 >= HOUR_SECONDS) {
            self.keep()?;
        }
        Ok(())
    }

    /// All snapshots, oldest first by their names.
    pub fn snapshots(&self) -> Result<Vec<String>, EngineError> {
        let entries = self.disk.list(SNAPSHOTS)?;
        let files = entries.into_iter().filter(|entry| entry.kind == EntryKind::File && entry.name.ends_with(".md"));
        let mut paths: Vec<String> = files.map(|entry| format!("{SNAPSHOTS}/{}", entry.name)).collect();
        paths.sort_by_cached_key(|path| order(path));
        Ok(paths)
    }

    /// The snapshots that can be read, and what they say; the last one by name first.
    pub(crate) fn readable_snapshots(&self) -> Result<Vec<(String, State)>, EngineError> {
        let mut all = Vec::new();
        for path in self.snapshots()?.into_iter().rev().take(SNAPSHOTS_LIMIT) {
            if let Some(state) = self.snapshot_state(&path)? {
                all.push((path, state));
            }
        }
        Ok(all)
    }

    fn snapshot_state(&self, path: &str) -> Result<Option<State>, EngineError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(None) };
        match active_workflow::read(&document::decode(&bytes).text) {
            active_workflow::Read::State { mut state, layout, has_id, .. } => {
                // As the same file is read in place.
                if !has_id {
                    let _ = self.identify(&mut state, layout)?;
                }
                if layout != Layout::Ours && state.is_open() {
                    self.note_debates(&mut state, layout)?;
                }
                Ok(Some(state))
            }
            _ => Ok(None),
        }
    }

    /// Puts a snapshot back: the one that is named, or the newest. The state file as it is now is kept as a snapshot first, and
    /// so is what was put back: a state file that is lost must not take it along. Documents, debates and knowledge stay as
    /// they are.
    pub fn restore(&self, name: Option<&str>) -> Result<Restored, EngineError> {
        Log::telling(|log| {
            // A folder without snapshots is left as it is.
            self.chosen_snapshot(name)?;
            let _held = self.hold_workflow()?;
            let path = self.chosen_snapshot(name)?;
            let Some(mut state) = self.snapshot_state(&path)? else {
                return Err(EngineError::Usage(format!(
                    "{path} cannot be read as a state file; `forge restore` without a name takes the newest one that can"
                )));
            };
            let current = match self.standing()? {
                Standing::There(there) => Some(there.state),
                Standing::Damaged { path, .. } => {
                    let kept = self.set_aside(&path)?;
                    log.did(format!("the damaged state file is kept as {kept}"));
                    None
                }
                Standing::Idle | Standing::Foreign(_) => {
                    self.copy_state_file(log)?;
                    None
                }
                Standing::Absent => None,
            };
            let others = self.other_snapshots(&path)?;
            if current.as_ref().is_some_and(|current| state.says_the_same(current)) {
                return Ok(Restored { path, state, is_new: false, others, log: std::mem::take(log) });
            }
            if let Kept::Made(kept) | Kept::Already(kept) = self.keep()? {
                log.did(format!("the state before is kept as {kept}"));
            }
            // Restoring is a change like any other: count and time go on, or some other snapshot would look newer.
            state.revision = self.last_revision(&state)?;
            let all = self.readable_snapshots()?;
            let same = all.iter().map(|(_, known)| known).filter(|known| known.workflow_id == state.workflow_id);
            for known in same.chain(&current) {
                state.revision = state.revision.max(known.revision);
                state.last_updated = state.last_updated.max(known.last_updated.clone());
            }
            touch(&mut state, &self.now());
            let text = self.disk.read(&path)?.map(|bytes| document::decode(&bytes).text);
            self.write_state_over(text.as_deref(), &state)?;
            self.keep()?;
            Ok(Restored { path, state, is_new: true, others, log: std::mem::take(log) })
        })
    }

    /// The newest other snapshots, with what they say.
    fn other_snapshots(&self, chosen: &str) -> Result<Vec<(String, State)>, EngineError> {
        let mut all = self.readable_snapshots()?;
        all.retain(|(path, _)| path != chosen);
        Ok(all)
    }

    fn chosen_snapshot(&self, name: Option<&str>) -> Result<String, EngineError> {
        match name {
            Some(name) => self.snapshot_named(name),
            None => match newest(&self.readable_snapshots()?) {
                Some((path, _)) => Ok(path.clone()),
                None => Err(EngineError::Usage("there is no snapshot yet; `forge save` makes one".to_owned())),
            },
        }
    }

    fn snapshot_named(&self, name: &str) -> Result<String, EngineError> {
        let all = self.snapshots()?;
        let bare = name.trim().rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
        let stem = |path: &str| path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md").to_owned();
        let exact = all.iter().find(|path| stem(path) == bare);
        let begins: Vec<&String> = all.iter().filter(|path| !bare.is_empty() && stem(path).starts_with(bare)).collect();
        match (exact, begins.as_slice()) {
            (Some(path), _) => Ok(path.clone()),
            (None, [path]) => Ok((*path).clone()),
            (None, []) => {
                let newest: Vec<String> = all.iter().rev().take(5).map(|path| stem(path)).collect();
                let known = if newest.is_empty() {
                    "there are none".to_owned()
                } else {
                    format!("the newest are {}", newest.join(", "))
                };
                Err(EngineError::Usage(format!("there is no snapshot {name:?} in {SNAPSHOTS}; {known}")))
            }
            (None, several) => Err(EngineError::Usage(format!(
                "{name:?} could be {}; say which",
                several.iter().take(8).map(|path| stem(path)).collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    /// Moves a file out of the way without losing it, and tells where it went.
    pub(crate) fn set_aside(&self, path: &str) -> Result<String, EngineError> {
        let kept = self.copy_aside(path)?;
        if kept != path {
            self.disk.remove(path)?;
        }
        Ok(kept)
    }

    /// Copies a file to where it is in nobody's way, and tells where that is.
    pub(crate) fn copy_aside(&self, path: &str) -> Result<String, EngineError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(path.to_owned()) };
        let stem = path.rsplit('/').next().unwrap_or("file").trim_end_matches(".md");
        self.put_under(ASIDE, &format!("{stem}-{}", (self.clock)().compact()), &bytes)
    }

    /// Writes a file under a name that is free, or finds it there already.
    pub(crate) fn put_under(&self, folder: &str, stem: &str, bytes: &[u8]) -> Result<String, EngineError> {
        for number in 1..=NAMESAKES_LIMIT {
            let suffix = if number == 1 { String::new() } else { format!("-{number}") };
            let path = format!("{folder}/{stem}{suffix}.md");
            if self.disk.create_new(&path, bytes)? == Created::New || self.disk.read(&path)?.as_deref() == Some(bytes) {
                return Ok(path);
            }
        }
        Err(EngineError::Usage(format!("{folder} holds {NAMESAKES_LIMIT} files named {stem}; tidy it up")))
    }
}

/// The moment in a snapshot's name, and its number among those of one moment.
fn order(path: &str) -> (String, usize) {
    let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
    let (moment, rest) = stem.split_at_checked(15).unwrap_or((stem, ""));
    (moment.to_owned(), rest.trim_start_matches('-').parse().unwrap_or(1))
}

/// The snapshot that was written last, whatever the clock said: of each workflow the one with the highest revision, and
/// of those the one that was updated last. Within one second, what is over was followed by what is not.
pub(super) fn newest(all: &[(String, State)]) -> Option<&(String, State)> {
    let mut last: Vec<&(String, State)> = Vec::new();
    for one in all {
        match last.iter_mut().find(|(_, known)| known.workflow_id == one.1.workflow_id) {
            Some(known) if known.1.revision >= one.1.revision => {}
            Some(known) => *known = one,
            None => last.push(one),
        }
    }
    // Of equals the first, which has the last name.
    last.into_iter().rev().max_by_key(|(_, state)| (&state.last_updated, state.is_open(), state.revision))
}
