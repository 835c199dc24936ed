//! What can be seen in a text without understanding it.
//!
//! One Markdown outline ([`outline::Outline`]) that every reader shares; sentences, words in any script, blanks that a
//! template left, figures and dates, what looks like a key. Pure: text in, values out, but for the keys that a process was
//! given ([`secrets::keep_secret`]). Word lists are data files, one phrase a line.
//!
//! Promises: no panic and no more than linear work on any text; what stands in code, in a comment or struck out is not
//! taken for what was said.

pub mod blanks;
pub mod figures;
pub mod hidden;
pub mod measure;
mod memo;
pub mod outline;
pub mod parts;
pub mod phrases;
pub mod secrets;
pub mod sentences;
pub mod titles;
pub mod words;

pub use outline::{Block, Kind, Line, Lookalike, Outline, Section};
pub use parts::Part;
pub use titles::{bare_title, title_matches};
