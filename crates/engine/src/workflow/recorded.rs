//! Decisions of debates as their records tell them, whatever was written over them in the knowledge file since.
//!
//! Only looks. What a person wrote stays as it is; where it says otherwise than the record, the record counts and the line is
//! told.

use super::stakes::line_of_entry;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::{active_workflow, knowledge as knowledge_file};
use forge_debate::plan::Matter;
use forge_debate::secrets::redacted;
use forge_workflow::contradiction::says_less;
use forge_workflow::definition::Definition;
use forge_workflow::extract;
use forge_workflow::knowledge::{Decision, DecisionStatus, Findings, Kind, Knowledge, says_the_same};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::Unclear;
use forge_workflow::state::State;
use std::collections::BTreeMap;

/// What a debate decided, by its record.
struct Recorded {
    /// Its decisions, as they are read back from the file into which they are written.
    decisions: Vec<Decision>,
    /// The titles that the first may have: it is called after the objective or after its phase.
    titles: Vec<String>,
    /// The options that were chosen, by name.
    chosen: Vec<String>,
    /// The decisions whose place it may take.
    at_stake: Vec<String>,
}

/// The records of debates, each read once.
type Records = BTreeMap<String, Option<Recorded>>;

impl Workspace {
    /// What is known, with the decisions of debates as they were taken. `state` is the workflow's own.
    pub(super) fn known(&self, definition: &Definition, state: Option<&State>) -> Result<Knowledge, EngineError> {
        let mut known = self.knowledge()?;
        let (mut found, mut records) = (Vec::new(), Records::new());
        let held: Vec<&String> = state.into_iter().flat_map(|state| &state.debates).map(|(_, id)| id).collect();
        for one in &mut known.decisions {
            // A line that somebody wrote is no debate, and what is taken over from another tool takes nobody's place.
            let is_taken_over = extract::taken_from(one).is_some();
            let is_claimed = (one.source.is_none() || is_taken_over) && !one.supersedes.is_empty();
            let Some(debate) = one.debate.clone().filter(|_| is_claimed) else { continue };
            if is_taken_over || self.open_if_there(&debate)?.is_none() {
                let text = format!("the debate {debate} of {} is not here: it counts as a person's own", one.id);
                found.push(Otherwise::note(one, text));
                (one.debate, one.source) = (None, None);
            }
        }
        if let Some(state) = state {
            found.extend(self.find_entries(definition, state, &mut records, &mut known)?);
        }
        let all = known.decisions.clone();
        for one in &mut known.decisions {
            let Some((debate, number)) = of_debate(one) else { continue };
            let mut later = all.iter().filter(|later| later.supersedes.contains(&one.id));
            let is_replaced = later.any(|later| later.debate.is_some());
            if let Some(recorded) = self.recorded_once(definition, &debate, &mut records)? {
                found.extend(recorded.mend(one, number, &debate, is_replaced));
            } else if !one.supersedes.is_empty() && !held.contains(&&debate) && self.open_if_there(&debate)?.is_none() {
                // Nothing shows that a debate took another one's place.
                let text = format!("the debate {debate} of {} is not here: it counts as a person's own", one.id);
                found.push(Otherwise::note(one, text));
                (one.debate, one.source) = (None, None);
            }
        }
        if !found.is_empty() {
            let text = self.decisions_text()?;
            known.unclear.extend(found.into_iter().map(|one| one.at(&text)));
        }
        Ok(known)
    }

    /// The workflow's own debates decided what they decided, whatever became of their entries: one that lost its source is found
    /// by its debate or its id, one that is gone stands, and another one under its id is none.
    fn find_entries(
        &self,
        definition: &Definition,
        state: &State,
        records: &mut Records,
        known: &mut Knowledge,
    ) -> Result<Vec<Otherwise>, EngineError> {
        let (mut found, mut named) = (Vec::new(), None);
        for (_, debate) in &state.debates {
            let Some(recorded) = self.recorded_once(definition, debate, records)? else { continue };
            for (at, taken) in recorded.decisions.iter().enumerate() {
                let source = Some(format!("{debate}#D{}", at + 1));
                if let Some(id) = known.decisions.iter().find(|one| one.source == source).map(|one| one.id.clone()) {
                    let is_other = |one: &Decision| one.id == id && one.source.is_none();
                    found.extend(
                        known
                            .decisions
                            .iter()
                            .filter(|one| is_other(one))
                            .map(|one| rewritten(one, debate, &taken.title)),
                    );
                    known.decisions.retain(|one| !is_other(one));
                    continue;
                }
                if named.is_none() {
                    named = Some(self.named_decisions(state)?);
                }
                let is_called = |title: &str| {
                    says_the_same(title, &taken.title)
                        || at == 0 && recorded.titles.iter().any(|one| says_the_same(one, title))
                };
                let mut names = named.iter().flatten().filter(|(_, title)| is_called(title)).map(|(id, _)| id);
                let id = names.next();
                let is_of_it =
                    |one: &Decision| at == 0 && one.debate.as_ref() == Some(debate) && of_debate(one).is_none();
                let mut its = known.decisions.iter_mut().filter(|one| is_of_it(one) || Some(&one.id) == id);
                match (its.next(), id) {
                    (Some(one), _) => (one.debate, one.source) = (Some(debate.clone()), source),
                    (None, Some(id)) => {
                        let text = format!(
                            "{id} ({}) has no entry here any more, and the debate {debate} decided it: it stands. If it was committed: git checkout -- {}",
                            taken.title,
                            Kind::Decision.file()
                        );
                        let one = Decision {
                            id: id.clone(),
                            debate: Some(debate.clone()),
                            source,
                            locked: true,
                            ..taken.clone()
                        };
                        found.push(Otherwise::note(&one, text));
                        known.decisions.push(one);
                    }
                    (None, None) => {}
                }
            }
        }
        Ok(found)
    }

