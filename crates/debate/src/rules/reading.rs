//! Readings: a reply held against its form. What counts is read from the ballot, or from a spelling that the form names.

mod ballot;
mod rail;
mod sections;

pub use rail::is_rubber_stamp;
pub(crate) use sections::is_written;

use crate::fact;
use crate::model::ballot::Ballot;
use crate::model::datum::{Datum, Fields};
use crate::model::defect::{Defect, Need};
use crate::model::form::{BallotBlock, Draft, Form, Handwriting, Rail, SectionRule, Writer};
use crate::model::plan::{Plan, SeatId};
use crate::model::turn::{KeptVote, Section, Speech, title_matches};
use crate::model::votes::BallotView;
use ballot::{accept, from_labels};
use forge_prose::words::same_words;
use rail::check_rail;
use sections::check_section;

/// A reply held against its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The speech, if nothing that must be there is missing.
    pub speech: Option<Speech>,
    /// Everything that is missing or wrong, gravest first.
    pub defects: Vec<Defect>,
    /// As much of the ballot as could be read, whether there is a speech or not.
    pub ballot: Fields,
}

impl Reading {
    /// The same reading with votes that were cast before: a repair does not change a vote.
    pub fn keeping(mut self, votes: &[(String, String)]) -> Self {
        let Some(speech) = &mut self.speech else { return self };
        for (name, vote) in votes {
            let now = speech.ballot.text(name).to_owned();
            if now == *vote {
                continue;
            }
            speech.ballot.set(name, Datum::from(vote.as_str()));
            speech.kept_votes.push(KeptVote { field: name.clone(), kept: vote.clone(), refused: now });
        }
        self
    }

    /// The same reading of a text that begins so many lines further down in its file. Only for one without defects: these
    /// may name lines in words.
    pub fn further_down(mut self, lines: usize) -> Self {
        for section in self.speech.iter_mut().flat_map(|speech| &mut speech.sections) {
            section.line += lines;
            section.body_line += lines;
        }
        self
    }

    /// The defects as lines for a repair ask or an error message.
    pub fn lines(&self) -> Vec<String> {
        self.defects.iter().map(Defect::to_string).collect()
    }

    /// Those without which there is no turn yet.
    pub fn required(&self) -> Vec<String> {
        self.lines_of(|need| need == Need::Required)
    }

    /// Those that keep nothing from being a turn.
    pub fn noted(&self) -> Vec<String> {
        self.lines_of(|need| need != Need::Required)
    }

    fn lines_of(&self, wanted: fn(Need) -> bool) -> Vec<String> {
        self.defects.iter().filter(|defect| wanted(defect.need)).map(Defect::to_string).collect()
    }

    /// Whether nothing is missing that was asked for.
    pub fn is_whole(&self) -> bool {
        self.defects.iter().all(|defect| defect.need == Need::Optional)
    }
}

