//! A person's decision on what the seats left open.

use crate::made::not_kept;
use crate::report;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Created;
use forge_artifacts::formats::turn::{TurnBody, TurnHeader};
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::store::{DebateFiles, Found, writer};
use forge_debate::ballot::Ballot;
use forge_debate::control::CONTROL;
use forge_debate::datum::Datum;
use forge_debate::plan::{Hand, OptionId, nearest};
use forge_debate::protocols::{self, DecisionBallot};
use forge_debate::record::Record;
use forge_debate::verdict::{Outcome, Verdict};
use forge_prose::secrets::{has_key, redacted};

/// A decision that is on record.
#[derive(Debug)]
pub struct Decided {
    /// The account with the decision laid over it.
    pub account: Account,
    /// The decision's file.
    pub file: String,
    /// What else a reader must know.
    pub notes: Vec<String>,
}

/// What is said where somebody hands in what looks like a key.
pub(crate) const KEY_REMOVED: &str =
    "what looks like a key was removed before anything was written; renew it where it has been seen";

/// What a person's decision may be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// What the seats left open.
    OpenQuestions,
    /// What they came to as well.
    Verdicts,
}

impl Workspace {
    /// Records a person's decision on a contested or tradeoff debate.
    pub fn decide(&self, name: &str, option: &str, because: &str, by: &str) -> Result<Decided, EngineError> {
        self.decide_over(Over::OpenQuestions, name, option, because, by)
    }

    /// The same, also against what the seats came to.
    pub fn overrule(&self, name: &str, option: &str, because: &str, by: &str) -> Result<Decided, EngineError> {
        self.decide_over(Over::Verdicts, name, option, because, by)
    }

    fn decide_over(
        &self,
        over: Over,
        name: &str,
        option: &str,
        because: &str,
        by: &str,
    ) -> Result<Decided, EngineError> {
        let mut notes = if has_key(because) || has_key(by) { vec![KEY_REMOVED.to_owned()] } else { Vec::new() };
        let (because, by) = (&redacted(because), &redacted(by));
        let files = self.open(name)?;
        // What is complete is taken in first: a decision follows a record.
        if Survey::of(&files)?.is_complete() {
            self.close_waves(self.open(&files.layout.plan())?)?;
        }
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        report::refuse_another_record(&files, &survey)?;
        let Some(verdict) = &reached(&files, &survey) else {
            return Err(EngineError::Usage(format!("{name} has no verdict yet; run `forge debate run {name}` first")));
        };
        if let Some(decision) = &verdict.decision {
            // The same command again, after a run that ended before it was done: it is done now.
            let meant = files.plan.option_meant(option).map(|option| &option.id);
            if meant == Some(&decision.option) && decision.because == because.trim() && decision.by == by.trim() {
                notes.extend(not_kept(self.keep_decision(&files)));
                let account = report::publish(&files, &survey)?;
                return Ok(Decided { account, file: files.turn_path(&protocols::decision_ask().key), notes });
            }
            let was = files.plan.option_name(&decision.option);
            return Err(EngineError::Usage(format!("{name} is decided already: {was}, by {}", decision.by)));
        }
        let is_overruled = over == Over::Verdicts && verdict.outcome().is_settled();
        if !verdict.outcome().needs_a_person() && !is_overruled {
            return Err(EngineError::Usage(match verdict.outcome() {
                Outcome::Blocked => {
                    format!("{name} is blocked, not contested: mend what blocks; `forge gate {name}` says what that is")
                }
                Outcome::Insufficient => format!(
                    "{name} has no verdict to decide on: too few seats spoke; `forge debate run {name} --retry-absent` asks them again"
                ),
                outcome => {
                    let stands: Vec<String> = verdict.options().iter().map(|id| files.plan.option_name(id)).collect();
                    let stands = if stands.is_empty() { String::new() } else { format!(" ({})", stands.join(" + ")) };
                    format!(
                        "{name} is {} already{stands}; there is nothing left to decide. To decide against it, and to have that on record: --overrule",
                        outcome.word()
                    )
                }
            }));
        }
        let option = self.option_for(&files, option)?;
        if is_overruled && verdict.options() == [option.clone()] {
            let stands = files.plan.option_name(&option);
            return Err(EngineError::Usage(format!("{name} ended on {stands}; there is nothing to overrule")));
        }
        if because.trim().is_empty() {
            return Err(EngineError::Usage("--because is empty; say why, for those who read it later".to_owned()));
        }
        if by.trim().is_empty() {
            return Err(EngineError::Usage("who decides? pass --by NAME".to_owned()));
        }
        self.record_decision(&files, &survey, &option, because.trim(), by.trim(), is_overruled)?;
        notes.extend(not_kept(self.keep_decision(&files)));
        let survey = Survey::of(&files)?;
        let account = report::publish(&files, &survey)?;
        Ok(Decided { account, file: files.turn_path(&protocols::decision_ask().key), notes })
    }

