//! The fakes themselves: that the stand-ins do what tests rely on.

// Helpers of tests may fail the test wherever they are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod model_server;
mod scripted_agent;
