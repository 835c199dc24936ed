//! Which model is asked where nobody names one. One dated file, since names of models grow old.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

static FILE: &str = include_str!("../../data/models.json");

#[derive(Debug, Default, Deserialize)]
struct Defaults {
    as_of: String,
    /// By agent or provider; nothing where the program or the server has a default of its own that is as good.
    models: BTreeMap<String, Option<String>>,
}

fn defaults() -> &'static Defaults {
    static READ: OnceLock<Defaults> = OnceLock::new();
    // The file is part of the program, and a test reads it: a broken one means no defaults, not no program.
    READ.get_or_init(|| serde_json::from_str(FILE).unwrap_or_default())
}

/// The model that an agent or provider is asked for where nobody names one; none where its own default is as good.
pub fn default_model(name: &str) -> Option<&'static str> {
    defaults().models.get(name)?.as_deref()
}

/// The day on which the default models were looked up.
pub fn models_as_of() -> &'static str {
    &defaults().as_of
}
