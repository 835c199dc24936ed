//! What was made of a project's workflow file: where each setting stands in it, and what forge does not act on.

/// What a project's file says, by its JSON paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileRead {
    /// The settings that it gives.
    pub given: Vec<Given>,
    /// Keys that forge does not know.
    pub unknown: Vec<UnknownKey>,
    /// What forge knows and does not act on, or not as it may be meant.
    pub remarks: Vec<Remark>,
}

/// A setting that a project's file gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The phase that it is about; none where it is about all.
    pub phase: Option<String>,
    /// Which setting.
    pub setting: Setting,
    /// Where it stands, such as `$.phases[4].debate_gate.debate_trigger`.
    pub path: String,
}

/// The settings whose origin is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Setting {
    /// The trigger of phases that name none.
    DefaultTrigger,
    /// A phase's own trigger.
    Trigger,
    /// Whether a phase's trigger is looked at.
    Enabled,
    /// Its tasks.
    Tasks,
    /// Its sections.
    Sections,
    /// Its artifacts.
    Artifacts,
    /// Its exit criteria.
    ExitCriteria,
}

/// A key that forge does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// Where it stands.
    pub path: String,
    /// The key that may be meant.
    pub nearest: Option<String>,
}

/// What forge knows and does not act on, or not as it may be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// An artifact that cannot be looked for: a pattern, a place to fill in, or prose.
    UncheckedArtifact {
        /// Where it stands.
        path: String,
        /// What it says.
        artifact: String,
    },
    /// `required: true` beside another trigger: it debates always.
    RequiredAlways {
        /// Where the trigger stands.
        path: String,
    },
    /// A phase that calls itself optional: forge leaves none out.
    Optional {
        /// Where that stands.
        path: String,
    },
    /// An entry of a list of sentences that is no sentence, or only holds a place.
    NoSentence {
        /// Where it stands.
        path: String,
    },
}

impl FileRead {
    /// Where a setting of a phase stands, if the project's file gives it.
    pub fn place(&self, phase: Option<&str>, setting: Setting) -> Option<&str> {
        let is_it = |one: &&Given| one.setting == setting && one.phase.as_deref() == phase;
        self.given.iter().find(is_it).map(|one| one.path.as_str())
    }
}

impl Remark {
    /// Where it stands.
    pub fn path(&self) -> &str {
        match self {
            Remark::UncheckedArtifact { path, .. }
            | Remark::RequiredAlways { path }
            | Remark::Optional { path }
            | Remark::NoSentence { path } => path,
        }
    }
}

impl std::fmt::Display for Remark {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Remark::UncheckedArtifact { artifact, .. } => {
                write!(out, "{artifact:?} is not checked; files such as docs/plan.md and folders such as src/ are")
            }
            Remark::RequiredAlways { .. } => {
                write!(out, "required: true means always; the trigger beside it is not looked at")
            }
            Remark::Optional { .. } => write!(out, "no phase is optional; this one is gone through like any other"),
            Remark::NoSentence { .. } => write!(out, "this is no sentence, and nothing is made of it"),
        }
    }
}
