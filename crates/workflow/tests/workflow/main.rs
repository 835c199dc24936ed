//! The pure workflow: values in, values out.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod ao;
mod contradiction;
mod extract;
mod next;
mod properties;
mod todo;
mod trigger;
mod tripwire;
mod world;
