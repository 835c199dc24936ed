//! Which subagent holds which seat: kept in the user's state folder while the subagent is at work.

use crate::workspace::EngineError;
use forge_artifacts::disk::{Created, Disk};
use forge_debate::digest::Digest;
use serde_json::{Value, json};

/// A seat that a subagent holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    /// The debate.
    pub(super) debate: String,
    /// Its plan's file.
    pub(super) plan_file: String,
    /// The seat.
    pub(super) seat: String,
    /// The seat's role.
    pub(super) role: String,
    /// The very turn.
    pub(super) turn: String,
    /// The files that it may read: what is asked, and its parts.
    pub(super) asks: Vec<String>,
}

impl Held {
    /// The file with what is asked.
    pub(super) fn ask(&self) -> &str {
        self.asks.first().map_or("", String::as_str)
    }

    fn text(&self) -> String {
        let Self { debate, plan_file, seat, role, turn, asks } = self;
        json!({
            "debate": debate, "plan_file": plan_file, "seat": seat, "role": role, "turn": turn, "asks": asks,
        })
        .to_string()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let asks = value["asks"].as_array()?.iter().filter_map(|ask| ask.as_str().map(str::to_owned)).collect();
        Some(Self {
            debate: text("debate")?,
            plan_file: text("plan_file")?,
            seat: text("seat")?,
            role: text("role")?,
            turn: text("turn")?,
            asks,
        })
    }
}

/// What is kept of one session in one workspace.
pub(super) struct Memory<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) session: &'a str,
    pub(super) root: String,
}

impl Memory<'_> {
    /// The seat that a subagent holds.
    pub(super) fn held_by(&self, subagent: &str) -> Result<Option<Held>, EngineError> {
        Ok(self.disk.read(&self.file("seat", subagent))?.and_then(|bytes| Held::read(&bytes)))
    }

    /// Gives a seat to a subagent, unless another one has it; says whether it has it now.
    pub(super) fn take(&self, subagent: &str, held: &Held) -> Result<bool, EngineError> {
        let file = self.file("holder", held.ask());
        if let Created::AlreadyThere = self.disk.create_new(&file, subagent.as_bytes())?
            && self.disk.read(&file)?.as_deref() != Some(subagent.as_bytes())
        {
            return Ok(false);
        }
        self.disk.replace(&self.file("seat", subagent), held.text().as_bytes())?;
        Ok(true)
    }

    /// Lets an ask be taken anew: whoever had it is not waited for.
    pub(super) fn free(&self, ask: &str) -> Result<(), EngineError> {
        Ok(self.disk.remove(&self.file("holder", ask))?)
    }

    /// Forgets a subagent that is done.
    pub(super) fn forget(&self, subagent: &str, held: &Held) -> Result<(), EngineError> {
        self.free(held.ask())?;
        Ok(self.disk.remove(&self.file("seat", subagent))?)
    }

    /// Fails where nothing can be kept.
    pub(super) fn check(&self) -> Result<(), EngineError> {
        Ok(self.disk.replace("kept", b"")?)
    }

    fn file(&self, what: &str, of: &str) -> String {
        let name = Digest::of_parts([self.root.as_str(), self.session, what, of].map(str::to_owned));
        format!("{what}-{}.json", name.short(32))
    }
}
