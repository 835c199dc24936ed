//! What locked decisions chose, which risks debates accepted, and what a person superseded by hand: read from debates and files
//! only where something depends on it.

use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow;
use forge_debate::plan::{Choice, Matter, Plan, same_words};
use forge_debate::verdict::Verdict;
use forge_workflow::contradiction::{Relation, Settled, relation};
use forge_workflow::extract;
use forge_workflow::extract::passages::one_line;
use forge_workflow::kept;
use forge_workflow::knowledge::{Decision, DecisionStatus, Kind, Knowledge, Risk};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::{AcceptedRisk, LockedDecision, Overturned, Snapshot, Unclear};
use forge_workflow::state::{Answered, State};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

impl Workspace {
    /// Fills in what a snapshot knows of decisions and risks besides the knowledge files.
    pub(super) fn read_stakes(&self, snapshot: &mut Snapshot) -> Result<(), EngineError> {
        snapshot.overturned = self.overturned(snapshot)?;
        // What no debate has answered yet took nobody's place.
        for one in snapshot.overturned_but(&snapshot.state.answered) {
            let by = snapshot.knowledge.decisions.iter_mut().filter(|decision| decision.id == one.by);
            by.for_each(|decision| decision.supersedes.retain(|id| *id != one.decision));
        }
        self.read_settled(snapshot)?;
        snapshot.accepted = self.accepted(snapshot)?;
        snapshot.decided_here = self.decided_here(snapshot)?;
        Ok(())
    }

    /// What an earlier debate of the phase decided on its objective, where that stands.
    fn decided_here(&self, snapshot: &Snapshot) -> Result<Option<(String, String)>, EngineError> {
        let state = &snapshot.state;
        let first_line = |text: &str| text.trim().lines().next().unwrap_or_default().trim().to_owned();
        let held = state
            .debates
            .iter()
            .rev()
            .filter(|(owner, id)| *owner == state.phase && state.debate.id.as_ref() != Some(id));
        for (_, id) in held {
            let source = format!("{id}#D1");
            let mut standing = snapshot.knowledge.standing_decisions();
            let Some(decision) = standing.find(|one| one.source.as_ref() == Some(&source)) else { continue };
            let Some(Ok(files)) = self.open_if_there(id)? else { continue };
            let is_objective = first_line(&files.plan.question) == first_line(state.current_objective())
                && files.plan.at_stake.iter().all(|one| matches!(one, Matter::Decision(_)));
            if is_objective {
                return Ok(Some((decision.id.clone(), decision.title.clone())));
            }
        }
        Ok(None)
    }

    /// What locked decisions chose, where the document decides something.
    pub(super) fn read_settled(&self, snapshot: &mut Snapshot) -> Result<(), EngineError> {
        let before = snapshot.earlier.iter().any(|one| !one.findings.decisions.is_empty());
        if before || !snapshot.document_findings.decisions.is_empty() {
            snapshot.settled = self.settled(&snapshot.knowledge)?;
        }
        Ok(())
    }

    fn settled(&self, knowledge: &Knowledge) -> Result<Vec<Settled>, EngineError> {
        let mut all = Vec::new();
        for decision in knowledge.standing_decisions().filter(|decision| decision.locked) {
            let Some(debate) = decision.debate.as_deref() else { continue };
            // What a debate decided besides has no options of its own.
            let is_first = decision.source.as_deref() == Some(&format!("{debate}#D1"));
            if !is_first && extract::taken_from(decision).is_none() {
                continue;
            }
            all.extend(match self.open_if_there(debate)? {
                Some(Ok(files)) => settled_by(decision, &files.plan),
                _ => settled_by_entry(decision),
            });
        }
        Ok(all)
    }

