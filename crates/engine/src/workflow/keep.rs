//! Snapshots of the state file: on every change of phase, hourly, and when asked for. A copy that says the same as the
//! newest one is not made.

use super::read::Standing;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::{Created, EntryKind};
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow;
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

impl Workspace {
    /// Keeps a copy of the state file as it is.
    pub fn save(&self) -> Result<Kept, EngineError> {
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
        Ok(Kept::Made(path))
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

    /// The snapshot that was written last, whatever the clock said: the one with the highest revision of those wanted.
    pub(crate) fn newest_snapshot(
        &self,
        wanted: &dyn Fn(&State) -> bool,
    ) -> Result<Option<(String, State)>, EngineError> {
        let mut best: Option<(String, State)> = None;
        for path in self.snapshots()?.into_iter().rev().take(SNAPSHOTS_LIMIT) {
            let Some(state) = self.snapshot_state(&path)?.filter(wanted) else { continue };
            let newer = best.as_ref().is_none_or(|(_, known)| {
                (state.workflow_id == known.workflow_id && state.revision > known.revision)
                    || (state.workflow_id != known.workflow_id && state.started_at > known.started_at)
            });
            if newer {
                best = Some((path, state));
            }
        }
        Ok(best)
    }

    fn snapshot_state(&self, path: &str) -> Result<Option<State>, EngineError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(None) };
        match active_workflow::read(&document::decode(&bytes).text) {
            active_workflow::Read::State { state, .. } => Ok(Some(state)),
            _ => Ok(None),
        }
    }

    /// Puts a snapshot back. The state file as it is now is kept as a snapshot first. Documents, debates and knowledge
    /// stay as they are.
    pub fn restore(&self, name: Option<&str>) -> Result<(String, State), EngineError> {
        let _held = self.hold_workflow()?;
        let path = match name {
            Some(name) => self.snapshot_named(name)?,
            None => self.newest_other_snapshot()?,
        };
        let Some(mut state) = self.snapshot_state(&path)? else {
            return Err(EngineError::Usage(format!(
                "{path} cannot be read as a state file; `forge restore` without a name takes the newest one that can"
            )));
        };
        let current = match self.standing()? {
            Standing::There(there) => Some(there.state.revision),
            Standing::Damaged { path, .. } => {
                self.set_aside(&path)?;
                None
            }
            Standing::Absent | Standing::Idle => None,
        };
        self.keep()?;
        // Restoring is a change like any other: the count goes on, or the snapshot just made would look newer.
        state.revision = current.unwrap_or(0).max(state.revision);
        touch(&mut state, &self.now());
        let text = self.disk.read(&path)?.map(|bytes| document::decode(&bytes).text);
        self.write_state_over(text.as_deref(), &state)?;
        Ok((path, state))
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

    fn newest_other_snapshot(&self) -> Result<String, EngineError> {
        let current = match self.standing()? {
            Standing::There(there) => Some(there.state),
            _ => None,
        };
        let differs = |state: &State| current.as_ref().is_none_or(|current| !state.says_the_same(current));
        match self.newest_snapshot(&differs)? {
            Some((path, _)) => Ok(path),
            None => Err(EngineError::Usage(if self.snapshots()?.is_empty() {
                "there is no snapshot yet; `forge save` makes one".to_owned()
            } else {
                format!("there is no snapshot in {SNAPSHOTS} that differs from the state file")
            })),
        }
    }

    /// Moves a file out of the way without losing it, and tells where it went.
    pub(crate) fn set_aside(&self, path: &str) -> Result<String, EngineError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(path.to_owned()) };
        let stem = path.rsplit('/').next().unwrap_or("file").trim_end_matches(".md");
        let target = self.put_under(ASIDE, &format!("{stem}-{}", (self.clock)().compact()), &bytes)?;
        self.disk.remove(path)?;
        Ok(target)
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
