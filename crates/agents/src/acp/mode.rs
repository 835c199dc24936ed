//! Which of its modes an agent is put into.
//!
//! A mode in which the agent asks before it acts is as safe as one in which it may only plan, since forge refuses every
//! permission; and it answers, where a planning mode tells the model to write a plan and to wait for its approval. So
//! planning comes last.

use serde_json::Value;

/// Modes that are known to write nothing without asking, the best first.
const SAFE: &[&str] = &["read-only", "dontAsk", "default", "ask", "plan", "architect"];

/// What a session says about its modes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Modes {
    /// The one that it is in.
    pub(super) current: Option<String>,
    /// Those that it offers.
    pub(super) offered: Vec<String>,
    /// The configuration option that holds them, where they are one; the session's own list otherwise.
    pub(super) option: Option<String>,
}

/// What is to be done about the mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Move {
    /// It is where it should be.
    Stay,
    /// It has to be put into this one; whether the one that it is in would do.
    To(String, Otherwise),
    /// It offers none that is known, and is in this one.
    Unknown(Option<String>),
}

/// What it means if the mode cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Otherwise {
    /// The present one is known to be safe too.
    WillDo,
    /// The present one may write without asking.
    WillNotDo,
}

impl Modes {
    /// Reads them from the result of `session/new`.
    pub(super) fn read(session: &Value) -> Self {
        let ids = |list: &Value, key: &str| -> Vec<String> {
            list.as_array().into_iter().flatten().filter_map(|one| one[key].as_str()).map(str::to_owned).collect()
        };
        let modes = &session["modes"];
        let offered = ids(&modes["availableModes"], "id");
        if !offered.is_empty() {
            return Self { current: modes["currentModeId"].as_str().map(str::to_owned), offered, option: None };
        }
        let options = session["configOptions"].as_array().into_iter().flatten();
        options
            .filter(|option| option["category"] == "mode" || option["id"] == "mode")
            .find_map(|option| {
                let name = option["id"].as_str()?;
                let offered = ids(&option["options"], "value");
                let current = option["currentValue"].as_str().map(str::to_owned);
                (!offered.is_empty()).then(|| Self { current, offered, option: Some(name.to_owned()) })
            })
            .unwrap_or_default()
    }

    /// What is to be done.
    pub(super) fn safest(&self) -> Move {
        let Some(best) = SAFE.iter().find(|safe| self.offered.iter().any(|offered| offered == *safe)) else {
            return Move::Unknown(self.current.clone());
        };
        match self.current.as_deref() {
            Some(current) if current == *best => Move::Stay,
            Some(current) if SAFE.contains(&current) => Move::To((*best).to_owned(), Otherwise::WillDo),
            _ => Move::To((*best).to_owned(), Otherwise::WillNotDo),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Modes, Move, Otherwise};
    use serde_json::json;

    fn safest(current: &str, offered: &[&str]) -> Move {
        let offered: Vec<_> = offered.iter().map(|id| json!({ "id": id, "name": id })).collect();
        Modes::read(&json!({ "modes": { "currentModeId": current, "availableModes": offered } })).safest()
    }

    #[test]
    fn the_safest_mode_that_still_answers_is_chosen() {
        let codex = ["read-only", "workspace-write", "agent", "agent-full-access"];
        assert_eq!(safest("agent", &codex), Move::To("read-only".to_owned(), Otherwise::WillNotDo));
        let qwen = ["plan", "default", "auto-edit", "auto", "yolo"];
        assert_eq!(safest("auto", &qwen), Move::To("default".to_owned(), Otherwise::WillNotDo));
        assert_eq!(safest("plan", &qwen), Move::To("default".to_owned(), Otherwise::WillDo));
        assert_eq!(safest("default", &["default", "autoEdit", "yolo", "plan"]), Move::Stay);
        assert_eq!(safest("build", &["build", "plan"]), Move::To("plan".to_owned(), Otherwise::WillNotDo));
        assert_eq!(safest("code", &["code"]), Move::Unknown(Some("code".to_owned())));
        assert_eq!(Modes::read(&json!({ "sessionId": "s" })).safest(), Move::Unknown(None));
    }

    #[test]
    fn modes_may_be_a_configuration_option() {
        let session = json!({ "configOptions": [
            { "id": "model", "category": "model", "currentValue": "m", "options": [{ "value": "m" }] },
            { "id": "mode", "category": "mode", "currentValue": "agent", "options": [{ "value": "agent" }, { "value": "read-only" }] },
        ]});
        let modes = Modes::read(&session);
        assert_eq!(modes.option.as_deref(), Some("mode"));
        assert_eq!(modes.safest(), Move::To("read-only".to_owned(), Otherwise::WillNotDo));
    }
}