    /// The decisions that a debate was about and did not let stand.
    pub(super) fn superseded(
        &self,
        snapshot: &Snapshot,
        plan: &Plan,
        verdict: &Verdict,
    ) -> Result<Vec<String>, EngineError> {
        let named: Vec<&String> = plan
            .at_stake
            .iter()
            .filter_map(|one| match one {
                Matter::Decision(id) => Some(id),
                _ => None,
            })
            .collect();
        // One that is reopened, or that a person superseded by hand, is taken anew, whatever is chosen.
        let [only] = named.as_slice() else { return Ok(named.into_iter().cloned().collect()) };
        if snapshot.state.reopened_decision.as_ref() == Some(only) {
            return Ok(vec![(*only).clone()]);
        }
        let known = snapshot.knowledge.decisions.iter().find(|one| one.id == **only);
        let settled = self.settled(&snapshot.knowledge)?;
        let choice = settled.iter().find(|one| one.decision == **only);
        let chosen: Vec<&Choice> = verdict.options().iter().filter_map(|id| plan.option(id)).collect();
        let is_kept = known.is_some_and(|known| kept::is_kept(known, choice, &chosen));
        Ok(if is_kept { Vec::new() } else { vec![(*only).clone()] })
    }

    /// The high risks that debates accepted, with an owner: at the score that the debate gave, where that can still be read.
    fn accepted(&self, snapshot: &Snapshot) -> Result<Vec<AcceptedRisk>, EngineError> {
        let threshold = snapshot.definition.debates.risk_threshold;
        let is_high = |risk: &&Risk| risk.active && risk.score() >= Some(threshold);
        let high: Vec<&Risk> = snapshot.knowledge.risks.iter().filter(is_high).collect();
        let own = |risk: &Risk| Some(risk.source.as_ref()?.rsplit_once("#R")?.0.to_owned());
        let held = snapshot.state.debates.iter().map(|(_, id)| id.clone());
        let mut told: BTreeMap<String, Option<Vec<Risk>>> = BTreeMap::new();
        for id in high.iter().filter_map(|risk| own(risk)).chain(held.filter(|_| !high.is_empty())) {
            if let Entry::Vacant(place) = told.entry(id) {
                let risks = self.risks_of(place.key())?;
                place.insert(risks);
            }
        }
        // A debate that is gone cannot say otherwise than the entry that came of it, where a decision shows that it was held.
        let is_named = |id: &String| snapshot.knowledge.decisions.iter().any(|one| one.debate.as_ref() == Some(id));
        let mut known: Vec<&String> = Vec::new();
        for (id, _) in told.iter().filter(|(id, risks)| risks.is_none() && is_named(id)) {
            if self.knew_debate(id)? {
                known.push(id);
            }
        }
        let is_known = |id: &String| known.contains(&id);
        let is_first = |risk: &Risk| {
            let same = snapshot.knowledge.risks.iter().find(|one| one.source == risk.source);
            same.is_some_and(|first| first.id == risk.id)
        };
        let mut accepted = Vec::new();
        for risk in high {
            for (id, risks) in &told {
                // A source can be copied, and a row can be written over: it is the risk in its words that was accepted.
                let same = |one: &&Risk| same_words(&one.text, &risk.text);
                let its = risks.iter().flatten().find(same);
                let score = match its {
                    Some(one) => one.score(),
                    None if risks.is_none() && own(risk).as_ref() == Some(id) && is_known(id) && is_first(risk) => {
                        risk.score()
                    }
                    None => None,
                };
                let owned = risk.has_owner() || its.is_some_and(Risk::has_owner);
                accepted.extend(score.filter(|_| owned).map(|score| AcceptedRisk { risk: risk.id.clone(), score }));
            }
        }
        Ok(accepted)
    }

