//! Decisions of debates as their records tell them, whatever was written over them in the knowledge file since.
//!
//! Only looks. What a person wrote stays as it is; where it says otherwise than the record, the record counts and the line is
//! told.

use super::stakes::line_of_entry;
use super::standing::DEBATES;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::knowledge as knowledge_file;
use forge_artifacts::store::DebateFiles;
use forge_debate::plan::{Choice, Matter, check_id};
use forge_prose::secrets::redacted;
use forge_workflow::contradiction::{Relation, Settled, relation};
use forge_workflow::definition::Definition;
use forge_workflow::extract;
use forge_workflow::extract::criteria::boxed;
use forge_workflow::extract::ids::same_id;
use forge_workflow::knowledge::{Decision, DecisionStatus, Findings, Kind, Knowledge, Risk, says_the_same};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::{LockedDecision, Stranger, Unclear};
use forge_workflow::state::State;

/// What a debate decided, by its record.
pub(super) struct Recorded {
    /// Its decisions, as the knowledge file would say them.
    decisions: Vec<Decision>,
    /// The titles that each of them may have there: that on its question has several.
    titles: Vec<Vec<String>>,
    /// The options that were chosen and those that were not, by name.
    chosen: Vec<String>,
    rejected: Vec<String>,
    /// The decisions whose place it may take.
    at_stake: Vec<String>,
}

