//! How a rehearsal behaves: which option a seat takes, when it lets itself be convinced, when it gives in.
//!
//! Every choice is drawn from the plan's seed, so that over many seeds every end that a protocol has comes about. A
//! seat keeps its option between rounds unless a peer's argument moves it. Fields are recognised by name, not by
//! protocol: a new protocol that asks for known things is played without a change here.

use crate::angles::Angle;
use crate::chance::{index, lasting, own, shared, shares, within};
use crate::compose::answers;
use crate::framer;
use crate::spoken::{Spoken, words};
use crate::voice::{Voice, named, one_line};
use forge_debate::brief::{Brief, Peer};
use forge_debate::datum::{Datum, Fields};
use forge_debate::form::{Field, Kind};
use forge_debate::plan::{Choice, OptionId};
use forge_debate::protocols::panel;

/// The most characters of an earlier position that are carried on.
const POSITION_CHARS: usize = 600;

/// How a whole debate goes; every seat draws the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Temper {
    /// Most seats see it alike from the start.
    United,
    /// Seats start apart and listen.
    Open,
    /// Seats start apart and stay there.
    Stubborn,
}

impl Temper {
    fn of(brief: &Brief) -> Self {
        shares(shared(brief, "temper"), &[(38, Temper::United), (38, Temper::Open)], Temper::Stubborn)
    }
}

/// The given values and, for every other field of the form, what this seat chooses.
pub(crate) fn wishes(brief: &Brief, given: &Fields) -> Fields {
    let seat = Seat { brief, voice: Voice::of(brief), temper: Temper::of(brief) };
    let mut ballot = given.clone();
    for field in &brief.form.fields {
        if ballot.get(field.name).is_none()
            && let Some(value) = seat.choose(field, &Spoken::in_ballot(&ballot))
        {
            ballot.put(field.name, value);
        }
    }
    ballot
}

struct Seat<'b> {
    brief: &'b Brief,
    voice: Voice<'b>,
    temper: Temper,
}

impl<'b> Seat<'b> {
    fn choose(&self, field: &Field, spoken: &Spoken) -> Option<Datum> {
        let word = |word: &str| Some(Datum::from(word));
        match (field.name, &field.kind) {
            ("options", Kind::Records(..)) => Some(framer::proposals(&self.brief.question)),
            ("approves", Kind::Options) => Some(self.approves(spoken)),
            (_, Kind::Option) => self.option().map(|option| Datum::from(option.id.as_str())),
            (_, Kind::Options) => self.option().map(|option| Datum::List(vec![Datum::from(option.id.as_str())])),
            ("confidence", _) => word(shares(own(self.brief, "confidence"), &[(20, "HIGH"), (50, "MEDIUM")], "LOW")),
            ("recommendation", _) => word(shares(own(self.brief, "go"), &[(58, "GO"), (22, "CONDITIONAL")], "NO-GO")),
            ("converge", _) => Some(Datum::Flag(self.converges())),
            ("dissent", _) => self.dissent(spoken),
            ("ruling", _) => word(self.ruling()),
            ("accurate", _) => Some(Datum::Flag(!self.finds_itself_misrepresented())),
            ("misrepresented", _) if spoken.accurate != Some(true) => Some(Datum::from(format!(
                "My dissent is shortened past its point, which is this. {}",
                self.voice.question(0)
            ))),
            ("verdict", _) => word(self.verdict()),
            ("objection_strength", _) => word(self.strength(spoken)),
            ("critique", _) => Some(Datum::from(self.critique(spoken))),
            ("examined", _) if words(&spoken.verdict) == "agree" => self.examined(),
            ("alternative", _) if words(&spoken.verdict) == "disagree" => Some(Datum::from(format!(
                "Take {} instead, as far as its first step.",
                named(self.another().or(self.brief.options.first()))
            ))),
            ("answers", _) => Some(Datum::List(self.answers())),
            ("response", _) => word(self.response()),
            ("convinced_by", _) if words(&spoken.response) == "ACCEPT" => self.lead_argument(),
            ("position", _) => Some(Datum::from(self.position(spoken))),
            ("reason", _) => self.reason(spoken).map(Datum::from),
            _ => None,
        }
    }

