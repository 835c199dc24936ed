//! Putting back files of turns on record: what comes back is what was counted, and nothing that somebody wrote is lost.

use crate::scenario::Scenario;
use crate::stage::Stage;
use crate::tree::Tree;
use forge_artifacts::disk::Disk;
use forge_engine::{EngineError, PutBack, Workspace};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::sync::Arc;

const GATE: &str = "docs/forge/debate/design-20260115-143022";

fn played(name: &str) -> (Scenario, Stage) {
    let (scenario, stage) = (Scenario::load(name), Stage::new());
    stage.play_calmly(&scenario);
    (scenario, stage)
}

fn restore(workspace: &Workspace) -> Result<Vec<PutBack>, EngineError> {
    workspace.restore_turns("design-20260115-143022")
}

fn holds(workspace: &Workspace) -> bool {
    let report = workspace.gate("design-20260115-143022", false).unwrap();
    let verified = workspace.verify("design-20260115-143022").unwrap();
    assert_eq!(report.holds, !verified.is_broken(), "{:?} {:?}", report.findings, verified.discrepancies);
    report.holds
}

/// The tree without what was kept aside, and without the verdict that lists it.
fn comparable(tree: &Tree) -> Tree {
    let is_derived = |path: &str| path.contains("trail/aside/") || path.ends_with("trail/verdict.json");
    Tree(tree.0.iter().filter(|(path, _)| !is_derived(path)).map(|(p, b)| (p.clone(), b.clone())).collect())
}

#[test]
fn what_is_gone_or_changed_comes_back() {
    for name in ["gate-outside-files", "gate-decided"] {
        let (scenario, stage) = played(name);
        let workspace = stage.healthy(&scenario);
        let before = stage.tree();
        assert_eq!(restore(&workspace).unwrap(), []);
        assert_eq!(stage.tree(), before, "{name}: nothing to do, nothing done");
        for file in ["advocate.md", "skeptic.md", "operator.md", "synthesis.md"] {
            let path = stage.root().join(format!("{GATE}/{file}"));
            std::fs::remove_file(&path).unwrap();
            assert!(!holds(&workspace), "{name} {file}: gone");
            let back = restore(&workspace).unwrap_or_else(|error| panic!("{name} {file}: {error}"));
            assert_eq!(back, [PutBack { file: format!("{GATE}/{file}"), aside: None }], "{name}");
            assert_eq!(stage.tree().differences(&before), Vec::<String>::new(), "{name} {file}");
            assert!(holds(&workspace));
        }
        let path = stage.root().join(format!("{GATE}/skeptic.md"));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace('?', "!")).unwrap();
        assert!(!holds(&workspace), "{name}: changed");
        let back = restore(&workspace).unwrap();
        let aside = back[0].aside.clone().unwrap();
        assert_eq!(std::fs::read_to_string(stage.root().join(aside)).unwrap(), text.replace('?', "!"));
        assert_eq!(comparable(&stage.tree()).differences(&comparable(&before)), Vec::<String>::new(), "{name}");
        assert!(holds(&workspace), "{name}");
        for emptied in ["", "\n"] {
            std::fs::write(&path, emptied).unwrap();
            assert!(!holds(&workspace), "{name}: emptied");
            restore(&workspace).unwrap();
            assert!(holds(&workspace), "{name}");
        }
    }
}

/// Git may have written other line ends: the words are the same.
#[test]
fn other_line_ends_are_no_change() {
    for name in ["gate-outside-files", "gate-decided"] {
        let (scenario, stage) = played(name);
        let workspace = stage.healthy(&scenario);
        for file in ["advocate.md", "synthesis.md"] {
            let path = stage.root().join(format!("{GATE}/{file}"));
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, text.replace('\n', "\r\n")).unwrap();
        }
        assert!(holds(&workspace), "{name}");
        assert_eq!(restore(&workspace).unwrap(), [], "{name}");
    }
}

#[test]
fn a_changed_record_puts_nothing_back() {
    let record = format!("{GATE}/trail/turns/case-r1-advocate.md");
    for gone in [true, false] {
        let (scenario, stage) = played("gate-outside-files");
        let workspace = stage.healthy(&scenario);
        let path = stage.root().join(&record);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(stage.root().join(format!("{GATE}/advocate.md"))).unwrap();
        match gone {
            true => std::fs::remove_file(&path).unwrap(),
            false => std::fs::write(&path, text.replace("heron", "stork")).unwrap(),
        }
        let before = stage.tree();
        assert!(matches!(restore(&workspace), Err(EngineError::Contradicted { .. })), "gone {gone}");
        assert_eq!(stage.tree(), before);
        assert!(!holds(&workspace));
    }
}

#[test]
fn a_death_while_files_are_put_back_loses_nothing() {
    for at in 1.. {
        let (scenario, stage) = played("gate-outside-files");
        let before = stage.tree();
        std::fs::remove_file(stage.root().join(format!("{GATE}/advocate.md"))).unwrap();
        std::fs::write(stage.root().join(format!("{GATE}/skeptic.md")), "Mine.").unwrap();
        let manner = Manner::ALL[at % Manner::ALL.len()];
        let dying: Arc<dyn Disk> = Arc::new(DyingDisk::dying(stage.disk(), Death { at, manner }));
        let survived = restore(&stage.workspace(dying, &scenario.folder)).is_ok();
        let workspace = stage.healthy(&scenario);
        restore(&workspace).unwrap_or_else(|error| panic!("{at} {manner:?}: {error}"));
        assert!(holds(&workspace), "{at} {manner:?}");
        let after = stage.tree();
        assert_eq!(comparable(&after).differences(&comparable(&before)), Vec::<String>::new(), "{at} {manner:?}");
        let kept = after.0.iter().any(|(path, bytes)| path.contains("trail/aside/") && bytes == b"Mine.");
        assert!(kept, "{at} {manner:?}: what somebody wrote is gone");
        if survived {
            assert!(at > 3, "{at}");
            return;
        }
    }
}
