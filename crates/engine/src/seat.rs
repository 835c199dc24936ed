//! Seating a debate anew: who moves its seats may change until somebody has spoken.

use crate::create::refuse_keys;
use crate::survey::Survey;
use crate::vote;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::store::{DebateFiles, Found};
use forge_debate::plan::{Families, Hand, Plan, Seat, SeatId, nearest};

/// Who is to move the seats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reseating {
    /// One hand moves all.
    All(Hand),
    /// Each has its own; seats that are not named keep theirs.
    Each(Vec<(SeatId, Hand)>),
}

impl Reseating {
    fn hands(&self) -> Vec<&Hand> {
        match self {
            Reseating::All(hand) => vec![hand],
            Reseating::Each(hands) => hands.iter().map(|(_, hand)| hand).collect(),
        }
    }

    fn apply(&self, plan: &mut Plan) {
        match self {
            Reseating::All(hand) => plan.seat_all(hand),
            Reseating::Each(hands) => {
                for (id, hand) in hands {
                    if let Some(seat) = plan.seats.iter_mut().find(|seat| seat.id == *id) {
                        seat.hand = hand.clone();
                    }
                }
                // Whoever leaves the choice to forge takes one family where there is no other; the verdict says so.
                plan.families = Families::MayBeTheSame;
            }
        }
    }
}

impl Workspace {
    /// Puts one hand into every seat of a debate, under the conditions of [`seat_anew`](Self::seat_anew).
    pub fn reseat(&self, name: &str, hand: &Hand) -> Result<DebateFiles, EngineError> {
        self.seat_anew(name, &Reseating::All(hand.clone()))
    }

    /// Seats a debate anew in which nobody has spoken and nobody was called.
    ///
    /// If the process dies here the plan is as it was or as it is to be; at worst it is no longer sealed, which the next
    /// run makes good.
    pub fn seat_anew(&self, name: &str, reseating: &Reseating) -> Result<DebateFiles, EngineError> {
        let files = self.open(name)?;
        let mut wanted = files.plan.clone();
        reseating.apply(&mut wanted);
        if wanted.seats.iter().zip(&files.plan.seats).all(|(wanted, now)| wanted.hand == now.hand) {
            return Ok(files);
        }
        let is_persons = |(wanted, now): (&Seat, &Seat)| now.hand == Hand::Human && wanted.hand != now.hand;
        if let Some(host) = &self.host
            && wanted.seats.iter().zip(&files.plan.seats).any(is_persons)
        {
            return Err(EngineError::Usage(format!(
                "this takes a person's seat in {} away, and forge runs inside {host}. Type it in a terminal of your own; or set inside_host.allow in your own configuration",
                files.plan.id
            )));
        }
        self.hold_plan(&files)?;
        refuse_keys(reseating.hands().into_iter().map(ToString::to_string))?;
        for hand in reseating.hands() {
            if let Hand::Agent(agent) = hand {
                self.roster.find(agent)?;
            }
        }
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        let handed_in = survey.open.iter().any(|open| !matches!(open.found, Found::Nothing));
        let begun = !survey.heard.is_empty() || handed_in || files.calls()?.calls > 0 || vote::is_any_sealed(&files)?;
        if begun {
            return Err(EngineError::Usage(format!(
                "{} has begun, and who sits in it may not change any more; `forge debate run {}` or `forge continue --run` goes on with it as it is",
                files.plan.id, files.plan.id
            )));
        }
        let mut plan = files.plan.clone();
        reseating.apply(&mut plan);
        for seat in &mut plan.seats {
            seat.family = match &seat.hand {
                Hand::Agent(name) => self.roster.stated_family(name),
                Hand::Human | Hand::Outside => None,
            };
        }
        self.give_context_files(&mut plan);
        let defects = plan.defects();
        if !defects.is_empty() {
            return Err(EngineError::Usage(defects.join("\n")));
        }
        let was_found = self.is_found(&files)?;
        files.unseal()?;
        let before: Vec<String> = files.personas();
        files.put_personas(&plan)?;
        files.put_plan(plan)?;
        let files = self.open(&files.layout.plan())?;
        // Personas are named for those who read them.
        let now = files.personas();
        for old in before.iter().filter(|old| !now.contains(old)) {
            files.disk().remove(old)?;
        }
        if !was_found {
            self.keep_made(&files);
        }
        Ok(files)
    }
}

/// What to say about a seat that `whose` does not have.
pub(crate) fn no_such_seat<'n>(whose: &str, seat: &str, names: impl Iterator<Item = &'n str>) -> EngineError {
    let names: Vec<&str> = names.collect();
    let near = nearest(seat, names.iter().copied());
    let hint = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    EngineError::Usage(format!("{whose} has no seat {seat:?}; its seats are {}{hint}", names.join(", ")))
}
