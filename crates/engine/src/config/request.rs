//! A debate as the configuration wants it, before a flag or a phase says anything.

use super::made::{DebateDefaults, ProtocolDefaults};
use super::{Origin, Resolved};
use crate::allowed::{Allowed, Caps, Rules};
use crate::create::{AUTOMATIC, ChallengeRequest, Request, Seating};
use crate::workspace::EngineError;
use forge_debate::framing;
use forge_debate::plan::{Choice, Demands, Families, Hand, Naming, Plan, SeatId};
use forge_debate::profile::Profile;
use forge_debate::voting::Threshold;
use std::collections::BTreeMap;

impl DebateDefaults {
    /// The same, with one hand for all seats. Whoever names one means all of them: what is said of single seats counts no more.
    pub fn seating_all(&self, hand: &str) -> Self {
        Self { agent: Some(hand.to_owned()), seats: BTreeMap::new(), ..self.clone() }
    }

    /// The request that holds where nobody says more than what is to be decided, and by which rules: limits, timeouts and
    /// hands are the configuration's. Every debate begins as one, those of a workflow too.
    pub fn request(
        &self,
        protocol: &'static Profile,
        question: &str,
        options: Vec<Choice>,
        roster: Option<&str>,
    ) -> Request {
        let own = self.of(protocol);
        let hand = self.agent.as_deref().unwrap_or(AUTOMATIC).trim();
        Request {
            question: question.to_owned(),
            protocol,
            seats: self.seats_of(protocol, question, &options, roster),
            options,
            materials: Vec::new(),
            hand: Hand::parse(hand),
            // Who they are is found out later, and only if this request has not made its debate yet.
            seating: if hand == AUTOMATIC { Seating::open() } else { Seating::Named },
            stated_families: BTreeMap::new(),
            roster: roster.map(str::to_owned),
            synthesizer: None,
            rounds: own.max_rounds,
            min_rounds: None,
            threshold: own.threshold.unwrap_or(Threshold::TWO_THIRDS),
            timeout_seconds: own.timeout_seconds.unwrap_or(self.timeout_seconds),
            seed: None,
            max_calls: self.max_calls,
            max_tokens: self.max_tokens,
            max_cost: self.max_cost,
            naming: Naming::Anonymous,
            families: Families::MustDiffer,
            demands: Demands { stances: own.stances, documented_changes: own.documented_changes, ..Demands::default() },
            control: None,
            phase: None,
            feature_dir: None,
            id: None,
            occasion: None,
            at_stake: Vec::new(),
            challenge: ChallengeRequest { min_challengers: own.min_challengers, ..ChallengeRequest::default() },
        }
    }

    /// The protocol's own settings.
    fn of(&self, protocol: &Profile) -> ProtocolDefaults {
        protocol.settings.and_then(|group| self.groups.get(group)).copied().unwrap_or_default()
    }

    /// The rules and limits that hold for a plan's protocol where nobody says more.
    pub(crate) fn rules(&self, plan: &Plan) -> Result<Rules, EngineError> {
        // Who sits there is no rule of this, and options are not judged here.
        let request = self.request(plan.protocol, &plan.question, Vec::new(), plan.roster.as_deref());
        let anybody = Request { families: Families::MayBeTheSame, seats: Vec::new(), ..request };
        let usual = anybody.plan()?;
        Ok(Rules::of(&Plan { families: Families::MustDiffer, ..usual }))
    }

    /// Who moves one seat of a protocol.
    pub fn seat(&self, protocol: &str, seat: &str) -> Option<Hand> {
        let named = self.seats.iter().find(|((rules, name), _)| rules == protocol && name == seat);
        named.map(|(_, agent)| Hand::parse(agent))
    }

    /// Who moves which seat, as far as the debate has such seats: a framer only where there are no options.
    fn seats_of(
        &self,
        protocol: &Profile,
        question: &str,
        options: &[Choice],
        roster: Option<&str>,
    ) -> Vec<(SeatId, Hand)> {
        let Ok(specs) = protocol.seats(roster, question) else {
            return Vec::new();
        };
        let framer = options.is_empty().then(|| SeatId::from(framing::FRAMER));
        let there = specs.iter().map(|spec| SeatId::from(spec.id)).chain(framer);
        there.filter_map(|seat| self.seat(protocol.name, seat.as_str()).map(|hand| (seat, hand))).collect()
    }
}

impl Resolved {
    /// What the user allows a debate that is there already, where nothing is typed about it: the configuration's.
    pub fn allowed(&self, plan: &Plan) -> Result<Allowed, EngineError> {
        let defaults = &self.defaults;
        Ok(Allowed {
            caps: self.caps(plan.protocol),
            rules: defaults.rules(plan)?,
            is_typed: false,
            named: Vec::new(),
            reseats: false,
            commands: false,
            rehearsal: defaults.rehearsal,
        })
    }

    /// The caps that are configured.
    pub fn caps(&self, protocol: &Profile) -> Caps {
        let DebateDefaults { max_calls, max_tokens, max_cost, .. } = self.defaults;
        Caps { max_calls, max_tokens, max_cost, timeout_seconds: self.said_timeout(protocol) }
    }

    /// How long one ask may take, where a file says so. forge's own figure is no cap on what was typed for a debate.
    fn said_timeout(&self, protocol: &Profile) -> Option<u32> {
        self.defaults.of(protocol).timeout_seconds.or_else(|| {
            let chosen = self.value("timeout_seconds").filter(|chosen| chosen.origin != Origin::Default)?;
            chosen.value.as_u64().and_then(|seconds| u32::try_from(seconds).ok())
        })
    }
}
