//! The engine's tests: whole debates on a real folder, with scripted agents, a fixed clock and a clock of waiting that
//! costs nothing.
//!
//! A scenario is a folder under `tests/golden`: what is asked for (`scenario.yaml`), what each seat says
//! (`script.yaml`), and everything that must be in the workspace afterwards (`expected/`, byte for byte). `golden` plays
//! each one and compares; `crash` and `refusal` play it on a disk that dies or refuses at every write; `sealed` reads
//! its briefs. A new folder needs one line in [`each_scenario`]. To accept what the engine writes now:
//!
//! ```text
//! FORGE_BLESS=1 cargo test -p forge-engine golden
//! ```
//!
//! The other modules are about one debate or two: who may hold it, who may share it, and what happens to files that
//! somebody changed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

/// One test per scenario, each of them `$check("<scenario>")`.
macro_rules! each_scenario {
    ($check:path) => {
        each_scenario! { $check =>
            judges_consensus_round_1
            judges_flip_earned_round_2
            judges_flip_unearned_contested_then_decided_by_person
            judges_one_hangs_one_garbage_repaired
            judges_repair_keeps_the_vote
            judges_insufficient
            judges_framed_options
            judges_budget
            judges_money
            gate_decided
            gate_blocked_no_kill_switch
            gate_outside_files
            panel_poll_and_dissent
            panel_correction_round
            panel_escalated
            challenge_fast_exit
            challenge_confrontation
            challenge_tradeoff_assumptions
            retry_absent
        }
    };
    ($check:path => $($name:ident)*) => {
        #[allow(dead_code, reason = "only some modules need the list")]
        pub(crate) const SCENARIOS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                $check(&stringify!($name).replace('_', "-"));
            }
        )*
    };
}

mod choose;
mod collect;
mod config;
mod contention;
mod control;
mod crash;
mod fifth_protocol;
mod golden;
mod install;
mod laundering;
mod limits;
mod mending;
mod money;
mod readings;
mod recovery;
mod refusal;
mod restore;
mod scenario;
mod sealed;
mod settling;
mod show_of_hands;
mod stage;
mod tampering;
mod tree;
mod turns;
mod verify;
mod vote;
mod workflow;