    /// The option this seat speaks for in this turn.
    fn option(&self) -> Option<&'b Choice> {
        let brief = self.brief;
        if let Some(winner) = by_name(brief, brief.facts.text("winner")) {
            return Some(winner);
        }
        match self.voice.held() {
            Some(held) => self.after_listening(held),
            None if brief.peers.is_empty() => self.leaning(),
            None => self.summed_up(),
        }
    }

    /// What a seat takes before it has heard anyone.
    fn leaning(&self) -> Option<&'b Choice> {
        let options = &self.brief.options;
        let common = index(shared(self.brief, "common"), options.len());
        let place =
            Angle::place(&self.brief.role).unwrap_or_else(|| index(lasting(self.brief, "place"), options.len()));
        let apart = (place + index(shared(self.brief, "turned"), options.len())) % options.len().max(1);
        let joins = self.temper == Temper::United && within(lasting(self.brief, "joins"), 78);
        match self.brief.role.as_str() {
            "contrarian" if apart == common => options.get((apart + 1) % options.len()),
            "contrarian" => options.get(apart),
            _ => options.get(if joins { common } else { apart }),
        }
    }

    /// The option held, unless the strongest of the others wins this seat over.
    fn after_listening(&self, held: &OptionId) -> Option<&'b Choice> {
        let brief = self.brief;
        let stays = brief.options.iter().find(|option| option.id == *held);
        let votes = |id: &OptionId| {
            brief.peers.iter().filter(|peer| peer.option.as_ref() == Some(id)).count() + usize::from(id == held)
        };
        // Every seat sees the same votes and draws the same pull, so those who move meet.
        let strongest = brief
            .options
            .iter()
            .filter(|option| votes(&option.id) > 0)
            .max_by_key(|option| (votes(&option.id), shared(brief, &format!("pull of {}", option.id))));
        let readiness = match (brief.role.as_str(), self.temper) {
            ("contrarian" | "lead", _) => 0,
            ("moonshot", Temper::United | Temper::Open) => 12,
            (_, Temper::United) => 50,
            (_, Temper::Open) => 55,
            (_, Temper::Stubborn) => 6,
        };
        let citable = |option: &&Choice| {
            brief.peers.iter().any(|peer| peer.option.as_ref() == Some(&option.id) && !peer.arguments.is_empty())
        };
        match strongest.filter(|option| option.id != *held).filter(citable) {
            Some(option) if within(own(brief, "convinced"), readiness) => Some(option),
            _ => stays,
        }
    }

    /// What an officer writes who reads everybody: its own earlier document first, else what most of them hold.
    fn summed_up(&self) -> Option<&'b Choice> {
        let brief = self.brief;
        let by_id = |id: &OptionId| brief.options.iter().find(|option| option.id == *id);
        let earlier = brief.peers.iter().rev().find(|peer| peer.prefix == brief.key.seat.as_str());
        if let Some(option) = earlier.and_then(|peer| peer.option.as_ref()).and_then(by_id) {
            return Some(option);
        }
        let votes =
            |option: &&Choice| brief.peers.iter().filter(|peer| peer.option.as_ref() == Some(&option.id)).count();
        // The earliest of the most held ones: `max_by_key` alone would take the latest.
        let most = brief.options.iter().rev().max_by_key(votes)?;
        let yields = brief.facts.flag("no_go") && within(own(brief, "yields"), 35);
        let place = brief.options.iter().position(|option| option.id == most.id).unwrap_or(0);
        brief.options.get((place + usize::from(yields)) % brief.options.len())
    }

    /// An option that the one spoken for is not.
    fn another(&self) -> Option<&'b Choice> {
        let brief = self.brief;
        let spoken_for = brief.peers.iter().rev().find_map(|peer| peer.option.as_ref());
        let others: Vec<&Choice> = brief.options.iter().filter(|option| Some(&option.id) != spoken_for).collect();
        others.get(index(lasting(brief, "another"), others.len())).copied()
    }

    /// In a response: ask for the poll. In the poll: vote for the end of the rounds.
    fn converges(&self) -> bool {
        let polled = self.brief.key.stage == panel::POLL;
        let percent = match (self.brief.key.round, polled) {
            (0 | 1, _) => 8,
            (2, false) => 30,
            (2, true) => 66,
            (3, false) => 55,
            (3, true) => 80,
            _ => 94,
        };
        within(own(self.brief, "converges"), percent)
    }

    /// The contrarian always keeps its dissent on record; others do when they are set on it and stand alone.
    fn dissent(&self, spoken: &Spoken) -> Option<Datum> {
        let option = self.brief.options.iter().find(|option| Some(&option.id) == spoken.option.as_ref());
        let alone = !self.brief.peers.iter().any(|peer| peer.option.as_ref() == option.map(|option| &option.id));
        let insists = alone && self.temper == Temper::Stubborn && self.brief.key.round > 1;
        (self.brief.role == "contrarian" || insists).then(|| {
            Datum::from(format!("I hold {} and want it on record. {}", named(option), self.voice.ground(1, option)))
        })
    }

    /// What a challenger that gives way cites: the first argument of the lead.
    fn lead_argument(&self) -> Option<Datum> {
        let cites = |peer: &Peer| Some(format!("{}.{}", peer.prefix, peer.arguments.first()?.id));
        let citation = self.brief.peers.iter().find_map(cites)?;
        Some(Datum::List(vec![Datum::from(citation)]))
    }

    fn ruling(&self) -> &'static str {
        let halts = match self.brief.key.round {
            0..=2 => 7,
            3 => 15,
            _ => 45,
        };
        let escalates = if self.temper == Temper::Stubborn { 12 } else { 0 };
        shares(own(self.brief, "ruling"), &[(halts, "halt"), (escalates, "escalate")], "continue")
    }

    /// Only who dissents can be misrepresented, and the document names who does.
    fn finds_itself_misrepresented(&self) -> bool {
        let named = format!("**{}**", self.brief.key.seat);
        let dissents = self.brief.peers.iter().any(|peer| peer.text.contains(&named));
        let percent = if self.brief.key.stage == panel::RECHECK { 12 } else { 70 };
        dissents && within(shared(self.brief, "misrepresented"), 15) && within(own(self.brief, "objects"), percent)
    }

    fn verdict(&self) -> &'static str {
        let drawn = lasting(self.brief, "verdict");
        match self.temper {
            Temper::United => shares(drawn, &[(60, "agree")], "partial"),
            Temper::Open => shares(drawn, &[(20, "agree"), (52, "partial")], "disagree"),
            Temper::Stubborn => shares(drawn, &[(15, "agree"), (30, "partial")], "disagree"),
        }
    }

    fn strength(&self, spoken: &Spoken) -> &'static str {
        let drawn = own(self.brief, "strength");
        match (words(&spoken.verdict), self.temper) {
            _ if words(&spoken.response) == "ACCEPT" => "minor",
            ("agree", _) => "minor",
            ("partial", Temper::United) => shares(drawn, &[(80, "minor")], "moderate"),
            ("partial", _) => shares(drawn, &[(30, "minor")], "moderate"),
            _ => shares(drawn, &[(40, "moderate")], "strong"),
        }
    }

    fn critique(&self, spoken: &Spoken) -> String {
        let spoken_for = self.brief.peers.iter().rev().find_map(|peer| peer.option.as_ref());
        let option = self.brief.options.iter().find(|option| Some(&option.id) == spoken_for);
        match words(&spoken.verdict) {
            "agree" => format!("From my side it holds, on a condition of my own. {}", self.voice.ground(0, option)),
            "partial" => format!("It holds in part. {}", self.voice.doubt(0, option)),
            _ => self.voice.doubt(0, option),
        }
    }

    /// What a rehearsal looked for at the lead's first point: the question of its own angle.
    fn examined(&self) -> Option<Datum> {
        let point = self.brief.peers.iter().find_map(|peer| peer.points.first())?;
        let text = format!(
            "{}: looked at {}, and for an answer to this. {}",
            point.label,
            self.voice.angle.concern,
            self.voice.question(0)
        );
        Some(Datum::List(vec![Datum::from(text)]))
    }

    fn answers(&self) -> Vec<Datum> {
        let table: &[(u64, &str)] = match self.temper {
            Temper::Stubborn => &[(10, "ACCEPT"), (35, "PARTIAL")],
            _ => &[(40, "ACCEPT"), (50, "PARTIAL")],
        };
        answers(&self.voice, |to| shares(own(self.brief, &format!("answer to {to}")), table, "REJECT"))
    }

    /// The option voted for, and now and then another that the seat could live with.
    fn approves(&self, spoken: &Spoken) -> Datum {
        let lives_with = |option: &&Choice| {
            Some(&option.id) == spoken.option.as_ref()
                || within(lasting(self.brief, &format!("lives with {}", option.id)), 30)
        };
        let ids = self.brief.options.iter().filter(lives_with).map(|option| Datum::from(option.id.as_str()));
        Datum::List(ids.collect())
    }

    /// Each objector draws once how it ends, and in which round, so that it does not go back and forth.
    fn response(&self) -> &'static str {
        let (round, drawn) = (self.brief.key.round, lasting(self.brief, "ends"));
        let table: &[(u64, &str)] = match self.temper {
            Temper::Stubborn => &[(15, "ACCEPT"), (40, "ESCALATE")],
            _ => &[(94, "ACCEPT")],
        };
        let end = shares(drawn, table, "MAINTAIN");
        let from = match self.temper {
            Temper::Stubborn => 2,
            _ => 1 + u16::try_from(index(lasting(self.brief, "gives in"), 3)).unwrap_or(0),
        };
        if round >= from { end } else { "MAINTAIN" }
    }

    /// The lead's position; it changes in a round in which an objection found its way in, and only then.
    fn position(&self, spoken: &Spoken) -> String {
        let option = self.brief.options.iter().find(|option| Some(&option.id) == spoken.option.as_ref());
        let opening = || format!("Choose {}, in steps that can be undone.", named(option));
        let before = earlier_position(self.brief).unwrap_or_else(opening);
        let takes = |given: &Spoken| {
            given.answers.iter().filter(|one| matches!(one.answer.as_str(), "ACCEPT" | "PARTIAL")).count()
        };
        let taken = match spoken.answers.is_empty() {
            true => {
                takes(&Spoken::in_ballot(&[("answers".to_owned(), Datum::List(self.answers()))].into_iter().collect()))
            }
            false => takes(spoken),
        };
        let round = self.brief.key.round;
        match taken {
            0 => before,
            1 => format!("{}; round {round} adds a condition.", before.trim_end_matches('.')),
            more => format!("{}; round {round} adds {more} conditions.", before.trim_end_matches('.')),
        }
    }

    /// Reasons that go with a word rather than with an option.
    fn reason(&self, spoken: &Spoken) -> Option<String> {
        let open = self.voice.question(0);
        if self.brief.form.fields.iter().any(|field| matches!(field.kind, Kind::Option | Kind::Options)) {
            return None;
        }
        let reason = match (words(&spoken.ruling), words(&spoken.response), words(&spoken.recommendation)) {
            ("continue", ..) => {
                format!("Another round may still bring something new ({}).", self.brief.facts.text("repeated"))
            }
            ("halt", ..) => format!("The rounds repeat themselves: {}.", self.brief.facts.text("repeated")),
            ("escalate", ..) => "The seats start from different premises, and no round will change that.".to_owned(),
            (_, "ACCEPT", _) => {
                "The answer names a condition that can be checked, and that settles it for me.".to_owned()
            }
            (_, "ESCALATE", _) => format!("This cannot be settled between us; a person has to say. {open}"),
            (_, "MAINTAIN", _) => format!("The answer leaves this open. {open}"),
            (.., "NO-GO") => format!("Nobody has an answer to this yet, and nothing should start before. {open}"),
            (.., "CONDITIONAL") => format!("It can start as soon as this has an answer. {open}"),
            _ => match (spoken.converge, spoken.accurate) {
                (Some(true), _) => "Another round would turn over what is already on the table.".to_owned(),
                (Some(_), _) => format!("One question is worth another round. {open}"),
                (_, Some(true)) => "Nothing about my position reads wrong to me.".to_owned(),
                (_, Some(_)) => "What I said is there, and its point is not.".to_owned(),
                _ => return None,
            },
        };
        Some(reason)
    }
}

/// The option that the engine names as `A (Redis)`.
fn by_name<'b>(brief: &'b Brief, name: &str) -> Option<&'b Choice> {
    brief.options.iter().find(|option| option.to_string() == name)
}

/// What this seat's own last turn has under `## Position`, as the brief shows it.
fn earlier_position(brief: &Brief) -> Option<String> {
    let own = brief.own.last()?.text.as_str();
    let under = own.split_once("## Position\n")?.1;
    under.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| one_line(line, POSITION_CHARS))
}
