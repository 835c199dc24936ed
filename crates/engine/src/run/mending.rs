//! Turns that are taken off the record, so that their seats speak again: absences, and what keeps a gate shut.
//!
//! If the process dies here: what readers are shown of the debate is taken back first, and later turns go before earlier
//! ones. What is left is a debate that is not over, and never one with a turn that was made after another record.

use super::{Calls, Run};
use crate::event::Event;
use crate::report;
use crate::survey::Survey;
use crate::vote;
use crate::workspace::EngineError;
use forge_artifacts::store::{DebateFiles, OnRecord};
use forge_debate::control::CONTROL;
use forge_debate::turn::TurnKey;

impl Run<'_> {
    /// Puts absences aside, and the turns whose files keep a gate shut.
    pub(super) fn put_absences_aside(&self, files: &DebateFiles) -> Result<(), EngineError> {
        let survey = Survey::of(files)?;
        let heard = || survey.heard.iter().map(|one| &one.turn.key);
        let mend = |verdict| forge_debate::to_mend(&files.plan, verdict, heard());
        let to_mend: Vec<&TurnKey> = survey.verdict.as_ref().map(mend).unwrap_or_default();
        // A decision was taken on what the seats left; that one seat alone was silent once does not undo it.
        let decided = survey.verdict.as_ref().is_some_and(|verdict| verdict.decision.is_some());
        let stays = |one: &OnRecord| decided && one.turn.key.stage == CONTROL;
        let again = |one: &OnRecord| (one.turn.absence().is_some() && !stays(one)) || to_mend.contains(&&one.turn.key);
        let told = |key: &TurnKey| format!("{key} is put aside and will be asked again");
        self.take_off(files, &survey, again, told)
    }

    /// Takes turns off the record, with everything said after them: it was said about other words.
    fn take_off(
        &self,
        files: &DebateFiles,
        survey: &Survey,
        again: impl Fn(&OnRecord) -> bool,
        told: impl Fn(&TurnKey) -> String,
    ) -> Result<(), EngineError> {
        let Some(first) = survey.heard.iter().position(|one| again(one)) else { return Ok(()) };
        // What was changed since the verdict must not be forgotten with it.
        report::refuse_another_record(files, survey)?;
        let wave = survey.heard.get(first).map(|one| one.header.previous);
        let is_later = |i: usize, one: &OnRecord| i > first && Some(one.header.previous) != wave;
        let mut taken: Vec<&OnRecord> = survey
            .heard
            .iter()
            .enumerate()
            .filter(|(i, one)| is_later(*i, one) || again(one))
            .map(|(_, one)| &**one)
            .collect();
        self.check_agents(files, &taken)?;
        report::retract(files)?;
        let now = (self.workspace.clock)().to_string();
        taken.reverse();
        for one in taken {
            vote::withdraw(files, one, &now)?;
            self.watch.see(Event::Note(told(&one.turn.key)));
        }
        Ok(())
    }

    /// Whether everybody is there who would be asked for these turns again: what nobody can replace is not taken away.
    fn check_agents(&self, files: &DebateFiles, turns: &[&OnRecord]) -> Result<(), EngineError> {
        for one in turns.iter().filter(|one| one.turn.key.stage != CONTROL) {
            let hand = self.hand(files, &one.turn.key);
            if self.settings.calls == Calls::Made && hand.is_agent() {
                let found = self.workspace.roster.find(&hand.to_string());
                found.map_err(|unknown| EngineError::Usage(unknown.to_string()))?;
            }
        }
        Ok(())
    }
}
