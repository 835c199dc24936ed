//! What debates that another tool held decided, where no entry of the knowledge file and no handoff says it.
//!
//! Only looks; what is found is written down by the next step, and counts before that.

use super::stakes::settled_by;
use super::standing::DEBATES;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document::{self, Document};
use forge_artifacts::formats::active_workflow::{self, Layout};
use forge_artifacts::formats::{proof, scalar};
use forge_debate::protocols::gate::choice;
use forge_debate::turn::title_matches;
use forge_prose::secrets::redacted;
use forge_workflow::contradiction::{Relation, is_same_choice, relation};
use forge_workflow::evidence::Sign;
use forge_workflow::extract::{Synthesis, from_synthesis};
use forge_workflow::knowledge::{Decision, DecisionStatus, Findings, Kind};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::{Snapshot, Unclear};

impl Workspace {
    /// Adds what the finished debates of another tool decided to what is known.
    pub(super) fn add_debates_of_others(&self, snapshot: &mut Snapshot) -> Result<(), EngineError> {
        let (mut found, mut doubts) = (Findings::default(), Vec::new());
        for (phase, debate, shown) in self.finished_elsewhere(snapshot)? {
            let (decided, chosen) = match self.decided_elsewhere(snapshot, &phase, &debate, &shown)? {
                Some(Elsewhere::Chose(decided, chosen)) => (decided, chosen),
                Some(Elsewhere::Unread(doubt)) => {
                    doubts.push(doubt);
                    continue;
                }
                None => continue,
            };
            let Some(taken) = decided.decisions.first() else { continue };
            let is_it = |one: &Decision| {
                let is_named = one.debate.as_deref() == Some(&debate) || one.source == taken.source;
                is_named || is_same_choice(one, taken, &chosen)
            };
            let mut said: Vec<_> = snapshot.knowledge.decisions.iter_mut().filter(|one| is_it(one)).collect();
            // An entry that says the same is that decision: a debate took it.
            for one in said.iter_mut().filter(|one| one.status == DecisionStatus::Accepted) {
                one.locked = true;
                snapshot.locked_elsewhere.push(one.id.clone());
            }
            if !said.is_empty() {
                continue;
            }
            let plan = self.open_if_there(&debate)?.and_then(Result::ok).map(|files| files.plan);
            let against = |one: &&Decision| {
                let settled = plan.as_ref().and_then(|plan| settled_by(one, plan));
                one.locked && relation(taken, one, settled.as_ref()) != Relation::Beside
            };
            let against = snapshot.knowledge.standing_decisions().find(against);
            if let Some(one) = against {
                let text = format!(
                    "the debate {debate} chose {chosen:?}, and {} ({}), which is locked, says otherwise: one of the two stands no more. Write `superseded` at the one that is over: `Status: superseded` below {} in {}, or `status: superseded` at the top of this file",
                    one.id,
                    one.title,
                    one.id,
                    Kind::Decision.file()
                );
                let file = format!("{DEBATES}/{debate}/synthesis.md");
                doubts.push(Unclear { file, line: 1, text, holds: true });
                continue;
            }
            found.decisions.extend(decided.decisions);
            found.constraints.extend(decided.constraints);
        }
        snapshot.knowledge.unclear.extend(doubts);
        let news = snapshot.knowledge.news(&found);
        snapshot.knowledge.decisions.extend(news.decisions.iter().cloned());
        snapshot.knowledge.constraints.extend(news.constraints.iter().cloned());
        snapshot.unwritten.decisions.extend(news.decisions);
        snapshot.unwritten.constraints.extend(news.constraints);
        Ok(())
    }

    /// The last debate of each phase that this workflow left before forge came, and the last that decided: phase, id, and what
    /// it shows.
    fn finished_elsewhere(&self, snapshot: &Snapshot) -> Result<Vec<(String, String, Shown)>, EngineError> {
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
            let mut own =
                own.map(|(id, Sign { at, .. }, decides)| (phase.clone(), id, Shown { at, decides })).peekable();
            found.extend(own.next_if(|(_, _, newest)| !newest.decides));
            found.extend(own.find(|(_, _, one)| one.decides));
        }
        Ok(found)
    }

    /// What a debate decided, and what it chose. Its plan tells the options, where there is one.
    fn decided_elsewhere(
        &self,
        snapshot: &Snapshot,
        phase: &str,
        debate: &str,
        shown: &Shown,
    ) -> Result<Option<Elsewhere>, EngineError> {
        let file = format!("{DEBATES}/{debate}/synthesis.md");
        let Some(bytes) = self.disk.read(&file)? else { return Ok(None) };
        let text = redacted(&document::decode(&bytes).text);
        let unread = |why: &str| {
            let text = format!("it does not say which option was chosen ({why}), so no decision is taken over from it");
            Ok(Some(Elsewhere::Unread(Unclear { file: file.clone(), line: 1, text, holds: false })))
        };
        if !shown.decides {
            return unread("nothing is decided in it");
        }
        if is_superseded(&text) {
            return Ok(None);
        }
        let Some(read) = proof::synthesis(text.as_bytes()) else { return unread("nothing is decided in it") };
        let plan = match self.open_if_there(debate)? {
            Some(Ok(files)) => Some(files.plan),
            _ => None,
        };
        let section = read.sections.iter().find(|section| title_matches(&section.title, "Final Decision"));
        let by_plan = match plan.as_ref().filter(|plan| !plan.options.is_empty()).zip(section) {
            Some((plan, section)) => match choice::read(section, plan) {
                Ok(option) => plan.option(&option).map(|option| option.label.clone()),
                Err(why) => {
                    let ids: Vec<&str> = plan.options.iter().map(|option| option.id.as_str()).collect();
                    let text =
                        format!("decision unclear: {why}; write one line `**Chosen Option:** <{}>`", ids.join("|"));
                    let (file, line) = (file.clone(), section.line);
                    return Ok(Some(Elsewhere::Unread(Unclear { file, line, text, holds: true })));
                }
            },
            None => None,
        };
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
        let date =
            shown.at.get(..8).map(|day| format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..])).unwrap_or_default();
        let decided = from_synthesis(&Synthesis {
            file: &file,
            debate,
            phase,
            date: &date,
            question: asked.as_deref().unwrap_or(own),
            chosen: &chosen,
            sections: &read.sections,
        });
        Ok(Some(Elsewhere::Chose(decided, chosen)))
    }
}

/// What the folder of another tool's debate shows.
struct Shown {
    /// The digits of its day.
    at: String,
    decides: bool,
}

/// What another tool's synthesis comes to.
enum Elsewhere {
    /// What it decides, and what it chose.
    Chose(Findings, String),
    /// Nothing that can be read.
    Unread(Unclear),
}

/// Whether a document says at its top that it is superseded.
fn is_superseded(text: &str) -> bool {
    let status = Document::parse(text).fields().and_then(|fields| scalar(fields, "status"));
    status.is_some_and(|status| status.trim().eq_ignore_ascii_case("superseded"))
}
