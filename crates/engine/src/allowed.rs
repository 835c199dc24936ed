//! What the user allows a debate, whatever its plan says. A plan is a file and may have come from anywhere, so it is held
//! against this before anything is asked, and again in every wave.
//!
//! What bounds spending and waiting is the smaller of both. What changes a verdict cannot be changed under a plan, since the
//! verdict is derived from the plan alone: a plan that is looser is refused, with what it says and what the user says.

use crate::create::{Forking, Request};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::formats::money;
use forge_artifacts::store::{DebateFiles, ForkSource};
use forge_debate::plan::{Demands, Families, Hand, Limits, Naming, Plan, REHEARSAL, SCRIPTED, Seat};
use std::fmt;

/// What the user allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// The most that may be spent and waited.
    pub caps: Caps,
    /// The rules that a plan may tighten and not loosen.
    pub rules: Rules,
    /// Whether the rules were typed on this call. Otherwise a debate that was made here keeps those that it was made with.
    pub is_typed: bool,
    /// Whom the user named on this call.
    pub named: Vec<Hand>,
    /// Whether the user's agent takes every seat before anybody is asked, so that the plan's do not count.
    pub reseats: bool,
    /// Whether the user said on this call that what the plan names may be run and read.
    pub commands: bool,
    /// Whether a rehearsal may speak that nobody named on this call.
    pub rehearsal: bool,
}

/// Tells what the user allows a plan.
pub type Allowing<'a> = dyn Fn(&Plan) -> Result<Allowed, EngineError> + 'a;

/// The most that may be spent and waited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Caps {
    /// The most calls.
    pub max_calls: Option<u32>,
    /// The most tokens.
    pub max_tokens: Option<u64>,
    /// The most that it may cost, in millionths of a US dollar.
    pub max_cost: Option<u64>,
    /// How long one ask may take.
    pub timeout_seconds: Option<u32>,
}

impl Caps {
    /// These, and the others where these say nothing.
    #[must_use]
    pub fn or(self, others: Caps) -> Self {
        Self {
            max_calls: self.max_calls.or(others.max_calls),
            max_tokens: self.max_tokens.or(others.max_tokens),
            max_cost: self.max_cost.or(others.max_cost),
            timeout_seconds: self.timeout_seconds.or(others.timeout_seconds),
        }
    }
}

/// What a verdict depends on besides what is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    limits: Limits,
    demands: Demands,
    families: Families,
    naming: Naming,
}

impl Rules {
    /// Those of a plan.
    pub fn of(plan: &Plan) -> Self {
        Self { limits: plan.limits.clone(), demands: plan.demands, families: plan.families, naming: plan.naming }
    }
}

/// Where a plan and the user differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// In what, by the plan's name for it.
    pub what: String,
    /// What the plan says.
    pub plan: String,
    /// What the user says.
    pub yours: String,
}

impl Difference {
    pub(crate) fn new(what: &str, plan: impl fmt::Display, yours: impl fmt::Display) -> Self {
        Self { what: what.to_owned(), plan: plan.to_string(), yours: yours.to_string() }
    }
}

/// One line for each, such as `  threshold: the plan says 1/3, you say 2/3`.
pub(crate) fn lines(differences: &[Difference], says: &str) -> String {
    let line = |one: &Difference| format!("\n  {}: the plan says {}, {says} {}", one.what, one.plan, one.yours);
    differences.iter().map(line).collect()
}

/// What holds for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The plan's limits, or the user's where they are smaller.
    pub limits: Limits,
    /// Where the user's are.
    pub lowered: Vec<Difference>,
}

impl Allowed {
    /// What a request allows: all of it is the user's word.
    pub fn of_request(request: &Request) -> Result<Self, EngineError> {
        let plan = Request { families: Families::MayBeTheSame, ..request.clone() }.plan()?;
        let Limits { max_calls, max_tokens, max_cost, timeout_seconds, .. } = plan.limits;
        let named = std::iter::once(&request.hand).chain(request.seats.iter().map(|(_, hand)| hand));
        Ok(Self {
            caps: Caps { max_calls, max_tokens, max_cost, timeout_seconds: Some(timeout_seconds) },
            rules: Rules { families: request.families, ..Rules::of(&plan) },
            is_typed: true,
            named: named.cloned().collect(),
            reseats: false,
            commands: false,
            rehearsal: true,
        })
    }

