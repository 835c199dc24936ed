//! `forge verify`: every finished debate holds, and nothing can be changed unnoticed.

use crate::scenario::Scenario;
use crate::stage::Stage;
use forge_artifacts::disk::Disk;
use forge_debate::protocols::Protocols;
use forge_engine::verify::{self, Kind, Verification};
use forge_testkit::dying_disk::DyingDisk;
use std::path::PathBuf;
use std::sync::Arc;

mod every_byte;
mod forgeries;
mod held;
mod tricks;

each_scenario!(super::verify::holds);

/// A debate that was held is found to hold, and looking at it writes nothing.
fn holds(name: &str) {
    let scenario = Scenario::load(name);
    let stage = Stage::new();
    stage.play_calmly(&scenario);
    let plan = stage.debate(&scenario).layout.plan();
    let before = stage.tree();
    let disk = Arc::new(DyingDisk::counting(stage.disk()));
    let shared: Arc<dyn Disk> = Arc::clone(&disk) as Arc<dyn Disk>;
    let report = verify::debate(&shared, Protocols::default(), &plan).unwrap();
    assert_eq!(report.discrepancies, Vec::new(), "{name}");
    assert!(report.holds(), "{name}: {report:?}");
    assert_eq!(disk.writes(), 0, "{name}: a check wrote something");
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new(), "{name}");
    // The same from the folder alone, wherever it was copied to.
    let folder = stage.root().join(&plan);
    let alone = verify::folder(folder.parent().unwrap(), Protocols::default()).unwrap();
    assert_eq!(alone, [report], "{name}: the folder alone says otherwise");
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new(), "{name}");
}

/// A finished debate to be tampered with.
struct Finished {
    stage: Stage,
    plan: String,
}

impl Finished {
    fn new(name: &str) -> Self {
        Self::played(&Scenario::load(name))
    }

    fn played(scenario: &Scenario) -> Self {
        let stage = Stage::new();
        stage.play_calmly(scenario);
        let plan = stage.debate(scenario).layout.plan();
        Self { stage, plan }
    }

    fn check(&self) -> Verification {
        let disk: Arc<dyn Disk> = self.stage.disk();
        verify::debate(&disk, Protocols::default(), &self.plan).unwrap()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.stage.root().join(path)
    }

    fn read(&self, path: &str) -> String {
        String::from_utf8(std::fs::read(self.path(path)).unwrap()).unwrap()
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn replace(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no {from:?}");
        self.write(path, text.replace(from, to));
    }

    /// The debate does not hold, and this is among what is said.
    #[track_caller]
    fn says(&self, kind: Kind, file: &str) -> Verification {
        let report = self.check();
        assert!(!report.holds());
        let said = report.discrepancies.iter().any(|found| found.kind == kind && found.file == file);
        assert!(said, "expected {kind:?} {file}, got {:#?}", report.discrepancies);
        report
    }
}
