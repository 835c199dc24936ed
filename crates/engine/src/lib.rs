//! Runs debates. The library's front door: everything that the `forge` binary does goes through here.
//!
//! The engine keeps nothing between passes. A pass reads what is on disk, runs the protocol from the top, and gets
//! either a verdict or the open asks; it asks, writes what came back, and starts over. Killing it anywhere and running
//! it again is therefore the same thing as running it.

mod allowed;
mod answer;
mod attempts;
mod budget;
pub mod choose;
pub mod collect;
pub mod config;
mod create;
mod decide;
mod estimate;
mod event;
mod gate;
mod hand_in;
mod held;
pub mod host;
pub mod install;
mod ledger;
mod made;
mod report;
pub mod reserved;
mod restore;
mod run;
mod seat;
mod survey;
mod turns;
mod typed;
pub mod verify;
mod vote;
pub mod workflow;
mod workspace;

pub use allowed::{Allowed, Allowing, Bounds, Caps, Difference, Rules};
pub use budget::MAX_OUTPUT_TOKENS;
pub use create::{
    AUTOMATIC, ChallengeRequest, Forking, Freshness, Opened, Request, Seating, challengers_kept, seats_of,
};
pub use decide::Decided;
pub use estimate::{Estimate, SeatEstimate};
pub use event::{Event, Silent, Watch};
pub use gate::GateReport;
pub use hand_in::{HandIn, Refused, Strictness, Submitted, marked};
pub use held::Against;
pub use report::{Export, export};
pub use restore::PutBack;
pub use run::{Calls, Run, RunEnd, RunSettings};
pub use seat::Reseating;
pub use survey::{OpenAsk, Survey};
pub use turns::{GivingOut, Next, OpenSeat, Taken, Wave};
pub use vote::{OpenVote, TakenBack, Unsealed, Vault, Vote, VoteState, Voted, Wanted, Words};
pub use workspace::{Clock, EngineError, Regenerated, Workspace};