    /// What holds for this debate, or why nobody may be asked in it.
    pub(crate) fn bounds(&self, workspace: &Workspace, files: &DebateFiles) -> Result<Bounds, EngineError> {
        let own = workspace.made_here(files)?;
        self.check_hands(workspace, files, own.as_ref())?;
        self.check_rules(workspace, files, own.as_ref())?;
        Ok(self.lowered(&files.plan, own.as_ref()))
    }

    /// Refuses a plan that asks for less than the user.
    fn check_rules(&self, workspace: &Workspace, files: &DebateFiles, own: Option<&Plan>) -> Result<(), EngineError> {
        let differences = self.looser(workspace, &files.plan, own);
        let (plan_file, debate) = (files.layout.plan(), files.plan.id.clone());
        if differences.is_empty() { Ok(()) } else { Err(EngineError::Looser { plan_file, debate, differences }) }
    }

    /// What a fork may spend: what the debate that it is made from has left of the smaller limits, or what the user gives it
    /// anew. A fork is a new debate, and no way around a limit.
    pub(crate) fn left_for_fork(
        &self,
        workspace: &Workspace,
        source: &ForkSource,
        forking: Forking,
    ) -> Result<Limits, EngineError> {
        let (debate, anew) = (&source.debate, forking.anew);
        let own = workspace.made_here(debate)?;
        self.check_hands(workspace, debate, own.as_ref())?;
        // What is taken over is the user's own from here on.
        let own = if forking.adopts { Some(source.file.plan.clone()) } else { own };
        self.check_rules(workspace, debate, own.as_ref())?;
        let mut limits = self.lowered(&debate.plan, own.as_ref()).limits;
        if let Some(sealed) = source.sealed.as_ref().filter(|_| !forking.adopts) {
            let mut ignored = Vec::new();
            lower("max_calls", &mut limits.max_calls, [sealed.max_calls, None], &mut ignored, |n| n.to_string());
            lower("max_tokens", &mut limits.max_tokens, [sealed.max_tokens, None], &mut ignored, |n| n.to_string());
            lower("max_cost", &mut limits.max_cost, [sealed.max_cost, None], &mut ignored, money::plain);
        }
        let giving = Giving { debate: &debate.plan.id, host: workspace.host.as_deref() };
        let spent = workspace.spent(debate, (true, true))? + workspace.spent_by_forks(debate)?;
        limits.max_calls =
            giving.left("--max-calls", limits.max_calls, spent.calls, anew.max_calls, u32::saturating_sub)?;
        limits.max_tokens =
            giving.left("--max-tokens", limits.max_tokens, spent.tokens, anew.max_tokens, u64::saturating_sub)?;
        limits.max_cost = giving.left("--max-cost", limits.max_cost, spent.cost, anew.max_cost, u64::saturating_sub)?;
        let timeout = Some(limits.timeout_seconds);
        let timeout = giving.left("--timeout", timeout, 0, anew.timeout_seconds, u32::saturating_sub)?;
        limits.timeout_seconds = timeout.unwrap_or(limits.timeout_seconds);
        Ok(limits)
    }

    /// Refuses an agent that is switched off, and what the plan alone names to be run or read.
    fn check_hands(&self, workspace: &Workspace, files: &DebateFiles, own: Option<&Plan>) -> Result<(), EngineError> {
        let (file, id) = (files.layout.plan(), &files.plan.id);
        for seat in files.plan.seats.iter().filter(|seat| !self.reseats && !self.named.contains(&seat.hand)) {
            let Hand::Agent(name) = &seat.hand else { continue };
            if name == REHEARSAL && !self.rehearsal {
                return Err(EngineError::Usage(format!(
                    "{file}: a rehearsal sits in the seat {}, and --no-rehearsal or `rehearsal: false` refuses it. Seat somebody else: forge debate run {id} --agent NAME",
                    seat.id
                )));
            }
            if workspace.roster.is_switched_off(name) {
                let kind = name.split(':').next().unwrap_or(name).trim();
                return Err(EngineError::Usage(format!(
                    "{file}: the seat {} is {name}, and agents.{kind}.enabled is false in the configuration, so nobody is asked. Switch {kind} on there; or seat another: forge debate run {id} --agent NAME",
                    seat.id
                )));
            }
            let is_known = |own: &Plan| own.seat(&seat.id).is_some_and(|known| known.hand == seat.hand);
            let is_hosts = workspace.host.is_some() && workspace.roster.settings().is_own_command(name);
            if let Some(host) = workspace.host.as_ref().filter(|_| is_hosts && !own.is_some_and(is_known)) {
                return Err(EngineError::Usage(format!(
                    "{file}: the plan has your command {name} in the seat {}, and forge runs inside {host}. Run it in a terminal of your own: forge debate run {id}; or set inside_host.allow in your own configuration",
                    seat.id
                )));
            }
            // A script runs nothing; whoever typed it when the debate was made has named it.
            if !(name.starts_with(SCRIPTED) && own.is_some_and(is_known)) {
                self.check_command(files, seat, name)?;
            }
        }
        Ok(())
    }