    /// The decisions that the workflow's handoffs and its state file name: id and title.
    fn named_decisions(&self, state: &State) -> Result<Vec<(String, String)>, EngineError> {
        let locked = self.other_handoffs("", &state.workflow_id)?.into_iter().flat_map(|handoff| handoff.locked);
        let text = self.disk.read(STATE_FILE)?.map(|bytes| document::decode(&bytes).text).unwrap_or_default();
        let context = active_workflow::context(&text).decisions;
        let split = |one: &String| one.split_once(": ").map(|(id, title)| (id.to_owned(), title.to_owned()));
        Ok(locked.map(|one| (one.id, one.title)).chain(context.iter().filter_map(split)).collect())
    }

    fn recorded_once<'r>(
        &self,
        definition: &Definition,
        debate: &str,
        records: &'r mut Records,
    ) -> Result<Option<&'r Recorded>, EngineError> {
        if !records.contains_key(debate) {
            records.insert(debate.to_owned(), self.recorded(definition, debate)?);
        }
        Ok(records.get(debate).and_then(Option::as_ref))
    }

    /// What stands, for whoever only looks at decisions: as `forge continue` reads it.
    pub fn decisions(&self) -> Result<Knowledge, EngineError> {
        let look = super::Drive::default();
        if let Ok(Ok(overview)) = self.overview(&look) {
            let mut known = overview.snapshot.knowledge;
            let told = overview.snapshot.overturned.iter().map(|one| Unclear {
                file: one.file.clone(),
                line: one.line.unwrap_or(1),
                text: format!("{}; `forge continue` has it debated", one.told()),
                holds: true,
            });
            known.unclear.extend(told);
            return Ok(known);
        }
        self.known(&self.definition()?, None)
    }

    fn decisions_text(&self) -> Result<String, EngineError> {
        let bytes = self.disk.read(Kind::Decision.file())?;
        Ok(bytes.map(|bytes| document::decode(&bytes).text).unwrap_or_default())
    }

    /// What a debate decided; none where it is not there, cannot be read or has decided nothing.
    fn recorded(&self, definition: &Definition, debate: &str) -> Result<Option<Recorded>, EngineError> {
        let Some(Ok(files)) = self.open_if_there(debate)? else { return Ok(None) };
        let survey = Survey::of(&files)?;
        let Some(verdict) = survey.verdict.as_ref().filter(|_| !survey.heard.is_empty()) else { return Ok(None) };
        let (plan, turns) = (&files.plan, &survey.turns);
        let debated = extract::Debated { plan, verdict, turns, phase: "", about: None, date: "", supersedes: &[] };
        let decisions = extract::from_debate(&debated).decisions;
        if decisions.is_empty() {
            return Ok(None);
        }
        let of_phases = definition.phases.iter().map(|phase| {
            let title = extract::title(&extract::Debated { about: Some(&phase.name), ..debated });
            Decision { title, ..Decision::default() }
        });
        let decisions = as_read(decisions);
        let titles = as_read(of_phases.collect()).into_iter().map(|one| one.title).collect();
        let at_stake = plan.at_stake.iter().filter_map(|one| match one {
            Matter::Decision(id) => Some(id.clone()),
            _ => None,
        });
        let chosen = plan.options.iter().filter(|option| verdict.options.contains(&option.id));
        let chosen = chosen.map(|option| option.label.clone()).collect();
        Ok(Some(Recorded { decisions, titles, chosen, at_stake: at_stake.collect() }))
    }
}