impl Form {
    /// Holds a draft against the form. `seat` is who wrote it.
    pub fn read(&self, plan: &Plan, seat: &SeatId, draft: &Draft, writer: Writer) -> Reading {
        let spelling = self.spelling.as_ref().filter(|_| writer.is_outside());
        let respelled = spelling.map(|spelling| (spelling.read)(self, spelling, draft, plan, seat));
        let draft = respelled.as_ref().unwrap_or(draft);
        let mut defects: Vec<Defect> = draft
            .problems
            .iter()
            .map(|problem| Defect::new(Need::Required, fact!("broken_bytes", "{problem}")))
            .collect();
        let length = draft.text.trim().chars().count();
        let least = self.min_chars;
        if length < least {
            defects.push(Defect::new(
                Need::Required,
                fact!("too_short", "{length} characters; at least {least} are needed", length, least),
            ));
        }
        if length == 0 && draft.ballot.is_none() {
            defects.push(Defect::new(Need::Required, fact!("empty", "the reply is empty")));
        }
        // What repeats the brief says nothing of its own.
        if draft.text.contains(&plan.nonce()) {
            defects.push(Defect::new(
                Need::Required,
                fact!("repeats_brief", "the reply repeats the brief with its marks; send only your own words"),
            ));
        }
        for rule in &self.sections {
            let also =
                self.handwriting.as_ref().filter(|_| writer.is_outside()).and_then(|one| one.stands_for(rule, draft));
            if also.is_none_or(|section| !is_written(section, plan)) {
                let found = check_section(rule, self.need(rule, writer), plan, draft, writer);
                defects.extend(found.into_iter().map(|defect| Defect { section: Some(rule.title), ..defect }));
            }
        }
        let ballot = self.read_ballot(plan, seat, draft, writer, &mut defects);
        for rail in &self.rails {
            // A file without a ballot block is told what to write by whoever reads it.
            let is_told = matches!(rail, Rail::OwesChallenge { .. } | Rail::ChangeNeedsCause { .. });
            if is_told && self.is_handwritten(writer) && draft.ballot.is_none() {
                continue;
            }
            let mut found = check_rail(rail, plan, seat, &ballot, draft);
            // A stamp is a missing reason, so it weighs as much as one.
            if matches!(rail, Rail::NoRubberStamp { .. }) {
                let need =
                    self.fields.iter().find(|field| field.name == "reason").map_or(Need::Required, |field| field.need);
                // Whoever writes down whose argument was convincing has given a ground.
                let is_documented = self.is_handwritten(writer)
                    && BallotView::of(&ballot).is_some_and(|said| !said.convinced_by.is_empty());
                let need = if is_documented { Need::Optional } else { need };
                found.iter_mut().for_each(|defect| defect.need = need);
            }
            defects.extend(found);
        }
        let is_readable = self.is_heard(&ballot);
        if !is_readable && defects.iter().all(|defect| defect.need != Need::Required) {
            let fact = fact!("ballot_unread", "ballot: something in it that the form requires cannot be read");
            defects.push(Defect::new(Need::Required, fact));
        }
        defects.sort_by_key(|defect| match defect.need {
            Need::Required => 0,
            Need::Due => 1,
            Need::Optional => 2,
        });
        let broken = defects.iter().any(|defect| defect.need == Need::Required);
        let due = defects.iter().filter(|defect| defect.need == Need::Due);
        let speech = (!broken).then(|| Speech {
            text: draft.text.trim().to_owned(),
            sections: draft.sections.clone(),
            ballot: ballot.clone(),
            shortcomings: due.cloned().collect(),
            kept_votes: Vec::new(),
        });
        Reading { speech, defects, ballot }
    }

