//! Where programs that answer are put to work: whether a folder for a seat can be made, and what lies above it.

use crate::cli::Scratch;
use crate::cli::scratch::Below;
use crate::settings::RosterSettings;
use std::path::PathBuf;

/// The place of the seats' own folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Workshop {
    /// Folders can be made here, and no context file lies above them.
    Clean(PathBuf),
    /// Every place lies below a context file that agent CLIs would read: no program is started there.
    Below {
        /// The place.
        place: PathBuf,
        /// The file that they would read.
        context_file: PathBuf,
    },
    /// No folder can be made: why.
    None(String),
}

impl Workshop {
    /// What it means, in a sentence.
    pub fn said(&self) -> String {
        match self {
            Workshop::Clean(place) => format!("{}: no context file above it", place.display()),
            Workshop::Below { place, context_file } => format!(
                "{}: agent CLIs would also read {}, so none is started there; remove it, or set TMPDIR to a folder with no such file above it",
                place.display(),
                context_file.display()
            ),
            Workshop::None(problem) => {
                format!("no folder for a seat can be made ({problem}); set TMPDIR to a folder that can be written")
            }
        }
    }
}

/// Makes a folder for a seat and removes it again.
pub fn workshop(settings: &RosterSettings) -> Workshop {
    match Scratch::make(&settings.scratch) {
        Ok(made) => Workshop::Clean(made.root().parent().unwrap_or(made.root()).to_owned()),
        Err(problem) => match problem.get_ref().and_then(|inner| inner.downcast_ref::<Below>()) {
            Some(below) => Workshop::Below { place: below.place.clone(), context_file: below.file.clone() },
            None => Workshop::None(problem.to_string()),
        },
    }
}
