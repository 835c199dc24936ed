//! A project's way from an idea to what was learned: phases, their gates, what each leaves behind, and what comes next.
//!
//! The same idea as a protocol, one level up: everything is read once into a [`Snapshot`](snapshot::Snapshot),
//! [`next`](next::next) decides, and the engine applies its moves, the state file last. Nothing is kept in between.
//!
//! Pure: knows no file, clock, process, network or environment. Paths are texts here, and time is an argument.

pub mod again;
pub mod ao;
pub mod contradiction;
pub mod definition;
pub mod earlier;
pub mod evidence;
pub mod extract;
pub mod handoff;
pub mod kept;
pub mod knowledge;
pub mod next;
pub mod notes;
pub mod shell;
pub mod snapshot;
pub mod state;
pub mod todo;
pub mod trigger;
pub mod tripwire;
