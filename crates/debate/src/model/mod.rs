//! What there is: values and their declarations. Nothing here reads a reply, counts, or knows a rule.

pub mod ballot;
pub mod cost;
pub mod datum;
pub mod defect;
pub mod digest;
pub mod fact;
pub mod form;
pub(crate) mod objections;
pub mod plan;
pub mod profile;
pub mod ruling;
pub mod turn;
pub(crate) mod votes;
pub mod voting;
