//! What debates that another tool held decided, where no entry of the knowledge file and no handoff says it.
//!
//! Only looks; what is found is written down by the next step, and counts before that.

use super::stakes::line_of_entry;
use super::standing::DEBATES;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow::{self, Layout};
use forge_artifacts::formats::proof;
use forge_debate::plan::Choice;
use forge_debate::protocols::gate::choice;
use forge_debate::secrets::redacted;
use forge_debate::turn::title_matches;
use forge_workflow::contradiction::{Relation, Settled, is_same_choice, relation};
use forge_workflow::extract::{Synthesis, from_synthesis};
use forge_workflow::knowledge::{Decision, DecisionStatus, Findings, Kind};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::{Snapshot, Unclear};

const FINAL_DECISION: &str = "Final Decision";

/// The last debate of a phase that another tool held.
struct Elsewhere {
    phase: String,
    debate: String,
    /// The digits of its day.
    at: String,
    decides: bool,
}

/// What such a debate decided.
struct Decided {
    findings: Findings,
    chosen: String,
    /// The options of its plan that were not chosen.
    rejected: Vec<String>,
}

impl Workspace {
    /// Adds what the finished debates of another tool decided to what is known.
    pub(super) fn add_debates_of_others(&self, snapshot: &mut Snapshot) -> Result<(), EngineError> {
        let mut found = Findings::default();
        for one in self.finished_elsewhere(snapshot)? {
            let Elsewhere { debate, .. } = &one;
            let decided = match self.decided_elsewhere(snapshot, &one)? {
                Ok(decided) => decided,
                Err(unclear) => {
                    snapshot.knowledge.unclear.extend(unclear);
                    continue;
                }
            };
            let Decided { findings, chosen, rejected } = decided;
            let Some(taken) = findings.decisions.first() else { continue };
            let is_it = |one: &Decision| {
                let is_named = one.debate.as_ref() == Some(debate) || one.source == taken.source;
                is_named || is_same_choice(one, taken, &chosen)
            };
            if !snapshot.knowledge.decisions.iter().any(is_it) {
                match self.speaks_against(snapshot, taken, &chosen, rejected)? {
                    Some(against) => snapshot.knowledge.unclear.push(against),
                    None => {
                        found.decisions.extend(findings.decisions);
                        found.constraints.extend(findings.constraints);
                    }
                }
                continue;
            }
            // An entry that says the same is that decision: a debate took it.
            let said = snapshot.knowledge.decisions.iter_mut().filter(|one| is_it(one));
            for entry in said.filter(|entry| entry.status == DecisionStatus::Accepted) {
                entry.locked = true;
                entry.debate.get_or_insert_with(|| debate.clone());
            }
        }
        let news = snapshot.knowledge.news(&found);
        snapshot.knowledge.decisions.extend(news.decisions.iter().cloned());
        snapshot.knowledge.constraints.extend(news.constraints.iter().cloned());
        snapshot.taken_over = news;
        Ok(())
    }

    /// An entry that a handoff locks and that says otherwise than what a debate chose: of the two one does not stand. One that
    /// nothing locks calls for a debate.
    fn speaks_against(
        &self,
        snapshot: &Snapshot,
        taken: &Decision,
        chosen: &str,
        rejected: Vec<String>,
    ) -> Result<Option<Unclear>, EngineError> {
        let settled =
            Settled { decision: taken.id.clone(), chosen: vec![chosen.to_owned()], rejected, letters: Vec::new() };
        let locked = || snapshot.handoff.iter().flat_map(|handoff| &handoff.locked);
        let is_against = |one: &&Decision| {
            locked().any(|lock| lock.id == one.id) && relation(one, taken, Some(&settled)) == Relation::Against
        };
        let Some(Decision { id, title, .. }) = snapshot.knowledge.standing_decisions().find(is_against) else {
            return Ok(None);
        };
        let source = taken.source.as_deref().and_then(|source| source.split('#').next()).unwrap_or_default();
        let line = line_of_entry(&self.decisions_text()?, id, title).unwrap_or(1);
        let text = format!(
            "{id} says {title:?}, and {source} chose {chosen:?}: one of the two does not stand. Write `- Status: superseded` below {id}, or into that file what was chosen since"
        );
        Ok(Some(Unclear { file: Kind::Decision.file().to_owned(), line, text, holds: true }))
    }

