//! What was read of turns and what was asked, kept from one pass of a run to the next: a pass takes apart, and asks, only what is
//! new. What is kept counts for the very ask and the very bytes that it was read for, and for nothing else. Each pass reads the files
//! again to see that; a run that holds the debate does so once, before it ends.

use super::OnRecord;
use super::words::Drafted;
use crate::disk::{Disk, DiskError};
use forge_debate::digest::Digest;
use forge_debate::reading::Reading;
use forge_debate::record::{Ask, Wave};
use forge_debate::turn::TurnKey;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What was read before.
#[derive(Default)]
pub(super) struct Readings {
    /// Whether nobody else may write the files meanwhile: then they are not read again.
    believed: AtomicBool,
    asked: Mutex<Asked>,
    turns: Mutex<BTreeMap<TurnKey, Kept>>,
    /// The words of replies in which nothing is missing.
    replies: Mutex<BTreeMap<TurnKey, Held>>,
    /// Replies that were taken apart while keys were looked for in them, until they are held against their forms.
    drafted: Mutex<BTreeMap<TurnKey, (Vec<u8>, Drafted)>>,
}

/// The waves of the last pass, and the turns that it heard.
type Asked = (Vec<Wave>, Vec<Arc<OnRecord>>);

struct Held {
    ask: Ask,
    words: String,
    reading: Reading,
}

struct Kept {
    ask: Ask,
    from: Vec<Source>,
    one: Arc<OnRecord>,
}

/// A file, and the digest of what was in it; none where it was not there.
pub(super) type Source = (String, Option<Digest>);

impl Readings {
    /// The turn as it was read for this ask, if every file that it was read from is as it was.
    pub(super) fn of(&self, ask: &Ask, disk: &dyn Disk) -> Option<Arc<OnRecord>> {
        let kept = locked(&self.turns);
        let kept = kept.get(&ask.key).filter(|kept| kept.ask == *ask)?;
        let is_good = self.believed.load(Ordering::SeqCst) || kept.is_as_it_was(disk);
        is_good.then(|| Arc::clone(&kept.one))
    }

    /// Whether all turns are in their files as they were read.
    pub(super) fn are_as_they_were(&self, disk: &dyn Disk) -> bool {
        locked(&self.turns).values().all(|kept| kept.is_as_it_was(disk))
    }

    /// Whether the files are as they were read, as long as this says so; tells what was said before. Of what was read, only what
    /// the last pass heard is believed: the rest was not looked at for long.
    pub(super) fn believe(&self, believed: bool) -> bool {
        let before = self.believed.swap(believed, Ordering::SeqCst);
        if believed && !before {
            let (_, heard) = self.asked();
            locked(&self.turns).retain(|_, kept| heard.iter().any(|one| Arc::ptr_eq(one, &kept.one)));
        }
        before
    }

    /// Keeps what a pass asked for and heard.
    pub(super) fn keep_asked(&self, waves: Vec<Wave>, heard: &[Arc<OnRecord>]) {
        *locked(&self.asked) = (waves, heard.to_vec());
    }

    /// What the last pass asked for and heard.
    pub(super) fn asked(&self) -> Asked {
        locked(&self.asked).clone()
    }

    /// Keeps a turn that was read.
    pub(super) fn keep(&self, ask: &Ask, from: Vec<Source>, one: Arc<OnRecord>) {
        locked(&self.turns).insert(ask.key.clone(), Kept { ask: ask.clone(), from, one });
    }

    /// Keeps a reply that was taken apart.
    pub(super) fn keep_drafted(&self, ask: &Ask, bytes: &[u8], drafted: Drafted) {
        locked(&self.drafted).insert(ask.key.clone(), (bytes.to_vec(), drafted));
    }

    /// These bytes taken apart, if they were before.
    pub(super) fn drafted(&self, ask: &Ask, bytes: &[u8]) -> Option<Drafted> {
        let (of, drafted) = locked(&self.drafted).remove(&ask.key)?;
        (of == bytes).then_some(drafted)
    }

    /// Keeps what a reply was read as, the first line of its words being line 1.
    pub(super) fn keep_reply(&self, ask: &Ask, words: String, reading: &Reading) {
        if reading.defects.is_empty() {
            let held = Held { ask: ask.clone(), words, reading: reading.clone() };
            locked(&self.replies).insert(ask.key.clone(), held);
        }
    }

    /// What these words were read as when they came as the reply to this ask, as they stand from `first_line` on.
    pub(super) fn of_reply(&self, ask: &Ask, words: &str, first_line: usize) -> Option<Reading> {
        let replies = locked(&self.replies);
        let held = replies.get(&ask.key).filter(|held| held.words == words && held.ask == *ask)?;
        Some(held.reading.clone().further_down(first_line.checked_sub(1)?))
    }
}

impl Kept {
    /// Whether every file that it was read from is as it was.
    fn is_as_it_was(&self, disk: &dyn Disk) -> bool {
        self.from
            .iter()
            .all(|(path, before)| disk.read(path).is_ok_and(|now| now.as_deref().map(Digest::of) == *before))
    }
}

fn locked<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A disk that notes what was read of it; nothing once something could not be read.
pub(super) struct Seen<'d> {
    disk: &'d dyn Disk,
    from: RefCell<Option<Vec<Source>>>,
}

impl<'d> Seen<'d> {
    pub(super) fn on(disk: &'d dyn Disk) -> Self {
        Self { disk, from: RefCell::new(Some(Vec::new())) }
    }

    /// What was read; none where something could not be.
    pub(super) fn files(self) -> Option<Vec<Source>> {
        self.from.into_inner()
    }

    pub(super) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
        let read = self.disk.read(path);
        match &read {
            Err(_) => drop(self.from.take()),
            Ok(bytes) => {
                let source = (path.to_owned(), bytes.as_deref().map(Digest::of));
                self.from.borrow_mut().iter_mut().for_each(|from| from.push(source.clone()));
            }
        }
        read
    }
}
