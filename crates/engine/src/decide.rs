//! What people put on record: a decision on what the seats left open, and turns handed in.

use crate::report;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Created;
use forge_artifacts::document;
use forge_artifacts::formats::turn::{self, TurnBody, TurnHeader};
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::store::{DebateFiles, Found, writer};
use forge_debate::datum::{Datum, Fields};
use forge_debate::plan::{Hand, OptionId, SeatId, nearest};
use forge_debate::protocols;
use forge_debate::verdict::Outcome;

/// A decision that is on record.
#[derive(Debug)]
pub struct Decided {
    /// The account with the decision laid over it.
    pub account: Account,
    /// The decision's file.
    pub file: String,
}

/// A turn that was handed in.
#[derive(Debug)]
pub struct Submitted {
    /// The file that now holds it.
    pub file: String,
    /// Which turn it is, in words.
    pub turn: String,
    /// Where it falls short of its form without leaving it.
    pub shortcomings: Vec<String>,
}

impl Workspace {
    /// Records a person's decision on a contested or tradeoff debate.
    pub fn decide(&self, name: &str, option: &str, because: &str, by: &str) -> Result<Decided, EngineError> {
        let files = self.open(name)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        let Some(verdict) = &survey.verdict else {
            return Err(EngineError::Usage(format!("{name} has no verdict yet; run `forge debate run {name}` first")));
        };
        if let Some(decision) = &verdict.decision {
            // The same command again, after a run that ended before it was done: it is done now.
            let meant = files.plan.option_meant(option).map(|option| &option.id);
            if meant == Some(&decision.option) && decision.because == because.trim() && decision.by == by.trim() {
                let account = report::publish(&files, &survey)?;
                return Ok(Decided { account, file: files.turn_path(&protocols::decision_ask().key) });
            }
            let was = files.plan.option_name(&decision.option);
            return Err(EngineError::Usage(format!("{name} is decided already: {was}, by {}", decision.by)));
        }
        if !verdict.outcome.needs_a_person() {
            return Err(EngineError::Usage(match verdict.outcome {
                Outcome::Blocked => format!(
                    "{name} is blocked, not contested: mend its synthesis; `forge gate {name}` says what is missing"
                ),
                Outcome::Insufficient => format!(
                    "{name} has no verdict to decide on: too few seats spoke; `forge debate run {name} --retry-absent` asks them again"
                ),
                outcome => format!("{name} is {} already; there is nothing left to decide", outcome.word()),
            }));
        }
        let option = self.option_for(&files, option)?;
        if because.trim().is_empty() {
            return Err(EngineError::Usage("--because is empty; say why, for those who read it later".to_owned()));
        }
        if by.trim().is_empty() {
            return Err(EngineError::Usage("who decides? pass --by NAME".to_owned()));
        }
        self.record_decision(&files, &survey, &option, because.trim(), by.trim())?;
        let survey = Survey::of(&files)?;
        let account = report::publish(&files, &survey)?;
        Ok(Decided { account, file: files.turn_path(&protocols::decision_ask().key) })
    }

    fn option_for(&self, files: &DebateFiles, said: &str) -> Result<OptionId, EngineError> {
        let by_label = files.plan.options.iter().find(|option| forge_debate::plan::same_words(&option.label, said));
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
    ) -> Result<(), EngineError> {
        let now = (self.clock)().to_string();
        let ask = protocols::decision_ask();
        let person = Hand::Human.to_string();
        let header =
            TurnHeader::uncalled(&files.plan.id, protocols::PERSON, &person, &now, files.plan_digest, survey.chain);
        let ballot: Fields = [("option", option.as_str()), ("by", by), ("because", because)]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Datum::from(value)))
            .collect();
        let body =
            format!("{by} decided for {}.\n\n```json\n{}\n```", files.plan.option_name(option), Datum::Record(ballot));
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
        match files.put_turn(&ask.key, &header, &TurnBody::Speech(body))? {
            Created::New => Ok(()),
            Created::AlreadyThere => Err(EngineError::Usage(format!(
                "{} is in the way; a decision is written once",
                files.turn_path(&ask.key)
            ))),
        }
    }

    /// Checks a turn that somebody hands in and puts it at its place, whole or not at all.
    pub fn submit(&self, name: &str, seat: &str, bytes: &[u8]) -> Result<Submitted, EngineError> {
        let files = self.open(name)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        let wanted = SeatId::from(seat);
        if files.plan.seat(&wanted).is_none() {
            let names: Vec<&str> = files.plan.seats.iter().map(|seat| seat.id.as_str()).collect();
            let hint = nearest(seat, names.iter().copied())
                .map(|near| format!("; did you mean {near:?}?"))
                .unwrap_or_default();
            return Err(EngineError::Usage(format!(
                "{} has no seat {seat:?}; its seats are {}{hint}",
                files.plan.id,
                names.join(", ")
            )));
        }
        let Some(open) = survey.open.iter().find(|open| open.ask.key.seat == wanted) else {
            let next: Vec<String> = survey.open.iter().map(|open| open.ask.key.to_string()).collect();
            return Err(EngineError::Usage(match (&survey.verdict, next.is_empty()) {
                (Some(verdict), _) => {
                    format!("{} is over ({}); nobody is asked any more", files.plan.id, verdict.outcome.word())
                }
                (None, false) => format!("{seat} is not asked now; open: {}", next.join(", ")),
                (None, true) => format!("{} has no options yet; nobody is asked", files.plan.id),
            }));
        };
        // Words from outside must not say of themselves that forge took them down.
        if !matches!(turn::read(&document::decode(bytes).text), turn::Read::Plain) {
            return Err(EngineError::Usage(format!(
                "this has the header of a turn that forge wrote; hand in {seat}'s own words, without it"
            )));
        }
        let reading = files.hold_against_form(&open.ask, bytes, writer(&Hand::Outside.to_string()));
        let lines = reading.lines();
        let Some(_) = reading.speech else {
            return Err(EngineError::Usage(format!(
                "this is not a turn of {} yet:\n  - {}\nThe brief says what is wanted: `forge debate run {}` writes it for seats that are moved outside",
                open.ask.key,
                lines.join("\n  - "),
                files.plan.id
            )));
        };
        let path = files.turn_path(&open.ask.key);
        if let Found::HandedIn { bytes: there } = &open.found
            && there.as_slice() == bytes
        {
            return Ok(Submitted { file: path, turn: open.ask.key.to_string(), shortcomings: lines });
        }
        if let Found::NotYet { .. } | Found::Damaged { .. } = open.found {
            files.set_aside(&open.ask.key, &path)?;
        }
        files.seal()?;
        match files.hand_in(&open.ask.key, bytes)? {
            Created::New => Ok(Submitted { file: path, turn: open.ask.key.to_string(), shortcomings: lines }),
            Created::AlreadyThere => {
                Err(EngineError::Usage(format!("{path} is there already; a turn is written once")))
            }
        }
    }
}
