//! A value of a JSON file that knows where it stands, so that every refusal can say so.

use super::Defect;
use forge_workflow::definition::UnknownKey;
use serde_json::{Map, Value};

/// The most characters of a refused value that are shown.
const SHOWN_CHARS: usize = 60;

/// A value and its place.
#[derive(Debug, Clone)]
pub(super) struct Spot<'v> {
    path: String,
    value: &'v Value,
}

/// Where an object has its text.
const SAID_UNDER: [&str; 8] = ["text", "title", "description", "criterion", "condition", "check", "action", "name"];

impl<'v> Spot<'v> {
    pub(super) fn root(value: &'v Value) -> Self {
        Self { path: "$".to_owned(), value }
    }

    /// What stands under a key, whether or not it is there.
    pub(super) fn at(&self, key: &str) -> Spot<'v> {
        Spot { path: format!("{}.{key}", self.path), value: self.value.get(key).unwrap_or(&Value::Null) }
    }

    /// What stands under a key; `null` counts as nothing.
    pub(super) fn get(&self, key: &str) -> Option<Spot<'v>> {
        Some(self.at(key)).filter(|spot| !spot.value.is_null())
    }

    /// Where it stands.
    pub(super) fn path(&self) -> String {
        self.path.clone()
    }

    /// The keys here that are none of the known ones, each with the nearest of them.
    pub(super) fn unknown_keys(&self, known: &[&str]) -> Vec<UnknownKey> {
        let keys = self.value.as_object().into_iter().flat_map(Map::keys);
        let unknown = keys.filter(|key| !known.contains(&key.as_str()));
        let told = |key: &String| UnknownKey {
            path: self.at(key).path,
            nearest: forge_debate::plan::nearest(key, known.iter().copied()).map(str::to_owned),
        };
        unknown.map(told).collect()
    }

    /// Whether a key is there, if only with `null`.
    pub(super) fn names(&self, key: &str) -> bool {
        self.value.get(key).is_some()
    }

    pub(super) fn refuse(&self, said: &str) -> Defect {
        Defect { path: self.path.clone(), expected: said.to_owned() }
    }

    /// Refuses the value that stands here.
    pub(super) fn not(&self, expected: &str) -> Defect {
        self.refuse(&format!("{} is not {expected}", self.shown()))
    }

    /// Refuses a word that is none of the known ones, and names the nearest.
    pub(super) fn unknown(&self, kind: &str, known: &[&str]) -> Defect {
        let typed = self.value.as_str().unwrap_or_default();
        let near = forge_debate::plan::nearest(typed, known.iter().copied());
        let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        self.refuse(&format!("{} is not {kind}; expected one of {}{near}", self.shown(), known.join(", ")))
    }

    fn shown(&self) -> String {
        let whole = self.value.to_string();
        let mut shown: String = whole.chars().take(SHOWN_CHARS).collect();
        if shown.len() < whole.len() {
            shown.push_str("...");
        }
        shown
    }

    pub(super) fn object(&self) -> Result<&'v Map<String, Value>, Defect> {
        self.value.as_object().ok_or_else(|| self.not("an object; expected {\"key\": value, ...}"))
    }

    pub(super) fn is_object(&self) -> bool {
        self.value.is_object()
    }

    /// The text that stands here.
    pub(super) fn own_text(&self) -> Result<&'v str, Defect> {
        self.value.as_str().ok_or_else(|| self.not("a text"))
    }

    /// The text under a key.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, Defect> {
        self.get(key).map(|spot| spot.own_text().map(str::to_owned)).transpose()
    }

    /// The flag under a key.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, Defect> {
        self.get(key).map(|spot| spot.value.as_bool().ok_or_else(|| spot.not("true or false"))).transpose()
    }

    /// The whole number under a key, with its place.
    pub(super) fn number(&self, key: &str) -> Result<Option<(u64, Spot<'v>)>, Defect> {
        let Some(spot) = self.get(key) else { return Ok(None) };
        let number = spot.value.as_u64().ok_or_else(|| spot.not("a whole number of 0 or more"))?;
        Ok(Some((number, spot)))
    }

    /// The text that stands here, if it is one.
    pub(super) fn as_text(&self) -> Option<&'v str> {
        self.value.as_str()
    }

    /// The text of an entry, or of an object that has its text under one of the usual names.
    pub(super) fn said(&self) -> Option<&'v str> {
        self.as_text().or_else(|| SAID_UNDER.iter().find_map(|key| self.value.get(*key)?.as_str()))
    }

    /// The entries of the list under a key; a text alone is a list of one.
    pub(super) fn texts(&self, key: &str, limit: usize) -> Result<Option<Vec<Spot<'v>>>, Defect> {
        match self.get(key) {
            Some(alone) if alone.value.is_string() => Ok(Some(vec![alone])),
            _ => self.list(key, limit),
        }
    }

    /// The entries of the list under a key.
    pub(super) fn list(&self, key: &str, limit: usize) -> Result<Option<Vec<Spot<'v>>>, Defect> {
        let Some(spot) = self.get(key) else { return Ok(None) };
        let entries = spot.value.as_array().ok_or_else(|| spot.not("a list"))?;
        if entries.len() > limit {
            return Err(spot.refuse(&format!("{} entries; the limit is {limit}", entries.len())));
        }
        let at = |(i, value)| Spot { path: format!("{}[{i}]", spot.path), value };
        Ok(Some(entries.iter().enumerate().map(at).collect()))
    }
}
