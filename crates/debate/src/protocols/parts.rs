//! Parts that several protocols' forms and verdicts are made of.

use super::notes;
use crate::fact;
use crate::model::defect::Defect;
use crate::model::form::{Form, Rail, ShapeRule};
use crate::model::plan::{Duty, OptionId, Plan, Seat, SeatId};
use crate::model::ruling::{Abstention, Debt, MissedTurn, Ruling};
use crate::model::turn::{Speech, Turn, TurnKey};
use crate::model::votes::{Approvals, Quotes, QuotesDemanded};
use crate::model::voting::Vote;
use crate::rules::anonymity::Speakers;
use crate::rules::grounding;
use crate::rules::option_names::OptionNames;
use crate::rules::record::{Reads, Record};

/// The form with what is asked for beside a vote: what else the seat could live with, where there is something else than
/// its own option and one other, and quotes where there is something to quote.
pub(crate) fn beside_vote(form: Form, plan: &Plan, seat: &SeatId, counting: &Eligibility) -> Form {
    let form = if plan.options.len() > 2 { form.and::<Approvals>() } else { form };
    counting.quotes(form, plan, seat)
}

/// Why a seat that quotes nothing does not count where a grounded verdict is demanded.
pub(crate) const UNGROUNDED: &str = "quotes nothing of the supplied material that is there";

/// Whose words count so far.
pub(crate) enum Eligibility {
    All,
    /// Those of seats that quoted something that is there: a grounded verdict is demanded.
    Grounded(Vec<SeatId>),
}

impl Eligibility {
    /// Whose words count after these turns.
    pub(crate) fn after(plan: &Plan, said: &[&Turn]) -> Self {
        match plan.demands.grounded {
            false => Eligibility::All,
            true if said.is_empty() => Eligibility::Grounded(Vec::new()),
            true => Eligibility::Grounded(grounding::grounded_seats(plan, said)),
        }
    }

    /// Whether this seat's do.
    pub(crate) fn has(&self, seat: &SeatId) -> bool {
        match self {
            Eligibility::All => true,
            Eligibility::Grounded(seats) => seats.contains(seat),
        }
    }

    /// The votes that count, and the seats whose votes do not.
    pub(crate) fn split(&self, votes: Vec<Vote>) -> (Vec<Vote>, Vec<Abstention>) {
        let (counted, left_out): (Vec<Vote>, Vec<Vote>) = votes.into_iter().partition(|vote| self.has(&vote.seat));
        (counted, left_out.into_iter().map(|vote| abstention(&vote.seat, Some(vote.cast))).collect())
    }

    /// The form with quotes, where there is something to quote.
    pub(crate) fn quotes(&self, form: Form, plan: &Plan, seat: &SeatId) -> Form {
        match (plan.materials.is_empty(), self.has(seat)) {
            (true, _) => form,
            (false, true) => form.and::<Quotes>(),
            (false, false) => form.and::<QuotesDemanded>(),
        }
    }
}

/// The abstention of a seat that quotes nothing.
pub(crate) fn abstention(seat: &SeatId, option: Option<OptionId>) -> Abstention {
    Abstention { seat: seat.clone(), option, why: fact!("ungrounded", "{UNGROUNDED}") }
}

/// Other seats' turns, under the names that the plan gives peers, and the reader's own.
pub(crate) fn seeing(reader: &SeatId, turns: &[&Turn]) -> Reads {
    let spoken = || turns.iter().filter(|turn| turn.speech().is_some()).map(|turn| turn.key.clone());
    Reads::Peers {
        others: spoken().filter(|key| key.seat != *reader).collect(),
        own: spoken().filter(|key| key.seat == *reader).collect(),
    }
}

/// The shape of a section that names one of the options.
pub(crate) const NAMES_OPTION: ShapeRule = ShapeRule {
    name: "names-option",
    hint: "name the option",
    files_need: false,
    problem: |section, plan| {
        let named = OptionNames::of(&plan.options).named(&section.body);
        named.is_empty().then(|| "none of the options is named".to_owned())
    },
};

