//! What people put on record: a decision on what the seats left open, and turns handed in.

use crate::report;
use crate::seat::no_such_seat;
use crate::survey::{OpenAsk, Survey};
use crate::vote::BlindVotes;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Created;
use forge_artifacts::document;
use forge_artifacts::formats::turn::{self, TurnBody, TurnHeader};
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::store::{DebateFiles, Found, marked_as_is, without_keys, writer};
use forge_debate::control::CONTROL;
use forge_debate::datum::{Datum, Fields};
use forge_debate::form::{Reading, Writer};
use forge_debate::plan::{Hand, OptionId, SeatId, nearest};
use forge_debate::protocols;
use forge_debate::record::Record;
use forge_debate::secrets::{has_key, redacted};
use forge_debate::verdict::{Outcome, Verdict};

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

/// A turn that was handed in.
#[derive(Debug)]
pub struct Submitted {
    /// The file that now holds it.
    pub file: String,
    /// Which turn it is, in words.
    pub turn: String,
    /// Where it falls short of its form, and was taken as it is.
    pub shortcomings: Vec<String>,
    /// What else a reader must know: also what was taken in with it, where its wave was complete.
    pub notes: Vec<String>,
}

/// What a person's decision may be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// What the seats left open.
    OpenQuestions,
    /// What they came to as well.
    Verdicts,
}

/// What a turn that is handed in must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// In form, as an agent's reply would have to be.
    InForm,
    /// Whatever can be a turn; what is missing is told.
    AsIs,
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
        let notes = if has_key(because) || has_key(by) { vec![KEY_REMOVED.to_owned()] } else { Vec::new() };
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
                let account = report::publish(&files, &survey)?;
                return Ok(Decided { account, file: files.turn_path(&protocols::decision_ask().key), notes });
            }
            let was = files.plan.option_name(&decision.option);
            return Err(EngineError::Usage(format!("{name} is decided already: {was}, by {}", decision.by)));
        }
        let is_overruled = over == Over::Verdicts && verdict.outcome.is_settled();
        if !verdict.outcome.needs_a_person() && !is_overruled {
            return Err(EngineError::Usage(match verdict.outcome {
                Outcome::Blocked => {
                    format!("{name} is blocked, not contested: mend what blocks; `forge gate {name}` says what that is")
                }
                Outcome::Insufficient => format!(
                    "{name} has no verdict to decide on: too few seats spoke; `forge debate run {name} --retry-absent` asks them again"
                ),
                outcome => {
                    let stands: Vec<String> = verdict.options.iter().map(|id| files.plan.option_name(id)).collect();
                    let stands = if stands.is_empty() { String::new() } else { format!(" ({})", stands.join(" + ")) };
                    format!(
                        "{name} is {} already{stands}; there is nothing left to decide. To decide against it, and to have that on record: --overrule",
                        outcome.word()
                    )
                }
            }));
        }
        let option = self.option_for(&files, option)?;
        if is_overruled && verdict.options == [option.clone()] {
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
        self.keep_spoken(&files, &protocols::decision_ask().key);
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
        let mut ballot: Fields = [("option", option.as_str()), ("by", by), ("because", because)]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Datum::from(value)))
            .collect();
        if is_overruled {
            ballot.put("overrules", Datum::Flag(true));
        }
        // On one line: a label with a fence in it would swallow the ballot.
        let name = files.plan.option_name(option).split_whitespace().collect::<Vec<_>>().join(" ");
        let body = format!("{by} decided for {name}.\n\n```json\n{}\n```", Datum::Record(ballot));
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
            Created::New => Ok(()),
            Created::AlreadyThere => Err(EngineError::Usage(format!(
                "{} is in the way; a decision is written once",
                files.turn_path(&ask.key)
            ))),
        }
    }

    /// Checks a turn that somebody hands in and puts it at its place, whole or not at all. Until its wave is closed it may be
    /// handed in again. Where the wave is complete with it, all of it is taken in.
    pub fn submit(
        &self,
        name: &str,
        seat: &str,
        bytes: &[u8],
        strictness: Strictness,
    ) -> Result<Submitted, EngineError> {
        let files = self.open(name)?;
        let survey = Survey::of(&files)?;
        if survey.is_complete() && !survey.open.iter().any(|open| open.ask.key.seat.as_str() == seat) {
            self.close_waves(self.open(&files.layout.plan())?)?;
        }
        let mut submitted = self.hand_in_turn(&files.layout.plan(), seat, bytes, strictness)?;
        let files = self.open(&files.layout.plan())?;
        submitted.notes.extend(self.close_waves_after(files)?);
        Ok(submitted)
    }

    fn hand_in_turn(
        &self,
        plan_file: &str,
        seat: &str,
        bytes: &[u8],
        strictness: Strictness,
    ) -> Result<Submitted, EngineError> {
        let clean = without_keys(bytes);
        let bytes = clean.as_deref().unwrap_or(bytes);
        let files = self.open(plan_file)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        let wanted = SeatId::from(seat);
        if files.plan.seat(&wanted).is_none() {
            return Err(no_such_seat(&files.plan.id, seat, files.plan.seats.iter().map(|seat| seat.id.as_str())));
        }
        let Some(open) = survey.open.iter().find(|open| open.ask.key.seat == wanted) else {
            // The same command again, after a run that ended before it was done: it is done now.
            let spoken = survey.heard.iter().rev().find(|one| one.turn.key.seat == wanted && one.header.attempts == 0);
            if let Some(key) = spoken.map(|one| &one.turn.key)
                && files.text_taken_in(key)?.is_some_and(|text| text == document::decode(bytes).text)
            {
                let notes = vec!["it is on record already".to_owned()];
                return Ok(Submitted {
                    file: files.turn_path(key),
                    turn: key.to_string(),
                    shortcomings: Vec::new(),
                    notes,
                });
            }
            let next: Vec<String> = survey.open.iter().map(|open| open.ask.key.to_string()).collect();
            return Err(EngineError::Usage(match (&survey.verdict, next.is_empty()) {
                (Some(verdict), _) => {
                    format!("{} is over ({}); nobody is asked any more", files.plan.id, verdict.outcome.word())
                }
                (None, false) => format!("{seat} is not asked now; open: {}", next.join(", ")),
                (None, true) => format!("{} has no options yet; nobody is asked", files.plan.id),
            }));
        };
        let (bytes, shortcomings) = self.fitted(&files, open, bytes, strictness)?;
        let votes = BlindVotes::of(&files, &survey)?;
        if let Some(since) = votes.sealed_since(&open.ask.key) {
            return Err(EngineError::Usage(format!(
                "{seat} has voted: sealed since {since}; reveal it with `forge debate vote {} --reveal`",
                files.plan.id
            )));
        }
        let mut notes: Vec<String> = votes.note_on_unsealed(&files, &survey, &open.ask.key).into_iter().collect();
        notes.extend(clean.is_some().then(|| KEY_REMOVED.to_owned()));
        let file = self.put_in_place(&files, open, &bytes)?;
        self.keep_spoken(&files, &open.ask.key);
        Ok(Submitted { file, turn: open.ask.key.to_string(), shortcomings, notes })
    }

    /// The words of a turn as they are handed in, and where they fall short. What misses the form is refused, with all that
    /// it misses; as it is it is taken with a mark, unless it can be no turn at all.
    fn fitted(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        bytes: &[u8],
        strictness: Strictness,
    ) -> Result<(Vec<u8>, Vec<String>), EngineError> {
        let read = |bytes: &[u8]| files.hold_against_form(&open.ask, bytes, Writer::Outside);
        let reading = read(bytes);
        if reading.is_whole() {
            return Ok((bytes.to_vec(), self.checked(files, open, bytes)?));
        }
        let marked = match reading.speech {
            Some(_) => bytes.to_vec(),
            None => marked_as_is(&document::decode(bytes).text).into_bytes(),
        };
        let is_turn = read(&marked).speech.is_some();
        if strictness == Strictness::AsIs || !is_turn {
            let shortcomings = self.checked(files, open, if is_turn { &marked } else { bytes })?;
            return Ok((marked, shortcomings));
        }
        Err(not_yet(files, open, &reading, "Mend it, or hand it in as it is: --as-is"))
    }

    /// Holds words against the form of what is asked, and tells where they fall short of it without leaving it.
    pub(crate) fn checked(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        bytes: &[u8],
    ) -> Result<Vec<String>, EngineError> {
        let seat = &open.ask.key.seat;
        // Words from outside must not say of themselves that forge took them down.
        if !matches!(turn::read(&document::decode(bytes).text), turn::Read::Plain) {
            return Err(EngineError::Usage(format!(
                "this has the header of a turn that forge wrote; hand in {seat}'s own words, without it"
            )));
        }
        let reading = files.hold_against_form(&open.ask, bytes, Writer::Outside);
        match reading.speech {
            Some(_) => Ok(reading.lines()),
            None => {
                let id = &files.plan.id;
                let brief = format!(
                    "The brief says what is wanted: `forge debate run {id}` writes it for seats that are moved outside"
                );
                Err(not_yet(files, open, &reading, &brief))
            }
        }
    }

    /// Leaves words at the place of the turn that they answer, whole or not at all, and tells where that is.
    pub(crate) fn put_in_place(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        bytes: &[u8],
    ) -> Result<String, EngineError> {
        let path = files.turn_path(&open.ask.key);
        if let Found::HandedIn { bytes: there } = &open.found
            && there.as_slice() == bytes
        {
            return Ok(path);
        }
        // Until its wave is closed a turn may be handed in again; nothing that somebody wrote is lost.
        if let Found::NotYet { .. } | Found::Damaged { .. } | Found::HandedIn { .. } = open.found {
            files.set_aside(&open.ask.key, &path)?;
        }
        files.seal()?;
        match files.hand_in(&open.ask.key, bytes)? {
            Created::New => Ok(path),
            Created::AlreadyThere => Err(EngineError::Usage(format!("{path} was written by somebody else meanwhile"))),
        }
    }
}

