//! Voices that can answer any ask of any protocol, because they read its form.
//!
//! What a voice says depends on its seed and the turn's key alone, never on when it is asked. Every free text carries the
//! turn's mark, so that a test can tell whose words a brief contains.

use crate::world::{IntoDatum, absent, fields};
use forge_debate::anonymity::Speakers;
use forge_debate::datum::{Datum, Fields};
use forge_debate::digest::Digest;
use forge_debate::form::{Draft, Field, Form, Kind, Rail, Shape, Writer};
use forge_debate::plan::Plan;
use forge_debate::record::Ask;
use forge_debate::turn::{AbsenceKind, Contribution, Section, TurnKey};

/// A word that occurs in what this turn says and nowhere else.
pub(crate) fn mark(key: &TurnKey) -> String {
    format!("mark{}", Digest::of(key.slug().as_bytes()).short(16))
}

/// Numbers that follow from a seed and a name.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self(Digest::of_parts([&seed.to_be_bytes() as &[u8], name.as_bytes()]).seed())
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
}

/// How the seats of a world behave.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voices {
    pub(crate) seed: u64,
    /// How many of a hundred turns are absences.
    pub(crate) absent_percent: usize,
    /// How many of a hundred optional things are left out or done badly.
    pub(crate) sloppy_percent: usize,
}

impl Voices {
    pub(crate) fn answer(&self, plan: &Plan, ask: &Ask) -> Contribution {
        let mut dice = Dice::new(self.seed, &ask.key.slug());
        if dice.percent(self.absent_percent) {
            return absent(AbsenceKind::ALL[dice.below(AbsenceKind::ALL.len())]);
        }
        let draft = self.draft(plan, ask, &mut dice);
        let reading = ask.form.read(plan, &ask.key.seat, &draft, Writer::Agent);
        match reading.speech {
            Some(speech) => Contribution::Speech(speech),
            None => panic!("{}: a voice that follows the form is not in form: {:?}", ask.key, reading.defects),
        }
    }

    fn draft(&self, plan: &Plan, ask: &Ask, dice: &mut Dice) -> Draft {
        let mark = mark(&ask.key);
        let chosen = plan.options[dice.below(plan.options.len())].id.to_string();
        let mut sections = Vec::new();
        let mut text =
            format!("{mark} speaks. The text is long enough for every form that asks for a least length of text.\n");
        for rule in &ask.form.sections {
            let optional = rule.need != forge_debate::form::Need::Required;
            if optional && dice.percent(self.sloppy_percent) {
                continue;
            }
            let dissenting: Vec<&str> = ask.form.rails.iter().flat_map(dissenters).collect();
            let body = if rule.title == "Dissents" && !dissenting.is_empty() {
                format!("{mark} keeps what {} said.", dissenting.join(", "))
            } else if optional && dice.percent(self.sloppy_percent / 2) {
                ["TBD", "[...]", "{{ later }}", ""][dice.below(4)].to_owned()
            } else {
                body(rule.shape, &mark, &chosen)
            };
            let line = text.lines().count() + 1;
            text.push_str(&format!("## {}\n{body}\n", rule.title));
            sections.push(Section { title: rule.title.to_owned(), body, line, body_line: line + 1 });
        }
        let ballot = self.ballot(plan, ask, dice, &mark, &chosen);
        Draft { text, sections, ballot: Some(ballot), ..Draft::default() }
    }

    fn ballot(&self, plan: &Plan, ask: &Ask, dice: &mut Dice, mark: &str, chosen: &str) -> Fields {
        let mut ballot = Fields::new();
        for field in &ask.form.fields {
            let optional = field.need != forge_debate::form::Need::Required;
            if optional && dice.percent(self.sloppy_percent) {
                continue;
            }
            ballot.set(field.name, self.value(field, plan, ask, dice, mark, chosen));
        }
        ballot
    }

