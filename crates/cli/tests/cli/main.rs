//! End to end: the `forge` binary as a user meets it, in folders of its own, with loopback servers as the only network.
//!
//! `place` runs the binary and holds every run to what all runs promise; `model` answers any brief in form. Every other
//! module is a story or a table.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod afterwards;
mod agents;
mod ao;
mod broken;
mod challenge;
mod commands;
mod config;
mod doctor;
mod files;
mod first_contact;
mod held_plans;
mod hooks;
mod hostile;
mod hostile_homes;
mod hostile_plans;
mod http;
mod install;
mod install_hosts;
mod judges;
mod keys;
mod kill;
mod model;
mod money;
mod outside;
mod panel;
mod place;
mod plans;
mod real_clis;
mod seating;
mod seed_table;
mod seeds;
mod show;
mod strangers;
mod tidy;
mod tree;
mod trust;
mod verify;
mod vote;
mod workflow;