impl Recorded {
    /// Makes of an entry what the debate decided, and tells what it said otherwise.
    fn mend(&self, one: &mut Decision, number: usize, debate: &str, is_replaced: bool) -> Vec<Otherwise> {
        let mut found = Vec::new();
        let Some(taken) = self.decisions.get(number.saturating_sub(1)).or(self.decisions.first()) else { return found };
        let others: &[String] = if number == 1 { &self.titles } else { &[] };
        let titles = || std::iter::once(&taken.title).chain(others);
        if !titles().any(|title| says_the_same(title, &one.title)) {
            let begins =
                |title: &&String| title.split_once(": ").is_some_and(|(begin, _)| one.title.starts_with(begin));
            let title = titles().find(begins).unwrap_or(&taken.title).clone();
            if !says_less(one, &Decision { title: title.clone(), ..taken.clone() }, &self.chosen) {
                found.push(rewritten(one, debate, &title));
            }
            one.title = title;
        }
        found.extend(mend_criteria(one, taken, debate));
        if !says_the_same(&one.rationale, &taken.rationale) {
            let text = format!("the rationale of {} is not what the debate {debate} gave", one.id);
            found.push(Otherwise::note(one, text));
        }
        if one.status != DecisionStatus::Accepted && !is_replaced {
            let text = format!(
                "{} is called {} here, and the debate {debate} took it: it stands until a debate supersedes it. {}",
                one.id,
                one.status.word(),
                to_change(&one.id)
            );
            found.push(Otherwise::note(one, text));
            one.status = DecisionStatus::Accepted;
        }
        if !one.locked && !found.iter().any(|one| one.holds) {
            let text =
                format!("{} is not locked here; the debate {debate} took it, so it is. {}", one.id, to_change(&one.id));
            found.push(Otherwise::note(one, text));
        }
        one.locked = true;
        let taken: Vec<String> = one.supersedes.iter().filter(|id| !self.at_stake.contains(id)).cloned().collect();
        if !taken.is_empty() {
            let ids = taken.join(", ");
            let text = format!(
                "{} is said to supersede {ids} here, and the debate {debate} was not about that. Take it out. {}",
                one.id,
                to_change(&ids)
            );
            found.push(Otherwise { holds: true, ..Otherwise::note(one, text) });
            one.supersedes.retain(|id| !taken.contains(id));
        }
        found
    }
}

/// Gives a decision the criteria back that its debate set and its entry has not; what people added stays.
fn mend_criteria(one: &mut Decision, taken: &Decision, debate: &str) -> Option<Otherwise> {
    let said = |criterion: &str| {
        let first = criterion.lines().next().unwrap_or_default();
        let bare = ["[ ]", "[x]", "[X]"].into_iter().find_map(|mark| first.trim().strip_prefix(mark)).unwrap_or(first);
        bare.trim().to_owned()
    };
    let is_there = |wanted: &&String| one.kill_switch.iter().any(|here| says_the_same(&said(here), &said(wanted)));
    let gone: Vec<String> = taken.kill_switch.iter().filter(|wanted| !is_there(wanted)).cloned().collect();
    let first = said(gone.first()?);
    let text = format!(
        "a kill-switch criterion of {} that the debate {debate} set does not stand here any more: {first:?}. It holds: write it back, or git checkout -- {}. {}",
        one.id,
        Kind::Decision.file(),
        to_change(&one.id)
    );
    let found = Otherwise { holds: true, ..Otherwise::note(one, text) };
    one.kill_switch.extend(gone);
    Some(found)
}

/// Something that the knowledge file says otherwise than the record.
struct Otherwise {
    id: String,
    title: String,
    text: String,
    holds: bool,
}

impl Otherwise {
    fn note(one: &Decision, text: String) -> Self {
        Self { id: one.id.clone(), title: one.title.clone(), text, holds: false }
    }

    fn at(self, text: &str) -> Unclear {
        let line = line_of_entry(text, &self.id, &self.title).unwrap_or(1);
        Unclear { file: Kind::Decision.file().to_owned(), line, text: self.text, holds: self.holds }
    }
}

fn rewritten(one: &Decision, debate: &str, title: &str) -> Otherwise {
    let file = Kind::Decision.file();
    let (id, said) = (&one.id, &one.title);
    let text = format!(
        "{id} says {said:?}; the debate {debate} decided {title:?}, which stands: write it back, or git checkout -- {file}. {}",
        to_change(id)
    );
    Otherwise { holds: true, ..Otherwise::note(one, text) }
}

fn to_change(id: &str) -> String {
    format!("To have it debated: `challenges: [{id}]` at the top of the phase's document")
}

/// The debate of an entry that forge wrote, and its number among those of that debate.
fn of_debate(one: &Decision) -> Option<(String, usize)> {
    let debate = one.debate.clone()?;
    let number = one.source.as_deref()?.strip_prefix(debate.as_str())?.strip_prefix("#D")?;
    Some((debate, number.parse().ok()?))
}

/// Decisions as they are read back from the file into which they are written.
fn as_read(decisions: Vec<Decision>) -> Vec<Decision> {
    let numbered = (1..).zip(decisions).map(|(at, one)| Decision { id: format!("D{at}"), ..one });
    let entries = Findings { decisions: numbered.collect(), ..Findings::default() };
    let text = knowledge_file::append(Kind::Decision, knowledge_file::template(Kind::Decision), &entries);
    knowledge_file::read_all(&redacted(&text), "", "", "").decisions
}