    /// What the debates of phases answered, of which the state says that they answered something: what their plans name, and the
    /// risks that they left. One that was made here and is gone is believed.
    pub(super) fn answers(&self, state: &State) -> Result<Vec<Answered>, EngineError> {
        let mut found = Vec::new();
        for (owner, id) in &state.debates {
            let said: Vec<&Answered> = state.answered.iter().filter(|one| one.phase == *owner).collect();
            if said.is_empty() {
                continue;
            }
            let matters = match self.open_if_there(id)? {
                Some(Ok(files)) if self.is_planned_for(&state.workflow_id, owner, &files)? => {
                    let risks = self.risks_of(id)?.unwrap_or_default().into_iter();
                    let own = risks.filter_map(|risk| Some(Matter::Risk { score: risk.score()?, key: risk.source? }));
                    files.plan.at_stake.iter().cloned().chain(own).collect()
                }
                None if self.knew_debate(id)? => {
                    found.extend(said.into_iter().cloned());
                    continue;
                }
                _ => Vec::new(),
            };
            found.extend(matters.into_iter().map(|matter: Matter| Answered {
                matter: matter.name().to_owned(),
                score: matter.score(),
                phase: owner.clone(),
            }));
        }
        Ok(found)
    }

    /// The risks that a debate accepted; none where it cannot be read or has not decided.
    fn risks_of(&self, debate: &str) -> Result<Option<Vec<Risk>>, EngineError> {
        let Some(Ok(files)) = self.open_if_there(debate)? else { return Ok(None) };
        let survey = Survey::of(&files)?;
        let Some(verdict) = &survey.verdict else { return Ok(None) };
        let debated = extract::Debated {
            plan: &files.plan,
            verdict,
            turns: &survey.turns,
            phase: "",
            about: None,
            date: "",
            supersedes: &[],
        };
        Ok(Some(extract::from_debate(&debated).risks))
    }

    /// Decisions that handoffs lock and the registry does not have as standing: denied there, or gone although the state file
    /// names them. They stand all the same.
    pub(super) fn against_locks(
        &self,
        known: &Knowledge,
        locked: &[LockedDecision],
    ) -> Result<Vec<Unclear>, EngineError> {
        let file = Kind::Decision.file();
        let read = |path: &str| Ok::<_, EngineError>(self.disk.read(path)?.map(|bytes| document::decode(&bytes).text));
        let Some(text) = read(file)? else { return Ok(Vec::new()) };
        let named = read(STATE_FILE)?.map(|text| active_workflow::context(&text).decisions).unwrap_or_default();
        let mut against = Vec::new();
        for LockedDecision { id, title, file: handoff, line, .. } in locked.iter().filter(|one| one.needs_debate) {
            let said = match known.decision(id) {
                Some(one) if one.debate.is_none() || one.status == DecisionStatus::Accepted => continue,
                Some(one) if known.superseded_by(&one.id).is_some() => continue,
                Some(one) => format!(
                    "{id} is called {} here, and {handoff}:{line} locks it: it stands until a debate supersedes it. To have one, write `challenges: [{id}]` at the top of the phase's document",
                    one.status.word()
                ),
                None if named.iter().any(|one| begins_with_id(one, id)) => format!(
                    "{id} ({title}) has no entry here any more, and {handoff}:{line} locks it: it stands. If it was committed: git checkout -- {file}"
                ),
                None => continue,
            };
            let at = line_of_entry(&text, id, title).unwrap_or(1);
            against.push(Unclear { file: file.to_owned(), line: at, text: said, holds: false });
        }
        Ok(against)
    }

