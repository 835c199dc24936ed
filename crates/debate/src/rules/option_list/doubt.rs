//! What could be meant otherwise than it was read.

use super::DESCRIPTION_LIMIT;
use std::fmt;

/// Something that could be meant otherwise than it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The line.
    pub line: usize,
    /// What it is.
    pub what: Unsure,
}

/// What could be meant otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsure {
    /// The same option stands here again.
    Again {
        /// Its name.
        label: String,
        /// Where it stands first.
        first: usize,
    },
    /// Another option of the same name.
    SameName {
        /// The name.
        label: String,
        /// Where it stands first.
        first: usize,
    },
    /// Another option has the id that this one names.
    SameId {
        /// The id.
        id: String,
        /// Where it stands first.
        first: usize,
        /// What this option is called now.
        now: String,
    },
    /// An option whose name is still left open.
    OpenName {
        /// What stands in its place.
        name: String,
    },
    /// A description of which only the beginning is debated.
    Long {
        /// The option.
        label: String,
    },
    /// Something that lists other things than the options that were read.
    Other {
        /// What it is.
        what: &'static str,
        /// Where the options stand that were read.
        instead: usize,
        /// Whether it may just as well be meant.
        as_good: bool,
    },
    /// A line of running text that seems to name options.
    Running {
        /// The first name in it.
        name: String,
    },
    /// Options in code or in a quotation.
    Hidden {
        /// Where.
        place: &'static str,
    },
}

impl Unsure {
    /// Whether no debate may be planned before it is cleared up.
    pub fn holds(&self) -> bool {
        match self {
            Unsure::Again { .. } | Unsure::SameId { .. } | Unsure::Long { .. } => false,
            Unsure::SameName { .. } | Unsure::OpenName { .. } | Unsure::Running { .. } | Unsure::Hidden { .. } => true,
            Unsure::Other { as_good, .. } => *as_good,
        }
    }
}

impl fmt::Display for Unsure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsure::Again { label, first } => {
                write!(f, "the option {label:?} stands on line {first} already; it counts once")
            }
            Unsure::SameName { label, first } => write!(
                f,
                "another option on line {first} is called {label:?} too; give each a name of its own, such as `{label} (weekly)`"
            ),
            Unsure::SameId { id, first, now } => {
                write!(f, "the option on line {first} is called {id} too; this one is {now}")
            }
            Unsure::OpenName { name } => write!(
                f,
                "the option's name is left open: {name:?}; write the name, such as `- Text message: what it is`, or take the line out"
            ),
            Unsure::Long { label } => {
                write!(f, "only the first {DESCRIPTION_LIMIT} characters of what describes {label:?} are debated")
            }
            Unsure::Other { what, instead, as_good: false } => {
                write!(f, "{what} here is not read as options; those from line {instead} on are")
            }
            Unsure::Other { what, instead, as_good: true } => write!(
                f,
                "{what} here lists other options than those from line {instead} on; put all of them below one heading"
            ),
            Unsure::Running { name } => write!(
                f,
                "this looks like options and cannot be read as such; write each on a line of its own, such as `- {name}: what it is`"
            ),
            Unsure::Hidden { place } => write!(
                f,
                "the options stand in {place} and do not count there; write them as a list, such as `- Text message: what it is`"
            ),
        }
    }
}
