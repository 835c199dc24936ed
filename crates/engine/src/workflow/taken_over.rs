//! What debates that another tool held decided, where no entry of the knowledge file and no handoff says it.
//!
//! Only looks; what is found is written down by the next step, and counts before that.

use super::standing::DEBATES;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow::{self, Layout};
use forge_artifacts::formats::proof;
use forge_debate::protocols::gate::choice;
use forge_debate::secrets::redacted;
use forge_debate::turn::title_matches;
use forge_workflow::contradiction::is_same_choice;
use forge_workflow::extract::{Synthesis, from_synthesis};
use forge_workflow::knowledge::{Decision, DecisionStatus, Findings};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::Snapshot;

impl Workspace {
    /// Adds what the finished debates of another tool decided to what is known.
    pub(super) fn add_debates_of_others(&self, snapshot: &mut Snapshot) -> Result<(), EngineError> {
        let mut found = Findings::default();
        for (phase, debate, at) in self.finished_elsewhere(snapshot)? {
            let Some((decided, chosen)) = self.decided_elsewhere(snapshot, &phase, &debate, &at)? else { continue };
            let Some(taken) = decided.decisions.first() else { continue };
            let is_it = |one: &Decision| {
                let is_named = one.debate.as_deref() == Some(&debate) || one.source == taken.source;
                is_named || is_same_choice(one, taken, &chosen)
            };
            let mut said: Vec<_> = snapshot.knowledge.decisions.iter_mut().filter(|one| is_it(one)).collect();
            if said.is_empty() {
                found.decisions.extend(decided.decisions);
                found.constraints.extend(decided.constraints);
            }
            // An entry that says the same is that decision: a debate took it.
            for one in said.iter_mut().filter(|one| one.status == DecisionStatus::Accepted) {
                one.locked = true;
            }
        }
        let news = snapshot.knowledge.news(&found);
        snapshot.knowledge.decisions.extend(news.decisions.iter().cloned());
        snapshot.knowledge.constraints.extend(news.constraints.iter().cloned());
        snapshot.taken_over = news;
        Ok(())
    }

    /// The last debate of each phase that this workflow left before forge came: phase, id, and the digits of its day.
    fn finished_elsewhere(&self, snapshot: &Snapshot) -> Result<Vec<(String, String, String)>, EngineError> {
        let state = &snapshot.state;
        let is_planned = |phase: &String| state.debates.iter().any(|(owner, _)| owner == phase);
        let mut found = Vec::new();
        for phase in state.completed_phases.iter().filter(|phase| !is_planned(phase)) {
            if snapshot.definition.phase(phase).is_none() {
                continue;
            }
            let debates = self.debates_of_others(phase)?;
            if debates.is_empty() {
                continue;
            }
            let text = self.disk.read(STATE_FILE)?.map(|bytes| document::decode(&bytes).text).unwrap_or_default();
            let layout = match active_workflow::read(&text) {
                active_workflow::Read::State { layout, .. } => layout,
                _ => Layout::Ours,
            };
            let span = self.span(state, layout)?;
            let mut own = debates.into_iter().filter(|(_, sign)| sign.is_of(&state.workflow_id, &span));
            found.extend(own.next_back().map(|(id, sign)| (phase.clone(), id, sign.at)));
        }
        Ok(found)
    }

    /// What a debate decided, and what it chose. Its plan tells the options, where there is one.
    fn decided_elsewhere(
        &self,
        snapshot: &Snapshot,
        phase: &str,
        debate: &str,
        at: &str,
    ) -> Result<Option<(Findings, String)>, EngineError> {
        let file = format!("{DEBATES}/{debate}/synthesis.md");
        let Some(bytes) = self.disk.read(&file)? else { return Ok(None) };
        let text = redacted(&document::decode(&bytes).text);
        let Some(read) = proof::synthesis(text.as_bytes()) else { return Ok(None) };
        let plan = match self.open_if_there(debate)? {
            Some(Ok(files)) => Some(files.plan),
            _ => None,
        };
        let by_plan = plan.as_ref().and_then(|plan| {
            let section = read.sections.iter().find(|section| title_matches(&section.title, "Final Decision"))?;
            let option = choice::read(section, plan).ok()?;
            plan.option(&option).map(|option| option.label.clone())
        });
        let chosen = by_plan.unwrap_or(read.chosen);
        let asked = plan.map(|plan| plan.question).filter(|question| !question.trim().is_empty());
        // The first debate is on the workflow's objective, a later one on its phase.
        let is_first =
            snapshot.definition.phases.iter().find(|one| one.always_debates()).is_none_or(|one| one.id == phase);
        let name = snapshot.definition.phase(phase).map_or(phase, |one| one.name.as_str());
        // What says what it is about by itself needs no phase before it.
        const NAME_WORDS: usize = 2;
        let own = match is_first {
            true => snapshot.state.objective.as_str(),
            false if chosen.split_whitespace().count() > NAME_WORDS => "",
            false => name,
        };
        let date = at.get(..8).map(|day| format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..])).unwrap_or_default();
        let decided = from_synthesis(&Synthesis {
            file: &file,
            debate,
            phase,
            date: &date,
            question: asked.as_deref().unwrap_or(own),
            chosen: &chosen,
            sections: &read.sections,
        });
        Ok(Some((decided, chosen)))
    }
}