    pub(crate) fn option_for(&self, files: &DebateFiles, said: &str) -> Result<OptionId, EngineError> {
        let by_label = forge_debate::plan::option_labelled(&files.plan.options, said);
        let meant = files.plan.option_meant(said);
        if let (Some(by_label), Some(meant)) = (by_label, meant)
            && by_label.id != meant.id
        {
            return Err(EngineError::Usage(format!(
                "{said:?} could be {meant} or {by_label}; say the whole label or the id"
            )));
        }
        meant.map(|option| option.id.clone()).ok_or_else(|| {
            let known: Vec<String> = files.plan.options.iter().map(ToString::to_string).collect();
            let names: Vec<&str> = files.plan.options.iter().flat_map(|o| [o.id.as_str(), o.label.as_str()]).collect();
            let hint = nearest(said, names).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
            EngineError::Usage(format!(
                "{said:?} is not an option of {}; the options are {}{hint}",
                files.plan.id,
                known.join(", ")
            ))
        })
    }

    fn record_decision(
        &self,
        files: &DebateFiles,
        survey: &Survey,
        option: &OptionId,
        because: &str,
        by: &str,
        is_overruled: bool,
    ) -> Result<(), EngineError> {
        let now = (self.clock)().to_string();
        let ask = protocols::decision_ask();
        let person = Hand::Human.to_string();
        let previous = survey.chain_of_all(files);
        let header =
            TurnHeader::uncalled(&files.plan.id, protocols::PERSON, &person, &now, files.plan_digest, previous);
        let ballot = DecisionBallot {
            option: option.clone(),
            by: by.to_owned(),
            because: because.to_owned(),
            overrules: is_overruled.then_some(true),
        };
        // On one line: a label with a fence in it would swallow the ballot.
        let name = files.plan.option_name(option).split_whitespace().collect::<Vec<_>>().join(" ");
        let body = format!("{by} decided for {name}.\n\n```json\n{}\n```", Datum::Record(ballot.to_fields()));
        if let Found::Damaged { path, .. } | Found::NotYet { path, .. } = files.find(&ask)? {
            files.set_aside(&ask.key, &path)?;
        }
        let reading = files.hold_against_form(&ask, body.as_bytes(), writer(&header.agent));
        if reading.speech.is_none() {
            return Err(EngineError::Usage(format!(
                "this decision cannot be recorded: {}",
                reading.lines().join("; ")
            )));
        }
        // Dying in between must not leave a verdict that does not follow: none is better, and the next run writes it.
        report::retract(files)?;
        match files.put_turn(&ask.key, &header, &TurnBody::Speech(body))? {
            Created::New => Ok(files.settle()?),
            Created::AlreadyThere => Err(EngineError::Usage(format!(
                "{} is in the way; a decision is written once",
                files.turn_path(&ask.key)
            ))),
        }
    }
}

/// What the seats came to, and a person's decision on it. A person need not wait for the seat that answers alone.
fn reached(files: &DebateFiles, survey: &Survey) -> Option<Verdict> {
    let of_the_seats = || {
        let only_control = !survey.open.is_empty() && survey.open.iter().all(|open| open.ask.key.stage == CONTROL);
        let mut record = Record::new(&survey.turns);
        only_control.then(|| forge_debate::before_control(files.protocol, &files.plan, &mut record).ok()).flatten()
    };
    survey.verdict.clone().or_else(of_the_seats)
}