    /// Refuses to take over scripts with a plan, which would be read from then on.
    pub(crate) fn check_scripts(&self, workspace: &Workspace, files: &DebateFiles) -> Result<(), EngineError> {
        let own = workspace.made_here(files)?;
        for seat in files.plan.seats.iter().filter(|seat| !self.reseats && !self.named.contains(&seat.hand)) {
            let is_known = own.as_ref().and_then(|own| own.seat(&seat.id)).is_some_and(|known| known.hand == seat.hand);
            if let Hand::Agent(name) = &seat.hand
                && name.starts_with(SCRIPTED)
                && !is_known
            {
                self.check_command(files, seat, name)?;
            }
        }
        Ok(())
    }

    fn check_command(&self, files: &DebateFiles, seat: &Seat, name: &str) -> Result<(), EngineError> {
        let Some(what) = forge_agents::command_in(name).filter(|_| !self.commands) else { return Ok(()) };
        Err(EngineError::Usage(format!(
            "{}: the plan has {what} in the seat {}, and a plan may have come from anywhere. If that is what you want: forge debate run {} --allow-commands",
            files.layout.plan(),
            seat.id,
            files.plan.id
        )))
    }

    /// Where a plan asks for less than the user.
    fn looser(&self, workspace: &Workspace, plan: &Plan, own: Option<&Plan>) -> Vec<Difference> {
        let kept = own.filter(|_| !self.is_typed).map(Rules::of);
        let Rules { limits, demands, families, naming } = kept.as_ref().unwrap_or(&self.rules);
        let mut found = Vec::new();
        let mut differs = |is_looser: bool, what: &str, says: &dyn fmt::Display, yours: &dyn fmt::Display| {
            if is_looser {
                found.push(Difference::new(what, says, yours));
            }
        };
        let now = &plan.limits;
        differs(now.rounds > limits.rounds, "rounds", &now.rounds, &limits.rounds);
        differs(now.min_rounds < limits.min_rounds, "min_rounds", &now.min_rounds, &limits.min_rounds);
        differs(!now.threshold.is_at_least(&limits.threshold), "threshold", &now.threshold, &limits.threshold);
        let (least, wanted) = (now.min_challengers, limits.min_challengers);
        differs(least < wanted, "min_challengers", &least, &wanted);
        let switches = [
            ("require_robust", plan.demands.robust, demands.robust),
            ("require_grounding", plan.demands.grounded, demands.grounded),
            ("require_stance_maintenance", plan.demands.stances, demands.stances),
            ("require_change_documentation", plan.demands.documented_changes, demands.documented_changes),
        ];
        for (what, says, yours) in switches {
            differs(yours && !says, what, &says, &yours);
        }
        let is_named = own.is_none() && plan.naming == Naming::Named && *naming == Naming::Anonymous;
        differs(is_named, "peers", &"named", &"anonymous");
        let has_families = plan.protocol.families_differ;
        let may_be_one = plan.families == Families::MayBeTheSame && *families == Families::MustDiffer;
        differs(has_families && may_be_one, "families", &"may-be-the-same", &"must-differ");
        // What people and sessions run on nobody else can say, and only a challenge asks.
        for seat in plan.seats.iter().filter(|seat| own.is_none() && (has_families || seat.hand.is_agent())) {
            let known = workspace.roster.stated_family(&seat.hand.to_string());
            let is_claimed = seat.family.is_some() && seat.family != known;
            let words = |family: &Option<String>| family.clone().unwrap_or_else(|| "nothing".to_owned());
            differs(is_claimed, &format!("family of {}", seat.id), &words(&seat.family), &words(&known));
        }
        found
    }

