//! What is kept of one pass for the next changes nothing: whatever happens to a file, a debate that was read before is read
//! as one that is opened for the first time.

use crate::scenario::Scenario;
use crate::stage::Stage;
use forge_artifacts::formats::call::read_reply;
use forge_artifacts::store::DebateFiles;
use forge_debate::form::Writer;
use forge_engine::Workspace;
use std::path::Path;

each_scenario!(super::readings::check);

/// Everything that a pass finds out, or why it could not.
fn pass(workspace: &Workspace, files: &DebateFiles) -> String {
    format!("{:?}\n{:?}", workspace.survey(files), workspace.look(files))
}

fn check(name: &str) {
    let scenario = Scenario::load(name);
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    let workspace = stage.healthy(&scenario);
    let open = || stage.debate(&scenario);
    let warm = open();
    let untouched = pass(&workspace, &warm);
    let survey = workspace.survey(&warm).unwrap();
    assert!(warm.asked_before().1.len() >= survey.heard.len(), "{name}: nothing was kept");
    assert_eq!(pass(&workspace, &warm), untouched, "{name}: read twice");

    // Replies that were read as they came in.
    let came_in = open();
    for ask in survey.waves.iter().flat_map(|wave| wave.iter()) {
        let file = stage.root().join(came_in.layout.reply(&ask.key, 1));
        if let Some((_, raw)) = std::fs::read(file).ok().as_deref().and_then(read_reply) {
            let _ = came_in.hold_against_form(ask, &raw, Writer::Agent);
        }
    }
    assert_eq!(pass(&workspace, &came_in), untouched, "{name}: read as replies");

    let turns: Vec<String> = survey.heard.iter().map(|one| one.line.file.clone()).collect();
    let places = survey.heard.iter().map(|one| warm.turn_path(&one.turn.key));
    let replies = survey.heard.iter().map(|one| warm.layout.reply(&one.turn.key, 1));
    let mut paths: Vec<String> = turns.iter().cloned().chain(places).chain(replies).collect();
    paths.sort();
    paths.dedup();
    for (at, path) in paths.iter().enumerate() {
        let file = stage.root().join(path);
        let other = std::fs::read(stage.root().join(&turns[at % turns.len()])).unwrap();
        for change in [Change::Gone, Change::Longer, Change::Shorter, Change::Another, Change::Folder] {
            let cold = open();
            let before = change.make(&file, &other);
            assert_eq!(pass(&workspace, &warm), pass(&workspace, &cold), "{name}: {path}: {change:?}");
            undo(&file, before.as_deref());
        }
        assert_eq!(pass(&workspace, &warm), untouched, "{name}: {path}: put back");
    }
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Gone,
    Longer,
    Shorter,
    Another,
    Folder,
}

impl Change {
    /// Changes a file, and returns what was in it.
    fn make(self, file: &Path, other: &[u8]) -> Option<Vec<u8>> {
        let before = std::fs::read(file).ok();
        let mut now = before.clone().unwrap_or_default();
        match self {
            Change::Gone | Change::Folder => {
                let _ = std::fs::remove_file(file);
                if matches!(self, Change::Folder) {
                    std::fs::create_dir_all(file).unwrap();
                }
                return before;
            }
            Change::Longer => now.extend_from_slice(b"\nAnd one thing more.\n"),
            Change::Shorter => now.truncate(now.len() / 2),
            Change::Another => now = other.to_vec(),
        }
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, now).unwrap();
        before
    }
}

fn undo(file: &Path, before: Option<&[u8]>) {
    let _ = std::fs::remove_dir(file);
    let _ = std::fs::remove_file(file);
    if let Some(bytes) = before {
        std::fs::write(file, bytes).unwrap();
    }
}
