//! Real fakes for tests and benchmarks: servers that speak the real protocol and do what they are told.
//!
//! Never shipped; nothing outside tests and benchmarks depends on it.

pub mod acp_agent;
pub mod apart;
pub mod dying_disk;
mod http;
pub mod llama_server;
pub mod model_server;
pub mod scripted_agent;
pub mod signals;
pub mod stub_ao;