    /// Decisions of debates that a person's own entry of the knowledge file supersedes, or speaks against.
    fn overturned(&self, snapshot: &Snapshot) -> Result<Vec<Overturned>, EngineError> {
        let knowledge = &snapshot.knowledge;
        let elsewhere = &snapshot.locked_elsewhere;
        let mut pairs = knowledge.overturned_by_hand(elsewhere);
        let is_locked =
            |one: &Decision| snapshot.handoff.iter().flat_map(|handoff| &handoff.locked).any(|lock| lock.id == one.id);
        let mut later: Vec<(usize, &Decision)> = Vec::new();
        for (at, one) in knowledge.decisions.iter().enumerate() {
            // A source can be written by anybody.
            let is_open = one.debate.is_none() && !is_locked(one) && knowledge.stands(one);
            if is_open && (one.source.is_none() || self.wrote_here(one)? == Some(false)) {
                later.push((at, one));
            }
        }
        let settled = if later.is_empty() { Vec::new() } else { self.settled(knowledge)? };
        let named = pairs.len();
        for (place, earlier) in knowledge.decisions.iter().enumerate() {
            let is_taken = earlier.locked && knowledge.stands(earlier);
            let is_taken = is_taken && (earlier.debate.is_some() || elsewhere.contains(&earlier.id));
            let matter = settled.iter().find(|one| one.decision == earlier.id);
            // What was taken over is written down last, and was decided first.
            let is_first = extract::taken_from(earlier).is_some();
            let is_later = |at: usize| at > place || is_first;
            let against =
                |one: &&(usize, &Decision)| is_later(one.0) && relation(one.1, earlier, matter) == Relation::Against;
            pairs.extend(later.iter().filter(|_| is_taken).filter(against).map(|(_, one)| (*one, earlier)));
        }
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let file = Kind::Decision.file();
        let text = self.disk.read(file)?.map(|bytes| document::decode(&bytes).text).unwrap_or_default();
        let told = |(at, (by, earlier)): (usize, &(&Decision, &Decision))| Overturned {
            by: by.id.clone(),
            says_so: at < named,
            file: file.to_owned(),
            line: line_of_entry(&text, &by.id, &by.title),
            decision: earlier.id.clone(),
            debate: earlier.debate.clone(),
        };
        Ok(pairs.iter().enumerate().map(told).collect())
    }
}

/// The line of an entry: of several under one id that with its title.
pub(super) fn line_of_entry(text: &str, id: &str, title: &str) -> Option<usize> {
    let mut its = text.lines().enumerate().filter(|(_, line)| begins_with_id(line, id));
    let first = its.clone().next();
    its.find(|(_, line)| line.contains(title)).or(first).map(|(at, _)| at + 1)
}

/// Whether a line is the heading, item or row of an entry.
fn begins_with_id(line: &str, id: &str) -> bool {
    let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = bare.strip_prefix("Decision ").unwrap_or(bare).strip_prefix(id);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}

/// The same of a decision whose debate cannot be read, by its entry.
fn settled_by_entry(decision: &Decision) -> Option<Settled> {
    let owned = |(letter, label): (&str, &str)| (letter.to_owned(), label.to_owned());
    let (letters, rejected): (Vec<String>, Vec<String>) =
        decision.turned_down.iter().filter_map(|one| one.split_once(": ")).map(owned).unzip();
    (!rejected.is_empty()).then(|| Settled { decision: decision.id.clone(), chosen: Vec::new(), rejected, letters })
}

/// What a decision's debate chose, as its title ends with it, and what it turned down.
pub(super) fn settled_by(decision: &Decision, plan: &Plan) -> Option<Settled> {
    let labels: Vec<String> = plan.options.iter().map(|option| one_line(&option.label)).collect();
    let mut parts: Vec<&str> = decision.title.split(" + ").collect();
    let is_chosen = |label: &String, part: &str| part.ends_with(label.as_str());
    // The first part begins with the question.
    parts.retain(|part| labels.iter().any(|label| is_chosen(label, part)));
    let longest = |part: &&str| labels.iter().filter(|label| is_chosen(label, part)).max_by_key(|label| label.len());
    let chosen: Vec<String> = parts.iter().filter_map(longest).cloned().collect();
    if chosen.is_empty() {
        return None;
    }
    let ids = plan.options.iter().map(|option| option.id.to_string());
    let (rejected, letters) = labels.into_iter().zip(ids).filter(|(label, _)| !chosen.contains(label)).unzip();
    Some(Settled { decision: decision.id.clone(), chosen, rejected, letters })
}