/// The rail against rubber stamps, for a seat that may have read what the others said.
pub fn no_stamp(seat: &SeatId, turns: &[&Turn]) -> Rail {
    let reason = |turn: &&Turn| Some((turn.seat().clone(), turn.speech()?.said().reason.unwrap_or_default()));
    let (own, others): (Vec<_>, Vec<_>) = turns.iter().filter_map(reason).partition(|(who, _)| who == seat);
    // Whoever said it first may say it again.
    let is_own = |text: &String| own.iter().any(|(_, said)| said == text);
    Rail::NoRubberStamp { said: others.into_iter().map(|(_, said)| said).filter(|text| !is_own(text)).collect() }
}

/// The rail that holds a seat to challenging one of those who spoke.
pub(crate) fn owes_challenge(plan: &Plan, reader: &SeatId, turns: &[&Turn]) -> Rail {
    let speakers = Speakers::of(plan, reader);
    let mut peers: Vec<String> = turns
        .iter()
        .filter(|turn| turn.speech().is_some() && turn.seat() != reader)
        .map(|turn| speakers.prefix(turn.seat()))
        .collect();
    peers.sort();
    peers.dedup();
    Rail::OwesChallenge { peers }
}

/// The arguments of others among these turns, by owner and id.
pub(crate) fn citable(reader: &SeatId, turns: &[&Turn]) -> Vec<(SeatId, String)> {
    let others = turns.iter().filter(|turn| turn.seat() != reader);
    let spoken = others.filter_map(|turn| Some((turn.seat(), turn.speech()?)));
    spoken.flat_map(|(seat, speech)| speech.arguments().into_iter().map(|one| (seat.clone(), one.id))).collect()
}

/// The last speech of each seat among these turns.
pub(crate) fn latest<'t>(seats: &[&Seat], turns: &[&'t Turn]) -> Vec<&'t Turn> {
    seats
        .iter()
        .filter_map(|seat| turns.iter().rev().find(|turn| *turn.seat() == seat.id && turn.speech().is_some()).copied())
        .collect()
}

/// Absences among everything heard, and what the seats still owe.
pub fn settle(ruling: &mut Ruling, record: &Record<'_>) {
    for turn in record.heard() {
        if let Some(absence) = turn.absence() {
            ruling.missing.push(MissedTurn {
                key: turn.key.clone(),
                kind: absence.kind,
                detail: absence.detail.clone(),
            });
        }
        let Some(speech) = turn.speech() else { continue };
        for what in speech.shortcomings.iter().map(Defect::owed) {
            match ruling.owed.iter_mut().find(|owed| owed.seat == *turn.seat() && owed.what == what) {
                Some(owed) => owed.turns.push(turn.key.clone()),
                None => {
                    let (seat, turns) = (turn.seat().clone(), vec![turn.key.clone()]);
                    ruling.owed.push(Debt { seat, what, turns });
                }
            }
        }
        speech.kept_votes.iter().for_each(|vote| ruling.note(notes::vote_kept(&turn.key, vote)));
    }
}

/// `turn` keys for these seats.
pub fn key(stage: crate::model::turn::Stage, round: u16, seat: &Seat) -> TurnKey {
    TurnKey::new(stage, round, &seat.id)
}

/// Whom a debater challenges by name.
pub(crate) fn named_challenges(plan: &Plan, seat: &Seat, speech: &Speech) -> Vec<(SeatId, String)> {
    let challenges = speech.said().challenges;
    if seat.duty != Duty::Debater || challenges.is_empty() {
        return Vec::new();
    }
    let speakers = Speakers::of(plan, &seat.id);
    challenges.iter().filter_map(|one| Some((speakers.seat(&one.to)?.clone(), one.text.to_string()))).collect()
}
