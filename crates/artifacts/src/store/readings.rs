//! What was read of turns, kept from one pass of a run to the next: a pass reads every file again and takes apart only what is
//! new. What is kept counts for the very ask and the very bytes that it was read for, and for nothing else.

use super::OnRecord;
use super::words::Drafted;
use crate::disk::{Disk, DiskError};
use forge_debate::digest::Digest;
use forge_debate::reading::Reading;
use forge_debate::record::Ask;
use forge_debate::turn::TurnKey;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was read before.
#[derive(Default)]
pub(super) struct Readings {
    turns: Mutex<BTreeMap<TurnKey, Kept>>,
    /// The words of replies in which nothing is missing.
    replies: Mutex<BTreeMap<TurnKey, Held>>,
    /// Replies that were taken apart while keys were looked for in them, until they are held against their forms.
    drafted: Mutex<BTreeMap<TurnKey, (Vec<u8>, Drafted)>>,
}

struct Held {
    ask: Ask,
    words: String,
    reading: Reading,
}

struct Kept {
    ask: Ask,
    from: Vec<Source>,
    one: OnRecord,
}

/// A file, and the digest of what was in it; none where it was not there.
pub(super) type Source = (String, Option<Digest>);

impl Readings {
    /// The turn as it was read for this ask, if every file that it was read from is as it was.
    pub(super) fn of(&self, ask: &Ask, disk: &dyn Disk) -> Option<OnRecord> {
        let kept = locked(&self.turns);
        let kept = kept.get(&ask.key).filter(|kept| kept.ask == *ask)?;
        let is_as_it_was =
            |(path, before): &Source| disk.read(path).is_ok_and(|now| now.as_deref().map(Digest::of) == *before);
        kept.from.iter().all(is_as_it_was).then(|| kept.one.clone())
    }

    /// Keeps a turn that was read.
    pub(super) fn keep(&self, ask: &Ask, from: Vec<Source>, one: OnRecord) {
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

    /// The asks for which turns are kept.
    pub(super) fn asks(&self) -> Vec<Ask> {
        locked(&self.turns).values().map(|kept| kept.ask.clone()).collect()
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
