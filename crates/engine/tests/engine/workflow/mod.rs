//! Workflows: a whole one from start to archive, killed, refused, damaged and contended at every point.

mod contention;
mod crash;
mod earlier;
mod evidence;
mod foreign;
mod gates;
mod gone;
mod knowledge;
mod recovery;
mod stakes;
mod walk;
mod written;

use crate::stage::Stage;
use crate::tree::Tree;
use forge_artifacts::disk::Disk;
use forge_artifacts::stamp::Stamp;
use forge_engine::Workspace;
use forge_engine::workflow::{Drive, Progress};
use std::sync::Arc;

/// Where the state is.
const STATE: &str = ".claude/forge/active-workflow.md";
/// Where the knowledge is.
const KNOWLEDGE: &str = "docs/forge/knowledge";
/// Where files are kept that stood in the way.
const ASIDE: &str = ".claude/forge/aside/";
/// Where copies of the state are.
const SNAPSHOTS: &str = ".claude/forge/snapshots/";

impl Stage {
    /// A workspace whose clock stands still. Where there is a script, `stub` stands for a model that says what it says.
    fn at(&self, disk: Arc<dyn Disk>, now: Stamp) -> Workspace {
        let workspace = self.workspace(disk, self.root());
        if self.root().join("script.yaml").exists() {
            let player = workspace.roster.find("scripted:script.yaml").unwrap();
            workspace.roster.seat("stub", player);
        }
        Workspace { clock: Arc::new(move || now), ..workspace }
    }

    /// A workspace on the healthy disk.
    fn well(&self, now: Stamp) -> Workspace {
        self.at(self.disk(), now)
    }

    /// What a file says; empty where it is not there.
    fn said(&self, path: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.root().join(path)).unwrap_or_default()).into_owned()
    }

    /// A person writes a file.
    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// A person edits a file.
    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.said(path);
        assert!(text.contains(from), "{path} does not say {from:?}:\n{text}");
        self.put(path, text.replace(from, to));
    }

    /// A person deletes a file or a folder.
    fn delete(&self, path: &str) {
        let path = self.root().join(path);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }

    /// Puts a tree in place of what is there.
    fn become_tree(&self, tree: &Tree) {
        tree.write(self.root());
        std::fs::create_dir_all(self.root()).unwrap();
    }
}

/// A stage with the files of a tree.
fn staged(tree: &Tree) -> Stage {
    let stage = Stage::new();
    stage.become_tree(tree);
    stage
}

/// What must be the same however a workflow came about: everything but copies of the state, files set aside, indexes,
/// locks, and how often the state was written.
fn comparable(tree: &Tree) -> Tree {
    const UNCOMPARED: [&str; 3] = [SNAPSHOTS, ASIDE, ".claude/forge/requests/"];
    let counts = |path: &str| path == STATE || path.starts_with(".claude/forge/archive/");
    let compared = |path: &str| !path.ends_with(".lock") && !UNCOMPARED.iter().any(|part| path.starts_with(part));
    Tree(
        tree.0
            .iter()
            .filter(|(path, _)| compared(path))
            .map(|(path, bytes)| (path.clone(), if counts(path) { without_revision(bytes) } else { bytes.clone() }))
            .collect(),
    )
}

fn without_revision(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let lines =
        text.split_inclusive('\n').map(|line| if line.starts_with("revision: ") { "revision: -\n" } else { line });
    lines.collect::<String>().into_bytes()
}

/// Everything that holds a phase, a line each.
fn blockers(progress: &Progress) -> Vec<String> {
    let line =
        |one: &forge_workflow::next::Blocker| format!("{} {}: {}", one.kind.word(), one.file, one.fact.sentence());
    progress.step.blockers.iter().map(line).collect()
}

/// Nobody in particular; seats are moved outside.
fn drive() -> Drive {
    Drive::default()
}
