//! The record of a debate, and the one way to ask for more of it.
//!
//! A protocol is an ordinary function that is run from the top every time. Where it needs to know what seats say, it
//! calls [`Record::hear`]: if every turn is on record it gets them and goes on; if not, `?` ends the pass with the asks
//! that are open. An absence is a turn too: it answers its ask. Nothing survives a pass but what it asked after
//! which turns ([`Record::after`]), so resuming a debate after a crash is the only way a debate ever runs.

use crate::model::datum::Fields;
use crate::model::form::Form;
use crate::model::turn::{Turn, TurnKey};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which turns a seat may read when it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reads {
    /// None: the seat speaks before it has seen anyone.
    Blind,
    /// These turns of others, shown the way the plan names peers, and its own earlier turns.
    Peers {
        /// Turns of other seats.
        others: Vec<TurnKey>,
        /// The seat's own turns.
        own: Vec<TurnKey>,
    },
    /// These turns, each under its seat's name: for officers who must attribute what they write.
    Attributed(Vec<TurnKey>),
}

impl Reads {
    /// Every turn that the brief may contain words of.
    pub fn keys(&self) -> Vec<&TurnKey> {
        match self {
            Reads::Blind => Vec::new(),
            Reads::Peers { others, own } => others.iter().chain(own).collect(),
            Reads::Attributed(keys) => keys.iter().collect(),
        }
    }
}

/// What is wanted now, from which seat, which turns it may read, in which form.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Which turn the answer will be.
    pub key: TurnKey,
    /// What the seat may read.
    pub reads: Reads,
    /// The form of the answer.
    pub form: Arc<Form>,
    /// The prompt text, such as `judges/opening`.
    pub prompt: &'static str,
    /// Figures of the engine's own for the prompt. Never words of a turn that `reads` does not name.
    pub facts: Fields,
}

impl Ask {
    /// An ask with no extra facts.
    pub fn new(key: TurnKey, reads: Reads, form: Form, prompt: &'static str) -> Self {
        Self { key, reads, form: Arc::new(form), prompt, facts: Fields::new() }
    }

    /// The same ask with one more fact for its prompt.
    pub fn fact(mut self, name: &str, value: impl Into<crate::model::datum::Datum>) -> Self {
        self.facts.put(name, value.into());
        self
    }
}

/// The pass ended: these asks are open.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// The open asks, in the protocol's order.
    pub asks: Vec<Ask>,
}

/// What is asked at the same time, in the protocol's order.
pub type Wave = Arc<[Ask]>;

/// All turns so far, and what this pass asked for.
#[derive(Debug)]
pub struct Record<'t> {
    turns: &'t BTreeMap<TurnKey, Turn>,
    waves: Vec<Wave>,
    before: &'t [Wave],
}

impl<'t> Record<'t> {
    /// A fresh pass over these turns.
    pub fn new(turns: &'t BTreeMap<TurnKey, Turn>) -> Self {
        Self::after(&[], turns)
    }

    /// A pass that need not make anew what an earlier one asked for: the waves of that pass, as long as every turn that it
    /// heard before them is here as it heard it. A protocol asks the same after the same turns.
    pub fn after(before: &'t [Wave], turns: &'t BTreeMap<TurnKey, Turn>) -> Self {
        Self { turns, waves: Vec::new(), before }
    }

    /// The turns that answer the asks, in the asks' order; or the asks that nobody has answered yet.
    pub fn hear(&mut self, asks: impl FnOnce() -> Vec<Ask>) -> Result<Vec<&'t Turn>, Pending> {
        let wave = match self.before.get(self.waves.len()) {
            None => asks().into(),
            Some(wave) => {
                // Every test of every debate shows that it is so.
                debug_assert_eq!(**wave, *asks());
                Arc::clone(wave)
            }
        };
        let turns: Vec<&Turn> = wave.iter().filter_map(|ask| self.turns.get(&ask.key)).collect();
        let is_open = |ask: &&Ask| !self.turns.contains_key(&ask.key);
        let heard = match turns.len() == wave.len() {
            true => Ok(turns),
            false => Err(Pending { asks: wave.iter().filter(is_open).cloned().collect() }),
        };
        self.waves.push(wave);
        heard
    }

    /// Like [`hear`](Self::hear) for a single ask.
    pub fn hear_one(&mut self, ask: impl FnOnce() -> Ask) -> Result<&'t Turn, Pending> {
        let heard = self.hear(|| vec![ask()])?;
        heard.first().copied().ok_or(Pending { asks: Vec::new() })
    }

    /// A turn that is on record, if it is; asks for nothing.
    pub fn find(&self, key: &TurnKey) -> Option<&'t Turn> {
        self.turns.get(key)
    }

    /// What this pass asked for, wave by wave: the seats of one wave speak at the same time.
    pub fn waves(&self) -> &[Wave] {
        &self.waves
    }

    /// Every turn this pass heard, in order.
    pub fn heard(&self) -> Vec<&'t Turn> {
        self.waves.iter().flat_map(|wave| wave.iter()).filter_map(|ask| self.turns.get(&ask.key)).collect()
    }
}
