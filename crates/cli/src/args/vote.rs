//! What can be typed after `forge debate vote`.

use clap::{ArgGroup, Args};
use std::path::PathBuf;

/// Vote for a seat that a person moves, sealed until all people have voted
///
/// Without an option it says who is asked, and for what.
///
/// In the first round a vote is sealed: the debate's folder gets only a commitment, and no agent is asked before every
/// person has voted. The words wait in $XDG_STATE_HOME/forge/sealed (~/.local/state if that is not set) and are revealed
/// as soon as the last person has voted. A sealed vote may not be changed; one whose words are lost can be taken back
/// with --withdraw, which stays on record.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  forge debate vote q1\n  forge debate vote q1 B --because \"we can leave it within a month\"\n  forge debate vote q1 A --seat value --because \"S1 is right about the quota\" --convinced-by S1.a2 --challenge S2=\"counts only the first year\"\n  forge debate vote q1 --seat value --file my-turn.md\n  forge debate vote q1 --withdraw --seat value --because \"the machine with my words is gone\"",
    group = ArgGroup::new("voting").args(["option", "withdraw"]).multiple(true)
)]
pub(crate) struct VoteArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// The option: its id or its label
    pub(crate) option: Option<String>,
    /// Why, for those who read it later
    #[arg(long, value_name = "WHY", requires = "voting")]
    pub(crate) because: Option<String>,
    /// Whose vote it is; may be left out where only one person is asked
    #[arg(long, value_name = "SEAT")]
    pub(crate) seat: Option<String>,
    /// How sure: HIGH, MEDIUM or LOW; MEDIUM if not given
    #[arg(long, value_name = "WORD", requires = "option")]
    pub(crate) confidence: Option<String>,
    /// An argument that others can cite; the reason if none is given
    #[arg(long = "argument", value_name = "TEXT", requires = "option")]
    pub(crate) arguments: Vec<String>,
    /// Whom you challenge, as your brief calls them, and why, such as S1="nobody has tried it"
    #[arg(long = "challenge", value_name = "SPEAKER=TEXT", requires = "option")]
    pub(crate) challenges: Vec<String>,
    /// An argument of another that changed your vote, such as S1.a2
    #[arg(long = "convinced-by", value_name = "ARGUMENT", requires = "option")]
    pub(crate) convinced_by: Vec<String>,
    /// What exactly convinced you
    #[arg(long, value_name = "TEXT", requires = "convinced_by")]
    pub(crate) because_convinced: Option<String>,
    /// Another option that you could live with
    #[arg(long = "approve", value_name = "OPTION", requires = "option")]
    pub(crate) approves: Vec<String>,
    /// Words of a --context file that you rest on, such as notes.md="the quota is 5 TB"
    #[arg(long = "quote", value_name = "SOURCE=TEXT", requires = "option")]
    pub(crate) quotes: Vec<String>,
    /// The whole turn, written as the brief says; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "option")]
    pub(crate) file: Option<PathBuf>,
    /// Publish the sealed votes whose words are on this machine, if everybody has voted
    #[arg(long, conflicts_with_all = ["option", "file", "seat"])]
    pub(crate) reveal: bool,
    /// Take back a sealed vote whose words are lost, so that its seat can vote again; only before it is revealed
    #[arg(long, requires_all = ["seat", "because"], conflicts_with_all = ["option", "file", "reveal"])]
    pub(crate) withdraw: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
