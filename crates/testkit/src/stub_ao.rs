//! A stand-in for AO: a real program named `ao` that behaves as one of its three generations.
//!
//! It is a shell script (`fixtures/stub-ao/ao.sh`) that answers `ao spawn --help` in the generation's words, checks
//! arguments by its rules, makes real git worktrees, and lets each session leave its role file there. Put
//! [`StubAo::bin`] on the search path, set [`StubAo::variables`], and run the lines that forge prints with `sh`.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const SCRIPT: &str = include_str!("../fixtures/stub-ao/ao.sh");
const TEXTS: [(&str, &str); 4] = [
    ("advocate.md", include_str!("../fixtures/stub-ao/texts/advocate.md")),
    ("skeptic.md", include_str!("../fixtures/stub-ao/texts/skeptic.md")),
    ("operator.md", include_str!("../fixtures/stub-ao/texts/operator.md")),
    ("synthesis.md", include_str!("../fixtures/stub-ao/texts/synthesis.md")),
];

/// An `ao` in a folder of its own.
#[derive(Debug, Clone)]
pub struct StubAo {
    folder: PathBuf,
    generation: char,
}

impl StubAo {
    /// Puts the program into `folder`, which is made. `generation` is `A`, `B` or `C`.
    pub fn install(folder: &Path, generation: char) -> io::Result<Self> {
        let stub = Self { folder: folder.to_owned(), generation };
        let texts = stub.bin().join("texts");
        std::fs::create_dir_all(&texts)?;
        std::fs::create_dir_all(stub.data_dir())?;
        for (name, text) in TEXTS {
            std::fs::write(texts.join(name), text)?;
        }
        let program = stub.bin().join("ao");
        std::fs::write(&program, SCRIPT)?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
        Ok(stub)
    }

    /// The folder for the search path.
    pub fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }

    /// Where its sessions' metadata is: their `AO_DATA_DIR`.
    pub fn data_dir(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The arguments of all its invocations, a line each: `[spawn][--prompt][...]`.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    fn log_file(&self) -> PathBuf {
        self.folder.join("log")
    }

    /// What it needs to have in its environment, besides `PATH`.
    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        vec![
            ("STUB_AO_GENERATION", self.generation.to_string().into()),
            ("STUB_AO_DATA_DIR", self.data_dir().into()),
            ("STUB_AO_LOG", self.log_file().into()),
        ]
    }

    /// A search path with this program before everything on `rest`.
    pub fn search_path(&self, rest: Option<OsString>) -> OsString {
        let mut path = self.bin().into_os_string();
        if let Some(rest) = rest {
            path.push(":");
            path.push(rest);
        }
        path
    }

    /// Writes the metadata of the session in which forge itself runs, by the generation's rules, and gives the variables
    /// that AO would set in it.
    pub fn own_session(&self, name: &str, worktree: &Path) -> io::Result<Vec<(&'static str, OsString)>> {
        let data_dir = ("AO_DATA_DIR", self.data_dir().into_os_string());
        let file = |suffix: &str| self.data_dir().join(format!("{name}{suffix}"));
        Ok(match self.generation {
            'A' => {
                std::fs::write(file(""), format!("worktree={}\nstatus=working\n", worktree.display()))?;
                vec![data_dir, ("AO_SESSION", name.into())]
            }
            'B' => {
                let session = serde_json::json!({
                    "worktree": worktree.display().to_string(),
                    "status": "working",
                    "lifecycle": { "version": 2 },
                });
                std::fs::write(file(".json"), serde_json::to_string_pretty(&session)?)?;
                vec![data_dir, ("AO_SESSION", name.into()), ("AO_SESSION_ID", name.into())]
            }
            _ => {
                std::fs::write(self.data_dir().join("ao.db"), "SQLite format 3 (stub)\n")?;
                vec![data_dir, ("AO_SESSION_ID", name.into()), ("AO_PROJECT_ID", "stub".into())]
            }
        })
    }
}