    /// The last debate of each phase that this workflow left before forge came, and of those that decided the last.
    fn finished_elsewhere(&self, snapshot: &Snapshot) -> Result<Vec<Elsewhere>, EngineError> {
        let state = &snapshot.state;
        let is_planned = |phase: &String| state.debates.iter().any(|(owner, _)| owner == phase);
        let mut found = Vec::new();
        for phase in state.completed_phases.iter().filter(|phase| !is_planned(phase)) {
            if snapshot.definition.phase(phase).is_none() {
                continue;
            }
            let debates = self.debates_beside(phase)?;
            if debates.is_empty() {
                continue;
            }
            let text = self.disk.read(STATE_FILE)?.map(|bytes| document::decode(&bytes).text).unwrap_or_default();
            let layout = match active_workflow::read(&text) {
                active_workflow::Read::State { layout, .. } => layout,
                _ => Layout::Ours,
            };
            let span = self.span(state, layout)?;
            let own = debates.into_iter().rev().filter(|(_, sign, _)| sign.is_of(&state.workflow_id, &span));
            let mut own = own
                .map(|(debate, sign, decides)| Elsewhere { phase: phase.clone(), debate, at: sign.at, decides })
                .peekable();
            found.extend(own.next_if(|newest| !newest.decides));
            found.extend(own.find(|one| one.decides));
        }
        Ok(found)
    }

    /// What a debate decided, or why that is not clear. Where its plan tells the options, they are read by the gate's own rule.
    fn decided_elsewhere(
        &self,
        snapshot: &Snapshot,
        one: &Elsewhere,
    ) -> Result<Result<Decided, Option<Unclear>>, EngineError> {
        let Elsewhere { phase, debate, at, .. } = one;
        let file = format!("{DEBATES}/{debate}/synthesis.md");
        let Some(bytes) = self.disk.read(&file)? else { return Ok(Err(None)) };
        let text = redacted(&document::decode(&bytes).text);
        let unclear = |line: usize, text: String, holds| Unclear { file: file.clone(), line, text, holds };
        let Some(read) = proof::synthesis(text.as_bytes()) else {
            let text = format!(
                "it decides nothing, and {phase} was left; what was chosen since belongs here, such as `**Chosen Option:** B`"
            );
            return Ok(Err(Some(unclear(1, text, false))));
        };
        let plan = match self.open_if_there(debate)? {
            Some(Ok(files)) if !files.plan.options.is_empty() => Some(files.plan),
            _ => None,
        };
        let section = read.sections.iter().find(|section| title_matches(&section.title, FINAL_DECISION));
        let by_plan =
            match plan.as_ref().zip(section).map(|(plan, section)| (plan, section, choice::read(section, plan))) {
                Some((plan, section, Err(why))) => {
                    let ids: Vec<&str> = plan.options.iter().map(|option| option.id.as_str()).collect();
                    let text =
                        format!("decision unclear: {why}; write one line `**Chosen Option:** <{}>`", ids.join("|"));
                    return Ok(Err(Some(unclear(section.line, text, true))));
                }
                Some((_, _, Ok(option))) => Some(option),
                None => None,
            };
        let label = |option: &Choice| option.label.clone();
        let options = plan.as_ref().map(|plan| plan.options.as_slice()).unwrap_or_default();
        let (taken, others): (Vec<&Choice>, Vec<&Choice>) =
            options.iter().partition(|one| by_plan.as_ref() == Some(&one.id));
        let chosen = taken.first().map_or(read.chosen, |option| label(option));
        let rejected = if taken.is_empty() { Vec::new() } else { others.into_iter().map(label).collect() };
        let asked = plan.as_ref().map(|plan| plan.question.clone()).filter(|question| !question.trim().is_empty());
        // The first debate is on the workflow's objective, a later one on its phase.
        let is_first =
            snapshot.definition.phases.iter().find(|one| one.always_debates()).is_none_or(|one| one.id == *phase);
        let name = snapshot.definition.phase(phase).map_or(phase.as_str(), |one| one.name.as_str());
        // What says what it is about by itself needs no phase before it.
        const NAME_WORDS: usize = 2;
        let own = match is_first {
            true => snapshot.state.objective.as_str(),
            false if chosen.split_whitespace().count() > NAME_WORDS => "",
            false => name,
        };
        let date = at.get(..8).map(|day| format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..])).unwrap_or_default();
        let findings = from_synthesis(&Synthesis {
            file: &file,
            debate,
            phase,
            date: &date,
            question: asked.as_deref().unwrap_or(own),
            chosen: &chosen,
            sections: &read.sections,
        });
        Ok(Ok(Decided { findings, chosen, rejected }))
    }
}
