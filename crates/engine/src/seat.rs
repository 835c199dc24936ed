//! Seating a debate anew: who moves its seats may change until somebody has spoken.

use crate::survey::Survey;
use crate::vote;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::store::{DebateFiles, Found};
use forge_debate::plan::{Hand, nearest};

impl Workspace {
    /// Puts one hand into every seat of a debate in which nobody has spoken and nobody was called.
    ///
    /// If the process dies here the plan is as it was or as it is to be; at worst it is no longer sealed, which the next
    /// run makes good.
    pub fn reseat(&self, name: &str, hand: &Hand) -> Result<DebateFiles, EngineError> {
        let files = self.open(name)?;
        if files.plan.seats.iter().all(|seat| seat.hand == *hand) {
            return Ok(files);
        }
        if let Hand::Agent(agent) = hand {
            self.roster.find(agent).map_err(|unknown| EngineError::Usage(unknown.to_string()))?;
        }
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        let handed_in = survey.open.iter().any(|open| !matches!(open.found, Found::Nothing));
        let begun = !survey.heard.is_empty() || handed_in || files.calls()?.calls > 0 || vote::is_any_sealed(&files)?;
        if begun {
            return Err(EngineError::Usage(format!(
                "{} has begun, and who sits in it may not change any more; `forge debate run {}` or `forge continue --run` goes on with it as it is",
                files.plan.id, files.plan.id
            )));
        }
        let mut plan = files.plan.clone();
        plan.seat_all(hand);
        let defects = plan.defects(files.protocol);
        if !defects.is_empty() {
            return Err(EngineError::Usage(defects.join("\n")));
        }
        files.unseal()?;
        files.put_plan(plan)?;
        self.open(&files.layout.plan())
    }
}

/// What to say about a seat that `whose` does not have.
pub(crate) fn no_such_seat<'n>(whose: &str, seat: &str, names: impl Iterator<Item = &'n str>) -> EngineError {
    let names: Vec<&str> = names.collect();
    let near = nearest(seat, names.iter().copied());
    let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    EngineError::Usage(format!("{whose} has no seat {seat:?}; its seats are {}{hint}", names.join(", ")))
}