impl Workspace {
    /// What is known, with the decisions of debates as they were taken, and of them those that have no entry any more.
    pub(super) fn known(
        &self,
        definition: &Definition,
        state: Option<&State>,
    ) -> Result<(Knowledge, Findings), EngineError> {
        let mut known = self.knowledge()?;
        let mut found = Vec::new();
        let held = state.map(|state| state.debates.as_slice()).unwrap_or_default();
        let guarded = guarded(&known);
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
            let Some(Ok(_)) = self.open_if_there(&debate)? else { continue };
            match self.recorded(definition, &debate)?.filter(|recorded| recorded.says(one)) {
                Some(recorded) => found.extend(recorded.keep_to_stakes(one, &debate, &guarded)),
                None => {
                    let text = format!("the debate {debate} did not decide {}: it counts as a person's own", one.id);
                    found.push(Otherwise::note(one, text));
                    one.debate = None;
                }
            }
        }
        for one in &mut known.decisions {
            let takes_another = one.supersedes.iter().any(|id| guarded.contains(id));
            if takes_another && one.source.is_some() && !self.took_place_here(definition, one, held)? {
                found.push(Otherwise::note(one, not_shown(one)));
                (one.debate, one.source) = (None, None);
            }
        }
        let lost = state.map(|state| self.give_back(definition, state, &mut known)).transpose()?.unwrap_or_default();
        let (all, guarded) = (known.decisions.clone(), self::guarded(&known));
        for one in &mut known.decisions {
            let Some((debate, number)) = of_debate(one) else { continue };
            let mut later = all.iter().filter(|later| later.supersedes.contains(&one.id));
            let is_replaced = later.any(|later| later.debate.is_some());
            if let Some(recorded) = self.recorded(definition, &debate)? {
                found.extend(recorded.mend(one, number, &debate, is_replaced, &guarded));
            }
        }
        let taken: Vec<Decision> = known.decisions.iter().filter(|one| of_debate(one).is_some()).cloned().collect();
        let is_under = |one: &Decision, its: &Decision| one.source.is_none() && one.id == its.id;
        for one in &mut known.decisions {
            // Other words under the id of a debate's decision.
            let its = taken.iter().find(|its| is_under(one, its) && !says_the_same(&one.title, &its.title));
            if let Some((its, debate)) = its.and_then(|its| Some((its, its.debate.as_deref()?))) {
                found.push(rewritten(one, debate, &its.title));
                one.title.clone_from(&its.title);
            }
        }
        if !found.is_empty() {
            let text = self.decisions_text()?;
            known.unclear.extend(found.into_iter().map(|one| one.at(&text)));
        }
        known.decisions.extend(lost.decisions.iter().cloned());
        known.inherit_matters();
        Ok((known, lost))
    }

    /// Whether an entry with a source took another decision's place by what its debate's record says, or by what forge wrote down
    /// here. Where nobody keeps that, a debate that the state names and a document are believed.
    fn took_place_here(
        &self,
        definition: &Definition,
        one: &Decision,
        held: &[(String, String)],
    ) -> Result<bool, EngineError> {
        let debate = of_debate(one).map(|(debate, _)| debate);
        if let Some(debate) = &debate
            && self.recorded(definition, debate)?.is_some()
        {
            return Ok(true);
        }
        Ok(match (self.wrote_here(one)?, debate) {
            (Some(is_written), _) => is_written,
            (None, Some(debate)) => held.iter().any(|(_, id)| *id == debate) || self.open_if_there(&debate)?.is_some(),
            (None, None) => true,
        })
    }

    /// The debates on which a phase that is done, a decision or constraint that counts, or a high risk rests here, and that were
    /// not made here.
    pub(super) fn strangers(
        &self,
        definition: &Definition,
        state: &State,
        known: &Knowledge,
    ) -> Result<Vec<(Stranger, DebateFiles)>, EngineError> {
        let done = state.debates.iter().filter(|(_, id)| state.debate.id.as_ref() != Some(id));
        let done = done.map(|(owner, id)| (id.clone(), owner.clone()));
        let of = |source: &Option<String>, mark: &str| Some(source.as_ref()?.rsplit_once(mark)?.0.to_owned());
        let counts = |one: &&Decision| known.stands(one) || !one.supersedes.is_empty();
        let decisions = known.decisions.iter().filter(counts);
        let decisions = decisions.filter_map(|one| Some((one.debate_named()?.to_owned(), one.id.clone())));
        let constraints = known.standing_constraints();
        let constraints = constraints.filter_map(|one| Some((of(&one.source, "#C")?, one.id.clone())));
        let is_high = |risk: &&Risk| risk.active && risk.score() >= Some(definition.debates.risk_threshold);
        let risks = known.risks.iter().filter(is_high);
        let risks = risks.filter_map(|one| Some((of(&one.source, "#R")?, one.id.clone())));
        let mut found: Vec<(Stranger, DebateFiles)> = Vec::new();
        for (debate, what) in done.chain(decisions).chain(constraints).chain(risks) {
            if found.iter().any(|(known, _)| known.debate == debate) || check_id(&debate).is_err() {
                continue;
            }
            if let Some((files, origin)) = self.strangers_words(&debate)? {
                found.push((Stranger { plan_file: files.layout.plan(), debate, what, origin }, files));
            }
        }
        Ok(found)
    }

    /// The entries that say that they take a locked decision's place, and of which nothing here shows it.
    pub(super) fn not_shown(&self, definition: &Definition, state: &State) -> Result<Vec<Decision>, EngineError> {
        let known = self.knowledge()?;
        let guarded = guarded(&known);
        let mut found = Vec::new();
        for one in known.decisions {
            let takes_another = one.supersedes.iter().any(|id| guarded.contains(id));
            let is_claimed = takes_another && one.source.is_some() && extract::taken_from(&one).is_none();
            if is_claimed && !self.took_place_here(definition, &one, &state.debates)? {
                found.push(one);
            }
        }
        Ok(found)
    }

    /// Gives the entries of the workflow's debates that lost their source that back, and finds the decisions that have no entry
    /// any more: only where a handoff or the state file tells that they had one.
    fn give_back(
        &self,
        definition: &Definition,
        state: &State,
        known: &mut Knowledge,
    ) -> Result<Findings, EngineError> {
        let (mut lost, mut named) = (Findings::default(), None);
        let is_open = |id: &String| state.debate.id.as_ref() == Some(id) && !state.debate.gate_passed;
        for (_, debate) in state.debates.iter().filter(|(_, id)| !is_open(id)) {
            let has = |source: &String| known.decisions.iter().any(|one| one.source.as_ref() == Some(source));
            let Some(recorded) = self.recorded(definition, debate)? else { continue };
            // What was not made here gives nothing before it is taken over.
            let is_strangers = self.strangers_words(debate)?.is_some();
            let sources = (1..=recorded.titles.len()).map(|number| format!("{debate}#D{number}"));
            let missing: Vec<(usize, String)> = sources.enumerate().filter(|(_, source)| !has(source)).collect();
            for (at, source) in missing {
                let titles = &recorded.titles[at];
                if named.is_none() {
                    named = Some(self.named(state, known)?.entries.decisions);
                }
                let is_titled = |title: &str| titles.iter().any(|one| says_the_same(one, title));
                let elsewhere = named.iter().flatten().find(|one| is_titled(&one.title));
                let is_it = |one: &Decision| {
                    let is_only = recorded.titles.len() == 1 && one.debate.as_ref() == Some(debate);
                    is_titled(&one.title) || is_only || elsewhere.is_some_and(|known| same_id(&known.id, &one.id))
                };
                match known.decisions.iter_mut().find(|one| one.source.is_none() && is_it(one)) {
                    Some(one) => (one.debate, one.source) = (Some(debate.clone()), Some(source)),
                    None if is_strangers => {}
                    None => lost.decisions.extend(elsewhere.map(|named| Decision {
                        id: named.id.clone(),
                        title: named.title.clone(),
                        source: Some(source),
                        ..recorded.decisions[at].clone()
                    })),
                }
            }
        }
        Ok(lost)
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
            return self.naming_strangers(known);
        }
        self.naming_strangers(self.known(&self.definition()?, None)?.0)
    }

    /// Marks and names the decisions of debates that were not made here, and names those of debates that nothing here shows.
    fn naming_strangers(&self, mut known: Knowledge) -> Result<Knowledge, EngineError> {
        if self.made.is_none() {
            return Ok(known);
        }
        let text = self.decisions_text()?;
        let mut named: Vec<Otherwise> = Vec::new();
        for one in &mut known.decisions {
            let Some(debate) = one.debate_named().filter(|debate| check_id(debate).is_ok()) else { continue };
            if let Some((_, origin)) = self.strangers_words(debate)? {
                let by = one.by.as_ref().map(|by| format!(", and {by} may have decided nothing")).unwrap_or_default();
                let text = format!(
                    "{}, the debate {debate}: {origin}{by}. If you stand by it: forge debate run {debate} --adopt",
                    one.id
                );
                named.push(Otherwise::note(one, text));
                one.claimed = true;
            } else if !self.is_anything_left_of(debate)? && !self.knew_debate(debate)? {
                let text = format!(
                    "{} names the debate {debate}, of which nothing is here: it is claimed and not found",
                    one.id
                );
                named.push(Otherwise::note(one, text));
            }
        }
        known.unclear.extend(named.into_iter().map(|one| one.at(&text)));
        Ok(known)
    }

    /// Whether a debate, or anything in its folder, is here.
    fn is_anything_left_of(&self, debate: &str) -> Result<bool, EngineError> {
        Ok(self.open_if_there(debate)?.is_some() || !self.disk.list(&format!("{DEBATES}/{debate}"))?.is_empty())
    }

    /// Decisions that a handoff locks, whose debate has no record any more, and that are written over under their ids: the handoff
    /// tells what was decided.
    pub(super) fn written_over(
        &self,
        definition: &Definition,
        state: &State,
        known: &mut Knowledge,
        locked: &[LockedDecision],
    ) -> Result<Vec<Unclear>, EngineError> {
        let (mut found, text) = (Vec::new(), self.decisions_text()?);
        for lock in locked {
            let is_over = |one: &&mut Decision| one.id == lock.id && !says_the_same(&one.title, &lock.title);
            let Some(one) = known.decisions.iter_mut().find(is_over) else { continue };
            let Some(debate) = one.debate.clone() else { continue };
            if state.debates.iter().any(|(_, id)| *id == debate) && self.recorded(definition, &debate)?.is_none() {
                found.push(rewritten(one, &debate, &lock.title).at(&text));
                one.title.clone_from(&lock.title);
            }
        }
        Ok(found)
    }

    pub(super) fn decisions_text(&self) -> Result<String, EngineError> {
        let bytes = self.disk.read(Kind::Decision.file())?;
        Ok(bytes.map(|bytes| document::decode(&bytes).text).unwrap_or_default())
    }

    /// What a debate decided; none where it is not there, cannot be read or has decided nothing.
    fn recorded(&self, definition: &Definition, debate: &str) -> Result<Option<Recorded>, EngineError> {
        let Some(Ok(files)) = self.open_if_there(debate)? else { return Ok(None) };
        let survey = Survey::of(&files)?;
        let Some(verdict) = survey.verdict.as_ref().filter(|_| !survey.heard.is_empty()) else { return Ok(None) };
        let (plan, turns) = (&files.plan, &survey.turns);
        let heard = survey.heard.last();
        let date: String = heard.map(|one| one.line.answered_at.chars().take(10).collect()).unwrap_or_default();
        let phase = plan.phase.as_str();
        let debated = extract::Debated { plan, verdict, turns, phase, about: None, date: &date, supersedes: &[] };
        let decisions = extract::from_debate(&debated).decisions;
        if decisions.is_empty() {
            return Ok(None);
        }
        let of_phases = definition.phases.iter().map(|phase| {
            let title = extract::title(&extract::Debated { about: Some(&phase.name), ..debated });
            Decision { title, ..Decision::default() }
        });
        let decisions = as_read(decisions);
        let mut titles: Vec<Vec<String>> = decisions.iter().map(|one| vec![one.title.clone()]).collect();
        if let Some(first) = titles.first_mut() {
            first.extend(as_read(of_phases.collect()).into_iter().map(|one| one.title));
        }
        let at_stake = plan.at_stake.iter().filter_map(|one| match one {
            Matter::Decision(id) => Some(id.clone()),
            _ => None,
        });
        let (chosen, rejected): (Vec<_>, Vec<_>) =
            plan.options.iter().partition(|option| verdict.options().contains(&option.id));
        let labels = |options: Vec<&Choice>| options.into_iter().map(|option| option.label.clone()).collect();
        let (chosen, rejected) = (labels(chosen), labels(rejected));
        Ok(Some(Recorded { decisions, titles, chosen, rejected, at_stake: at_stake.collect() }))
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

    /// Makes of an entry what the debate decided, and tells what it said otherwise. `guarded` are the decisions that only
    /// their own debate can take the place of.
    fn mend(
        &self,
        one: &mut Decision,
        number: usize,
        debate: &str,
        is_replaced: bool,
        guarded: &[String],
    ) -> Vec<Otherwise> {
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
        found.extend(self.arm(one, number, debate));
        found.extend(self.keep_to_stakes(one, debate, guarded));
        found
    }

    /// Takes out of an entry what it says to take the place of and its debate was not about.
    fn keep_to_stakes(&self, one: &mut Decision, debate: &str, guarded: &[String]) -> Option<Otherwise> {
        let is_another = |id: &&String| !self.at_stake.contains(id) && guarded.contains(id);
        let taken: Vec<String> = one.supersedes.iter().filter(is_another).cloned().collect();
        if taken.is_empty() {
            return None;
        }
        let ids = taken.join(", ");
        let text = format!(
            "{} is said to supersede {ids} here, and the debate {debate} was not about that. Take it out. {}",
            one.id,
            to_change(&ids)
        );
        one.supersedes.retain(|id| !taken.contains(id));
        Some(Otherwise { holds: true, ..Otherwise::note(one, text) })
    }

    /// Adds the kill-switch criteria that its record has and the entry has not: they stand.
    fn arm(&self, one: &mut Decision, number: usize, debate: &str) -> Option<Otherwise> {
        let its = self.decisions.get(number.saturating_sub(1))?;
        let is_here = |wanted: &&String| one.kill_switch.iter().any(|said| has_lines_of(said, wanted));
        let missing: Vec<String> = its.kill_switch.iter().filter(|wanted| !is_here(wanted)).cloned().collect();
        let first = missing.first()?.lines().next().unwrap_or_default().to_owned();
        let text = format!(
            "the kill-switch {first:?} of {} is not here as the debate {debate} set it; it stands: write it back, or git checkout -- {}. {}",
            one.id,
            Kind::Decision.file(),
            to_change(&one.id)
        );
        one.kill_switch.extend(missing);
        Some(Otherwise::note(one, text))
    }
}

