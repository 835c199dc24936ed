//! How what there is is read, counted, shown and heard: what the protocols are made of.

pub mod anonymity;
pub mod blind;
pub mod brief;
pub(crate) mod decision;
pub(crate) mod distinctive;
pub(crate) mod domain;
pub(crate) mod doubt;
pub mod family;
pub mod framing;
pub mod grounding;
pub(crate) mod instructions;
pub(crate) mod masking;
pub mod option_line;
pub mod option_list;
mod option_meant;
pub(crate) mod option_names;
pub mod personas;
pub mod reading;
pub mod record;
pub mod tally;
pub mod texts;
pub mod triage;
