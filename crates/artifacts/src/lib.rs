//! The files of a debate: where they are, in which format, and how they are written so that a crash loses nothing.
//!
//! The only crate that opens files. It knows the debate's words (plans, turns, verdicts) and turns them into files and
//! back; it decides nothing. Every file it writes is described field by field in `docs/formats.md`.

pub mod ao;
pub mod catalog;
pub mod diff;
pub mod disk;
pub mod document;
pub mod formats;
pub mod git;
pub mod jsonc;
pub mod layout;
pub mod lock;
pub mod markdown;
pub mod outgoing;
pub mod stamp;
pub mod store;
pub mod yaml;