    /// The smaller of each.
    fn lowered(&self, plan: &Plan, own: Option<&Plan>) -> Bounds {
        let mut bounds = Bounds { limits: plan.limits.clone(), lowered: Vec::new() };
        let Bounds { limits, lowered } = &mut bounds;
        let (caps, own) = (&self.caps, own.map(|own| &own.limits));
        lower("max_calls", &mut limits.max_calls, [caps.max_calls, own.and_then(|own| own.max_calls)], lowered, |n| {
            n.to_string()
        });
        lower(
            "max_tokens",
            &mut limits.max_tokens,
            [caps.max_tokens, own.and_then(|own| own.max_tokens)],
            lowered,
            |n| n.to_string(),
        );
        lower("max_cost", &mut limits.max_cost, [caps.max_cost, own.and_then(|own| own.max_cost)], lowered, |n| {
            money::plain(n)
        });
        let mut timeout = Some(limits.timeout_seconds);
        let kept = own.map_or(self.rules.limits.timeout_seconds, |own| own.timeout_seconds);
        lower("timeout_seconds", &mut timeout, [caps.timeout_seconds, Some(kept)], lowered, |n| n.to_string());
        limits.timeout_seconds = timeout.unwrap_or(limits.timeout_seconds);
        bounds
    }
}

/// Gives a fork what it may spend.
struct Giving<'a> {
    debate: &'a str,
    /// The host that may not give more than there is.
    host: Option<&'a str>,
}

impl Giving<'_> {
    /// What is left of a limit, or what is given anew.
    fn left<N: Copy + Default + Ord>(
        &self,
        flag: &str,
        limit: Option<N>,
        spent: N,
        anew: Option<N>,
        minus: fn(N, N) -> N,
    ) -> Result<Option<N>, EngineError> {
        let id = self.debate;
        let left = limit.map(|most| minus(most, spent));
        match (anew, left, self.host) {
            (Some(given), Some(left), Some(host)) if given > left => Err(EngineError::Usage(format!(
                "{flag}: this gives the fork more than {id} has left, and forge runs inside {host}. Type it in a terminal of your own, or set inside_host.allow in your own configuration"
            ))),
            (Some(given), _, _) => Ok(Some(given)),
            (None, Some(left), _) if left == N::default() => Err(EngineError::Usage(format!(
                "{id} has used all that {flag} allows it, and a fork goes on with what is left; give it more: forge debate run {id} --fork {flag} N"
            ))),
            (None, left, _) => Ok(left),
        }
    }
}

/// Puts the smallest of these in place of a limit, and tells where that changed it.
fn lower<N: Copy + Ord>(
    what: &str,
    limit: &mut Option<N>,
    others: [Option<N>; 2],
    lowered: &mut Vec<Difference>,
    word: impl Fn(N) -> String,
) {
    let Some(most) = others.into_iter().flatten().min() else { return };
    if limit.is_none_or(|now| most < now) {
        let says = limit.map_or_else(|| "none".to_owned(), &word);
        lowered.push(Difference::new(what, says, word(most)));
        *limit = Some(most);
    }
}

impl Workspace {
    /// Refuses a plan that was found and is looser than the configuration, where nobody said on this call what is allowed.
    pub(crate) fn hold_rules(&self, files: &DebateFiles) -> Result<(), EngineError> {
        if !self.is_found(files)? {
            return Ok(());
        }
        let configured = Allowed {
            caps: Caps::default(),
            rules: self.defaults.rules(&files.plan)?,
            is_typed: false,
            named: Vec::new(),
            reseats: false,
            commands: false,
            rehearsal: true,
        };
        configured.check_rules(self, files, None)
    }

    /// What holds for a debate, or why nobody may be asked in it.
    pub fn bounds(&self, files: &DebateFiles, allowed: &Allowed) -> Result<Bounds, EngineError> {
        let bounds = allowed.bounds(self, files)?;
        self.hold_plan(files)?;
        Ok(bounds)
    }
}