    fn read_ballot(
        &self,
        plan: &Plan,
        seat: &SeatId,
        draft: &Draft,
        writer: Writer,
        defects: &mut Vec<Defect>,
    ) -> Fields {
        let mut given = draft.ballot.clone().unwrap_or_default();
        let handwriting = self.handwriting.as_ref().filter(|_| writer.is_outside());
        let is_read = |name: &str| handwriting.is_some_and(|one| one.fields.iter().any(|field| field.name == name));
        if let Some(handwriting) = handwriting {
            let (written, missing) = (handwriting.read)(handwriting, plan, seat, draft);
            written.iter().for_each(|(name, value)| given.put(name, value.clone()));
            defects.extend(missing);
        }
        if writer.is_outside() {
            let labels = &self.labels(draft);
            for field in self.fields.iter().filter(|field| !is_read(field.name)) {
                // Where the sections may speak for themselves, they decide; only what stands beside them is taken from labels.
                if self.ballot == BallotBlock::Optional && !matches!(field.name, "confidence" | "reason") {
                    continue;
                }
                // What the ballot says, it says; labels in the prose may be somebody else's.
                if given.get(field.name).is_some() {
                    continue;
                }
                match from_labels(field, labels, plan) {
                    Ok(Some(value)) => given.put(field.name, value),
                    Ok(None) => {}
                    Err(problem) => {
                        defects.push(Defect::new(Need::Required, fact!("label", "{problem}", field = field.name)))
                    }
                }
            }
        }
        if let Some(problem) = &draft.ballot_problem {
            let need =
                if self.ballot == BallotBlock::Required && given.is_empty() { Need::Required } else { Need::Due };
            defects.push(Defect::new(need, fact!("ballot_block", "{problem}")));
            if given.is_empty() {
                return given;
            }
        } else if given.is_empty()
            && self.ballot == BallotBlock::Required
            && !self.fields.is_empty()
            && !writer.is_outside()
        {
            defects.push(Defect::new(
                Need::Required,
                fact!("no_ballot", "there is no ballot: end the reply with one fenced ```json block as the form shows"),
            ));
            return given;
        }
        let mut ballot = Fields::new();
        for field in &self.fields {
            let may_lack = self.files_may_lack.contains(&field.name)
                || (self.ballot == BallotBlock::Optional && draft.ballot.is_none());
            let need = if writer.is_outside() && may_lack {
                Need::Optional
            } else {
                // Without an option or a reason that can be read nothing is said, whoever writes.
                let is_core = matches!(field.name, "option" | "reason");
                if is_core { field.need } else { self.need_of(field.need, writer) }
            };
            match given.get(field.name).filter(|value| **value != Datum::Null) {
                None if need == Need::Optional || is_read(field.name) => {}
                None => {
                    let (name, help) = (field.name, field.help);
                    let fact = match field.also.first().filter(|_| writer.is_outside() && draft.ballot.is_none()) {
                        Some(label) => {
                            fact!("ballot_field", "no {name}: write `**{label}:** ...` ({help})", field = name)
                        }
                        None => fact!("ballot_field", "ballot: {name:?} is missing ({help})", field = name),
                    };
                    let debt = fact!("ballot_field", "ballot: {name:?} is missing", field = name);
                    defects.push(Defect::new(need, fact).owes(debt));
                }
                Some(value) if value.as_text().is_some_and(|text| same_words(text, field.help)) => {
                    let name = field.name;
                    defects.push(Defect::new(
                        need,
                        fact!("repeats_form", "ballot: {name:?} repeats the form", field = name),
                    ));
                }
                Some(value) => match accept(&field.kind, value, plan, field.name) {
                    Ok(value) => ballot.put(field.name, value),
                    Err(problem) => {
                        defects.push(Defect::new(need, fact!("ballot_value", "ballot: {problem}", field = field.name)))
                    }
                },
            }
        }
        ballot
    }

    /// The labelled lines of a draft that count here: of a memo also what stands below a label, and under a heading.
    fn labels(&self, draft: &Draft) -> Vec<(String, String)> {
        if !self.reads_memos {
            return draft.labels.clone();
        }
        let headed = draft.sections.iter().map(|section| (section.title.clone(), section.body.clone()));
        draft.memo.iter().cloned().chain(headed).collect()
    }

    /// How much a section is needed of this writer.
    fn need(&self, rule: &SectionRule, writer: Writer) -> Need {
        let is_needed = writer == Writer::Outside && self.files_need.contains(&rule.title);
        match rule.need {
            _ if is_needed => Need::Required,
            need => self.need_of(need, writer),
        }
    }

    fn is_handwritten(&self, writer: Writer) -> bool {
        writer.is_outside() && self.handwriting.is_some()
    }

    /// How much something is needed of this writer: hand-written files need what their own reader says, and no more.
    fn need_of(&self, need: Need, writer: Writer) -> Need {
        if self.is_handwritten(writer) { Need::Optional } else { need }
    }
}

impl Handwriting {
    /// The section that stands for one of the form, under its own title or another.
    fn stands_for<'d>(&self, rule: &SectionRule, draft: &'d Draft) -> Option<&'d Section> {
        let (_, titles) = self.titles.iter().find(|(title, _)| *title == rule.title)?;
        draft.sections.iter().find(|section| titles.iter().any(|title| title_matches(&section.title, title)))
    }
}