    fn value(&self, field: &Field, plan: &Plan, ask: &Ask, dice: &mut Dice, mark: &str, chosen: &str) -> Datum {
        match (field.name, field.kind) {
            ("convinced_by", _) => self.citations(plan, ask, dice),
            // Most agents that answer a probe are ready.
            ("ready", Kind::Flag) => Datum::Flag(!dice.percent(self.sloppy_percent / 3)),
            ("quotes", _) => quoted(plan, dice, mark),
            ("challenges", _) => {
                addressed(&ask.form, |to| fields! { "to": to, "text": format!("{mark} doubts that very much") })
            }
            ("answers", _) => {
                let word = ["ACCEPT", "PARTIAL", "REJECT"][dice.below(3)];
                addressed(
                    &ask.form,
                    |to| fields! { "to": to, "answer": word, "reason": format!("{mark} has its reasons here") },
                )
            }
            (_, Kind::Option) => chosen.into_datum(),
            (_, Kind::Options) => vec![chosen].into_datum(),
            (_, Kind::Word(all)) => all[dice.below(all.len())].into_datum(),
            (_, Kind::Flag) => Datum::Flag(dice.percent(50)),
            (_, Kind::Text(_)) => format!("{mark} says so because of latency and cost").into_datum(),
            (_, Kind::Texts(least)) => vec![format!("{mark} lists a point"); least.max(1)].into_datum(),
            (_, Kind::Records(least, inner)) => (0..least.max(2))
                .map(|i| {
                    let mut entry = Fields::new();
                    for part in inner {
                        let value = match part.name {
                            "id" => format!("a{}", i + 1).into_datum(),
                            _ => self.value(part, plan, ask, dice, &format!("{mark} point {i}"), chosen),
                        };
                        entry.set(part.name, value);
                    }
                    entry
                })
                .collect::<Vec<Fields>>()
                .into_datum(),
        }
    }

    /// Sometimes an argument of a peer, sometimes one that nobody made, sometimes nothing.
    fn citations(&self, plan: &Plan, ask: &Ask, dice: &mut Dice) -> Datum {
        let speakers = Speakers::of(plan, &ask.key.seat);
        let peer = speakers.order()[dice.below(speakers.order().len())];
        match dice.below(4) {
            0 => Datum::List(Vec::new()),
            1 => ["S99.a1", "nobody.a1", "a1", "S1.a77"][dice.below(4)].into_datum(),
            _ => vec![format!("{}.a{}", speakers.prefix(peer), 1 + dice.below(2))].into_datum(),
        }
    }
}

/// Mostly words that stand in the first of the supplied texts, sometimes words that stand nowhere.
fn quoted(plan: &Plan, dice: &mut Dice, mark: &str) -> Datum {
    let Some(material) = plan.materials.first() else { return Datum::List(Vec::new()) };
    let text = if dice.percent(60) { material.text.clone() } else { format!("{mark} made this up") };
    vec![fields! { "source": material.name.as_str(), "text": text }].into_datum()
}

fn dissenters(rail: &Rail) -> Vec<&str> {
    match rail {
        Rail::KeepsDissents { seats } => seats.iter().map(|seat| seat.as_str()).collect(),
        _ => Vec::new(),
    }
}

/// An entry for everyone whom the form's rails name.
fn addressed(form: &Form, entry: impl Fn(&str) -> Fields) -> Datum {
    form.rails
        .iter()
        .flat_map(|rail| match rail {
            Rail::OwesChallenge { peers } => peers.as_slice(),
            Rail::AnswersAll { objections } => objections.as_slice(),
            _ => &[],
        })
        .map(|name| entry(name))
        .collect::<Vec<Fields>>()
        .into_datum()
}

fn body(shape: Shape, mark: &str, chosen: &str) -> String {
    match shape {
        Shape::Text | Shape::TextOrNone | Shape::Line => format!("{mark} writes about this in a plain paragraph."),
        Shape::Sentences(_) => format!("{mark} argues in one sentence."),
        Shape::Items(least) => (0..least.max(1)).map(|i| format!("- {mark} item {i}\n")).collect(),
        Shape::Questions(least) => (0..least).map(|i| format!("- {mark}, what about {i}?\n")).collect(),
        Shape::Table(columns) => {
            let row = vec![mark; columns.len()].join(" | ");
            format!("| {} |\n|{}\n| {row} |", columns.join(" | "), "---|".repeat(columns.len()))
        }
        Shape::Mentions(parts) => parts.iter().map(|part| format!("{part}: {mark}.\n")).collect(),
        Shape::Read(rule) => match rule.name {
            "threshold" => format!("- {mark} error rate: over 2% for a day"),
            "go-word" => format!("**Status:** GO\n\n{mark} can be run."),
            _ => format!("**Chosen Option:** {chosen}\n\n{mark} gives the rationale."),
        },
    }
}
