//! The texts that agents read: roles and prompts. Markdown files, embedded, and overridable by name.

use crate::domain;
use crate::plan::{Plan, Seat};
use std::collections::BTreeMap;

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// Roles and prompts by name: `roles/risk`, `prompts/judges/opening`.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    overrides: BTreeMap<String, String>,
}

impl Texts {
    /// The embedded texts.
    pub fn embedded() -> Self {
        Self::default()
    }

    /// The same texts with one replaced.
    pub fn replace(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.overrides.insert(name.into(), text.into());
    }

    /// The text of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.overrides
            .get(name)
            .map(String::as_str)
            .or_else(|| EMBEDDED.iter().find(|(key, _)| *key == name).map(|(_, text)| *text))
    }

    /// Whether the text of that name is the embedded one.
    pub fn is_embedded(&self, name: &str) -> bool {
        !self.overrides.contains_key(name)
    }

    /// The names of all embedded texts.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EMBEDDED.iter().map(|(name, _)| *name)
    }

    /// The texts that differ from the embedded ones.
    pub fn overrides(&self) -> impl Iterator<Item = (&str, &str)> {
        self.overrides.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The role that a seat plays in this debate: its text, adapted to the question's domain where the text asks for it.
    pub fn role(&self, plan: &Plan, seat: &Seat) -> String {
        if let Some(pinned) = self.overrides.get(&format!("seats/{}", seat.id)) {
            return pinned.clone();
        }
        let text = self.get(&format!("roles/{}", seat.role)).map_or_else(
            || format!("# {}\n\nYou speak for {} in this debate. Argue from that point of view.\n", seat.id, seat.role),
            str::to_owned,
        );
        if !text.contains("{{ ") {
            return text;
        }
        let domain = domain::detect(plan);
        text.replace("{{ domain }}", domain.name).replace("{{ focus }}", &domain.focus(&seat.role))
    }
}