/// Whether a criterion has every line of another, whatever box, day or command was added.
fn has_lines_of(criterion: &str, wanted: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let bare = |line: &str| boxed(line).map_or(line, |(_, text)| text).to_owned();
        text.lines().map(bare).filter(|line| !line.trim().is_empty()).collect()
    };
    let said = lines(criterion);
    lines(wanted).iter().all(|line| said.iter().any(|one| says_the_same(one, line)))
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

/// The decisions whose place only a debate takes. One without a debate may say of itself that it does not stand.
fn guarded(known: &Knowledge) -> Vec<String> {
    let is_guarded = |one: &&Decision| one.debate.is_some() || (one.locked && one.status == DecisionStatus::Accepted);
    known.decisions.iter().filter(is_guarded).map(|one| one.id.clone()).collect()
}

fn not_shown(one: &Decision) -> String {
    let (id, supersedes) = (&one.id, one.supersedes.join(", "));
    let what = match (of_debate(one), one.source.as_deref()) {
        (Some((debate, _)), _) => format!("the debate {debate} of {id} is not here, or did not decide it"),
        (None, Some(source)) => format!("nothing shows that {id} came of {source} here"),
        (None, None) => format!("nothing shows where {id} comes from"),
    };
    format!(
        "{what}: it counts as a person's own, and supersedes {supersedes} only by a debate. If it is so, say it: forge restore --adopt {STATE_FILE}"
    )
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
