//! What a paid call rests on is on the medium, and a debate waits for little else.

use crate::scenario::Scenario;
use crate::stage::Stage;
use forge_artifacts::disk::{Created, Disk, DiskError, Entry, WorkspaceDisk};
use std::sync::{Arc, Mutex};

/// The most waits of a debate of two rounds with six calls.
const WAITS_LIMIT: usize = 14;

/// A disk that notes what is written, and when it is settled.
struct Noting {
    disk: Arc<WorkspaceDisk>,
    log: Mutex<Vec<Note>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Note {
    /// A write that waits for itself: for its bytes, and for its name.
    Now(String),
    Soon(String),
    Settled,
}

impl Noting {
    fn note(&self, note: Note) {
        self.log.lock().unwrap().push(note);
    }
}

impl Disk for Noting {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
        self.disk.read(path)
    }
    fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
        self.disk.list(folder)
    }
    fn create_new(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        self.note(Note::Now(path.to_owned()));
        self.disk.create_new(path, bytes)
    }
    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        self.note(Note::Now(path.to_owned()));
        self.disk.replace(path, bytes)
    }
    fn remove(&self, path: &str) -> Result<(), DiskError> {
        self.disk.remove(path)
    }
    fn create_soon(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        self.note(Note::Soon(path.to_owned()));
        self.disk.create_soon(path, bytes)
    }
    fn replace_soon(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        self.note(Note::Soon(path.to_owned()));
        self.disk.replace_soon(path, bytes)
    }
    fn settle(&self) -> Result<(), DiskError> {
        self.note(Note::Settled);
        self.disk.settle()
    }
}

#[test]
fn briefs_are_settled_before_the_first_reply_and_replies_before_their_turns() {
    let scenario = Scenario::load("judges-flip-earned-round-2");
    let stage = Stage::new();
    let noting = Arc::new(Noting { disk: stage.disk(), log: Mutex::default() });
    let disk: Arc<dyn Disk> = Arc::clone(&noting) as Arc<dyn Disk>;
    stage.play(&scenario, &disk, 0).unwrap_or_else(|stopped| panic!("{}", stopped.error));
    let log = noting.log.lock().unwrap().clone();

    let is_in = |folder: &str, note: &Note| matches!(note, Note::Soon(path) | Note::Now(path) if path.contains(folder));
    let at = |folder: &str| (0..log.len()).filter(|i| is_in(folder, &log[*i])).collect::<Vec<_>>();
    let (briefs, replies) = (at("/briefs/"), at("/replies/"));
    assert_eq!((briefs.len(), replies.len()), (6, 6), "{log:#?}");
    let settled_between = |from: usize, to: usize| log[from..to].contains(&Note::Settled);
    for wave in [0..3, 3..6] {
        let last_brief = briefs[wave.clone()].iter().max().unwrap();
        let first_reply = replies[wave].iter().min().unwrap();
        assert!(settled_between(*last_brief, *first_reply), "{log:#?}");
    }
    for reply in replies {
        assert_eq!(log.get(reply + 1), Some(&Note::Settled), "{log:#?}");
    }
    let plan = log.iter().position(|note| matches!(note, Note::Now(path) if path.ends_with("-plan.md"))).unwrap();
    assert!(settled_between(0, plan), "the plan comes last: {log:#?}");
    assert_eq!(log.last(), Some(&Note::Settled), "nothing is left to settle: {log:#?}");

    let (mut waits, mut is_unsettled) = (0, false);
    for note in &log {
        match note {
            Note::Now(_) => waits += 2,
            Note::Soon(_) => is_unsettled = true,
            Note::Settled => waits += usize::from(std::mem::take(&mut is_unsettled)),
        }
    }
    assert!(waits <= WAITS_LIMIT, "{waits} waits: {log:#?}");
}
