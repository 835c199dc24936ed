//! Agents as the engine meets them: rehearsal and scripts through whole debates, model APIs against a real server.

mod openai;
mod outcomes;
mod rehearsal;
mod roster;
mod scripted;
mod stage;