/// What keeps words from being a turn, and what is only noted, each line with its mark.
pub fn marked<'l>(required: &'l [String], noted: &'l [String]) -> impl Iterator<Item = String> + 'l {
    let required = required.iter().map(|line| format!("required: {line}"));
    required.chain(noted.iter().map(|line| format!("noted: {line}")))
}

/// What is said of words that are no turn yet: everything that they miss.
fn not_yet(files: &DebateFiles, open: &OpenAsk, reading: &Reading, then: &str) -> EngineError {
    let file = files.turn_path(&open.ask.key);
    let (required, noted) = (reading.required(), reading.noted());
    let lines: Vec<String> = marked(&required, &noted).collect();
    EngineError::Usage(format!(
        "this is not a turn of {} yet ({file}):\n  - {}\n{then}",
        open.ask.key,
        lines.join("\n  - "),
    ))
}

/// What the seats came to, and a person's decision on it. A person need not wait for the seat that answers alone.
fn reached(files: &DebateFiles, survey: &Survey) -> Option<Verdict> {
    let of_the_seats = || {
        let only_control = !survey.open.is_empty() && survey.open.iter().all(|open| open.ask.key.stage == CONTROL);
        let mut record = Record::new(&survey.turns);
        only_control.then(|| protocols::before_control(files.protocol, &files.plan, &mut record).ok()).flatten()
    };
    survey.verdict.clone().or_else(of_the_seats)
}
