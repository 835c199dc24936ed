//! The texts that agents read: roles and prompts. Markdown files, embedded, and overridable by name.

use crate::model::plan::{Plan, Seat};
use crate::rules::domain::{self, Domain};
use std::collections::BTreeMap;

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// Roles and prompts by name: `roles/risk`, `prompts/judges/opening`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

    /// The same texts without those that were given for single seats.
    pub fn without_seats(&self) -> Self {
        let overrides = self.overrides.iter().filter(|(name, _)| !name.starts_with("seats/"));
        Self { overrides: overrides.map(|(name, text)| (name.clone(), text.clone())).collect() }
    }

    /// Whether a seat plays forge's own role. Options may have been named since its text was written, so it may be adapted
    /// to any domain.
    pub fn is_own_role(&self, plan: &Plan, seat: &Seat) -> bool {
        let (text, own) = (self.role(plan, seat), Self::embedded());
        if text == own.role(plan, seat) {
            return true;
        }
        let Some(template) = own.get(&format!("roles/{}", seat.role)) else { return false };
        template.contains("{{ ") && domain::all().any(|domain| text == adapted(template, domain, seat))
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
        adapted(&text, domain::detect(plan), seat)
    }
}

fn adapted(text: &str, domain: &Domain, seat: &Seat) -> String {
    text.replace("{{ domain }}", domain.name).replace("{{ focus }}", &domain.focus(&seat.role))
}
