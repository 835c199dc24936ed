//! Real fakes for tests and benchmarks: servers that speak the real protocol and do what they are told.
//!
//! Never shipped; nothing outside tests and benchmarks depends on it.

pub mod chat_server;
pub mod dying_disk;
mod http;
pub mod stub_ao;
