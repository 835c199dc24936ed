//! Decisions of debates as their records tell them, whatever was written over them in the knowledge file since.
//!
//! Only looks. What a person wrote stays as it is; where it says otherwise than the record, the record counts and the line is
//! told.

use super::stakes::line_of_entry;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::knowledge as knowledge_file;
use forge_debate::plan::{Choice, Matter};
use forge_debate::secrets::redacted;
use forge_workflow::contradiction::{Relation, Settled, relation};
use forge_workflow::definition::Definition;
use forge_workflow::extract;
use forge_workflow::knowledge::{Decision, DecisionStatus, Findings, Kind, Knowledge, says_the_same};
use forge_workflow::snapshot::{LockedDecision, Unclear};
use forge_workflow::state::State;

/// What a debate decided, by its record.
pub(super) struct Recorded {
    /// The titles that each of its decisions may have in the knowledge file: that on its question has several.
    titles: Vec<Vec<String>>,
    /// The options that were chosen and those that were not, by name.
    chosen: Vec<String>,
    rejected: Vec<String>,
    /// The decisions whose place it may take.
    at_stake: Vec<String>,
}

impl Workspace {
    /// What is known, with the decisions of debates as they were taken. `held` are the workflow's own debates.
    pub(super) fn known(&self, definition: &Definition, held: &[(String, String)]) -> Result<Knowledge, EngineError> {
        let mut known = self.knowledge()?;
        let mut found = Vec::new();
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
        for one in &mut known.decisions {
            let Some(debate) = one.debate.clone().filter(|_| one.source.is_none()) else { continue };
            if let Some(Ok(_)) = self.open_if_there(&debate)?
                && !self.recorded(definition, &debate)?.is_some_and(|recorded| recorded.says(one))
            {
                let text = format!("the debate {debate} did not decide {}: it counts as a person's own", one.id);
                found.push(Otherwise::note(one, text));
                one.debate = None;
            }
        }
        let all = known.decisions.clone();
        for one in &mut known.decisions {
            let Some((debate, number)) = of_debate(one) else { continue };
            let mut later = all.iter().filter(|later| later.supersedes.contains(&one.id));
            let is_replaced = later.any(|later| later.debate.is_some());
            if let Some(recorded) = self.recorded(definition, &debate)? {
                found.extend(recorded.mend(one, number, &debate, is_replaced));
            } else if !one.supersedes.is_empty()
                && !held.iter().any(|(_, id)| *id == debate)
                && self.open_if_there(&debate)?.is_none()
            {
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
        self.known(&self.definition()?, &[])
    }

    /// Decisions that a handoff locks, that a debate of the workflow took, and that are written over under their ids.
    pub(super) fn written_over(
        &self,
        definition: &Definition,
        state: &State,
        known: &mut Knowledge,
        locked: &[LockedDecision],
    ) -> Result<Vec<Unclear>, EngineError> {
        let differs =
            |one: &Decision, lock: &LockedDecision| one.id == lock.id && !says_the_same(&one.title, &lock.title);
        let suspects: Vec<&LockedDecision> =
            locked.iter().filter(|lock| known.decisions.iter().any(|one| differs(one, lock))).collect();
        if suspects.is_empty() {
            return Ok(Vec::new());
        }
        let (mut found, text) = (Vec::new(), self.decisions_text()?);
        for (_, debate) in &state.debates {
            let recorded = self.recorded(definition, debate)?;
            // Also where a file of it was changed, so that it comes to nothing any more.
            let is_gone = recorded.is_none();
            for lock in &suspects {
                let is_its = recorded.as_ref().is_some_and(|recorded| recorded.has(&lock.title));
                // Without its record, the handoff tells what it decided.
                let is_named = |one: &Decision| is_gone && one.debate.as_ref() == Some(debate);
                let is_over =
                    |one: &Decision| differs(one, lock) && ((is_its && one.source.is_none()) || is_named(one));
                for one in known.decisions.iter_mut().filter(|one| is_over(one)) {
                    found.push(rewritten(one, debate, &lock.title).at(&text));
                    *one = Decision { title: lock.title.clone(), debate: Some(debate.clone()), ..one.clone() };
                }
            }
        }
        Ok(found)
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
        let mut titles: Vec<Vec<String>> = as_read(decisions.clone()).into_iter().map(|one| vec![one]).collect();
        if let Some(first) = titles.first_mut() {
            first.extend(as_read(of_phases.collect()));
        }
        let at_stake = plan.at_stake.iter().filter_map(|one| match one {
            Matter::Decision(id) => Some(id.clone()),
            _ => None,
        });
        let (chosen, rejected): (Vec<_>, Vec<_>) =
            plan.options.iter().partition(|option| verdict.options().contains(&option.id));
        let labels = |options: Vec<&Choice>| options.into_iter().map(|option| option.label.clone()).collect();
        let (chosen, rejected) = (labels(chosen), labels(rejected));
        Ok(Some(Recorded { titles, chosen, rejected, at_stake: at_stake.collect() }))
    }
}

impl Recorded {
    fn has(&self, title: &str) -> bool {
        self.titles.iter().flatten().any(|known| says_the_same(known, title))
    }

    /// Whether an entry says what was decided, in the same words or in others.
    fn says(&self, one: &Decision) -> bool {
        let first = self.titles.first().and_then(|titles| titles.first());
        self.has(&one.title) || first.is_some_and(|title| self.is_reworded(one, title))
    }

    /// Whether an entry says in other words what was chosen, and nothing of what was not.
    fn is_reworded(&self, one: &Decision, title: &str) -> bool {
        let taken = Decision { id: one.id.clone(), title: title.to_owned(), ..Decision::default() };
        let (chosen, rejected) = (self.chosen.clone(), self.rejected.clone());
        let settled = Settled { decision: one.id.clone(), chosen, rejected, letters: Vec::new() };
        let said = Decision { status: DecisionStatus::Accepted, ..one.clone() };
        let lower = one.title.to_lowercase();
        relation(&said, &taken, Some(&settled)) == Relation::Beside
            && !self.rejected.iter().any(|label| lower.contains(&label.to_lowercase()))
    }

    /// Makes of an entry what the debate decided, and tells what it said otherwise.
    fn mend(&self, one: &mut Decision, number: usize, debate: &str, is_replaced: bool) -> Vec<Otherwise> {
        let mut found = Vec::new();
        let titles = self.titles.get(number.saturating_sub(1)).or(self.titles.first());
        let titles = titles.map(Vec::as_slice).unwrap_or_default();
        if !titles.iter().any(|title| says_the_same(title, &one.title))
            && let Some(first) = titles.first()
        {
            let begins =
                |title: &&String| title.split_once(": ").is_some_and(|(begin, _)| one.title.starts_with(begin));
            let title = titles.iter().find(begins).unwrap_or(first);
            if number != 1 || !self.is_reworded(one, title) {
                found.push(rewritten(one, debate, title));
                one.title.clone_from(title);
            }
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
        if !one.locked && found.is_empty() {
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

/// Titles as they are read back from the file into which they are written.
fn as_read(decisions: Vec<Decision>) -> Vec<String> {
    let numbered = (1..).zip(decisions).map(|(at, one)| Decision { id: format!("D{at}"), ..one });
    let entries = Findings { decisions: numbered.collect(), ..Findings::default() };
    let text = knowledge_file::append(Kind::Decision, knowledge_file::template(Kind::Decision), &entries);
    let read = knowledge_file::read_all(&redacted(&text), "", "", "").decisions;
    read.into_iter().map(|one| one.title).collect()
}
