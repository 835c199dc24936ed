//! Plan files: Markdown that a person can read and edit until the first seat is asked, with everything that counts in
//! the front matter.

use super::money;
use super::{FrontMatter, scalar};
use crate::document::{Document, Front};
use crate::markdown;
use forge_debate::brief::one_line;
use forge_debate::cost;
use forge_debate::digest::Digest;
use forge_debate::option_list;
use forge_debate::personas::CONTEXT_FILES;
use forge_debate::plan::{
    Choice, Demands, Duty, Families, Hand, Limits, Material, Matter, Naming, OptionId, Plan, Seat, SeatId, letter,
};
use forge_debate::profile::Profile;
use forge_debate::protocols::{self, Protocol, Protocols};
use forge_debate::texts::Texts;
use forge_debate::turn::title_matches;
use forge_debate::voting::Threshold;
use forge_workflow::extract::passages::inert;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// A plan with what its file says besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFile {
    /// The rules that the plan names.
    pub protocol: &'static Protocol,
    /// The plan; its materials have names and no text yet.
    pub plan: Plan,
    /// The digest of what the user asked for: the same request finds the same debate.
    pub request: Option<Digest>,
    /// Supplied texts: name and digest, in order.
    pub materials: Vec<(String, Digest)>,
    /// The role text that each seat plays, by its digest.
    pub roles: Vec<(SeatId, Digest)>,
    /// Seats whose role's text is the project's own, with the role.
    pub own_roles: Vec<(SeatId, String)>,
    /// Prompts that the project overrides, by name and digest.
    pub prompts: Vec<(String, Digest)>,
    /// Whether the options were proposed by a framer.
    pub framed: bool,
    /// The status word, which is derived and never believed.
    pub status: String,
}

/// A text that seats read and that is not forge's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replaced {
    /// A role or prompt of the project's, such as `roles/risk`.
    Project(String),
    /// The persona of this seat, given for this debate.
    Persona(SeatId),
    /// A text that lies in the debate's trail alone, such as `roles/risk`: nobody says where it is from.
    Trail(String),
}

impl PlanFile {
    /// The texts of this debate that are not forge's own, found by holding them against forge's; what the plan says of them
    /// only tells whose they are.
    pub fn replaced(&self, texts: &Texts) -> Vec<Replaced> {
        let own = Texts::embedded();
        let mut found: Vec<Replaced> = Vec::new();
        for seat in self.plan.seats.iter().filter(|seat| !texts.is_own_role(&self.plan, seat)) {
            let is_projects = self.own_roles.iter().any(|(one, _)| *one == seat.id);
            let is_persona = self.plan.protocol.has_personas() && seat.duty == Duty::Debater;
            found.push(match (is_projects, is_persona) {
                (true, _) => Replaced::Project(format!("roles/{}", seat.role)),
                (false, true) => Replaced::Persona(seat.id.clone()),
                (false, false) => Replaced::Trail(format!("roles/{}", seat.id)),
            });
        }
        let prompts =
            texts.overrides().filter(|(name, text)| name.starts_with("prompts/") && own.get(name) != Some(text));
        found.extend(prompts.map(|(name, _)| Replaced::Project(name.to_owned())));
        let mut once: Vec<Replaced> = Vec::new();
        for one in found {
            if !once.contains(&one) {
                once.push(one);
            }
        }
        once
    }
}

/// A plan that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanDefect {
    /// Where.
    pub line: usize,
    /// What is wrong and what was expected.
    pub text: String,
}

/// Writes a plan.
pub fn write(file: &PlanFile, texts: &Texts) -> String {
    let plan = &file.plan;
    let options: Vec<Vec<(&str, String)>> = plan
        .options
        .iter()
        .map(|option| {
            vec![
                ("id", option.id.to_string()),
                ("label", option.label.clone()),
                ("description", option.description.clone()),
            ]
        })
        .collect();
    let seats: Vec<Vec<(&str, String)>> = plan
        .seats
        .iter()
        .map(|seat| {
            let mut row = vec![
                ("id", seat.id.to_string()),
                ("role", seat.role.clone()),
                ("duty", seat.duty.word().to_owned()),
                ("hand", seat.hand.to_string()),
            ];
            row.extend(seat.family.iter().map(|family| ("family", family.clone())));
            row.extend(seat.context_file.iter().map(|file| ("context_file", file.clone())));
            row
        })
        .collect();
    let materials: Vec<Vec<(&str, String)>> = file
        .materials
        .iter()
        .map(|(name, digest)| vec![("name", name.clone()), ("digest", digest.to_string())])
        .collect();
    let roles: Vec<Vec<(&str, String)>> = file
        .roles
        .iter()
        .map(|(seat, digest)| {
            let mut row = vec![("seat", seat.to_string()), ("digest", digest.to_string())];
            row.extend(
                file.own_roles.iter().filter(|(own, _)| own == seat).map(|(_, role)| ("replaces", role.clone())),
            );
            row
        })
        .collect();
    let prompts: Vec<Vec<(&str, String)>> = file
        .prompts
        .iter()
        .map(|(name, digest)| vec![("name", name.clone()), ("digest", digest.to_string())])
        .collect();
    let mut front = FrontMatter::default()
        .text("debate_id", &plan.id)
        .text("phase", &plan.phase)
        .text("objective", &plan.question)
        .text("status", &file.status)
        .text("protocol", &plan.protocol.to_string())
        .text("created_at", &plan.created_at)
        .text("place", &plan.place)
        .text("seed", &plan.seed.to_string())
        .number("rounds", plan.limits.rounds)
        .text("threshold", &plan.limits.threshold.to_string())
        .number("timeout_seconds", plan.limits.timeout_seconds)
        .maybe_number("max_calls", plan.limits.max_calls)
        .maybe_number("max_tokens", plan.limits.max_tokens);
    if plan.protocol.has_personas() {
        front = front.number("min_challengers", plan.limits.min_challengers);
    }
    if let Some(most) = plan.limits.max_cost {
        front = front.number("max_cost", money::dollars(most));
    }
    if plan.limits.min_rounds > 1 {
        front = front.number("min_rounds", plan.limits.min_rounds);
    }
    if !plan.demands.stances {
        front = front.raw("require_stance_maintenance", "false");
    }
    if !plan.demands.documented_changes {
        front = front.raw("require_change_documentation", "false");
    }
    if !plan.at_stake.is_empty() {
        let rows: Vec<Vec<(&str, String)>> = plan.at_stake.iter().map(matter_row).collect();
        front = front.records("at_stake", &rows);
    }
    front = front
        .text("peers", naming_word(plan.naming))
        .text("families", families_word(plan.families))
        .raw("require_robust", if plan.demands.robust { "true" } else { "false" })
        .raw("require_grounding", if plan.demands.grounded { "true" } else { "false" })
        .maybe("roster", plan.roster.as_deref())
        .maybe("synthesizer", plan.synthesizer.as_ref().map(SeatId::as_str))
        .raw("framed", if file.framed { "true" } else { "false" })
        .maybe("request", file.request.map(|digest| digest.to_string()).as_deref())
        .records("options", &options)
        .records("seats", &seats)
        .records("materials", &materials)
        .records("roles", &roles)
        .records("prompts", &prompts);
    front.finish(&body(plan, file.protocol, texts, file.framed))
}

fn body(plan: &Plan, protocol: &Protocol, texts: &Texts, framed: bool) -> String {
    let mut out =
        format!("\n# Debate plan: {}\n\n## Objective\n\n{}\n", one_line(&plan.question), plan.question.trim());
    out.push_str("\n## Options Under Consideration\n\n");
    if plan.options.is_empty() {
        out.push_str("*None yet. List at least ");
        let _ = write!(out, "{}", plan.protocol.fewest_options);
        out.push_str(" here, one `- ` item each, or under `options:` above; then run the debate again.*\n");
    }
    for option in &plan.options {
        // A model may have framed it.
        let _ = write!(out, "- **{}: {}**", option.id, inert(&one_line(&option.label)));
        if !option.description.trim().is_empty() {
            let _ = write!(out, " - {}", inert(&one_line(&option.description)));
        }
        out.push('\n');
    }
    let home = plan.protocol.home(plan);
    out.push_str("\n## Role Prompts\n");
    for seat in &plan.seats {
        let role = texts.role(plan, seat).replace("\n#", "\n###");
        let role = role.strip_prefix('#').map_or(role.clone(), |rest| format!("###{rest}"));
        let _ = write!(
            out,
            "\n**{}** ({}, moved by {}):\n\n{}\n",
            seat.id,
            seat.duty.word(),
            seat.hand,
            quoted_block(role.trim())
        );
        let sections = (protocol.sections)(seat);
        if !sections.is_empty() {
            let file = home.path(&plan.protocol.first_file(seat));
            let _ = write!(out, "\nIt writes `{file}` with these sections, each under a heading of its own:\n\n");
            for rule in sections {
                let _ = writeln!(out, "- `{}`: {}{}", rule.title, rule.hint, rule.shape.hint());
            }
        }
    }
    out.push_str("\n## Expected Outputs\n\n");
    for file in expected_outputs(plan, protocol) {
        let _ = writeln!(out, "- `{file}`");
    }
    let _ = write!(out, "\n## Completion Criteria\n\n{}\n", plan.protocol.completion(plan));
    out.push_str("\n## Cost\n\n");
    let phases = (plan.protocol.phases)(plan);
    if !phases.is_empty() {
        let _ = write!(out, "For {} participants:\n\n| Phase | Min | Max |\n|---|---|---|\n", plan.debaters().len());
        for phase in &phases {
            let _ = writeln!(out, "| {} | {} | {} |", phase.phase, phase.min_calls, phase.max_calls);
        }
        out.push_str("\nAs forge counts and caps them:\n\n");
    }
    out.push_str("| Stage | Min calls | Max calls |\n|---|---|---|\n");
    let mut stages = protocols::cost(plan);
    if framed || plan.options.is_empty() {
        stages.insert(0, cost::StageCost::framing());
    }
    for stage in stages.iter().chain([&cost::total(&stages)]) {
        let _ = writeln!(out, "| {} | {} | {} |", stage.stage, stage.min_calls, stage.max_calls);
    }
    out.push_str("\nA reply that misses its form is asked for once more: each call may become two.\n");
    out
}

/// Role texts as quotes: their headings are not this document's headings.
fn quoted_block(text: &str) -> String {
    text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn expected_outputs(plan: &Plan, protocol: &Protocol) -> Vec<String> {
    let home = plan.protocol.home(plan);
    let first = protocols::first_asks(protocol, plan);
    let mut files: Vec<String> =
        first.iter().map(|ask| home.path(&protocols::turn_file(plan.protocol, &ask.key))).collect();
    files.extend(plan.protocol.later_outputs.iter().map(|file| home.path(file)));
    files.push(format!("{} (later turns, and the verdict)", home.path("...")));
    files
}

fn naming_word(naming: Naming) -> &'static str {
    match naming {
        Naming::Anonymous => "anonymous",
        Naming::Named => "named",
    }
}

fn families_word(families: Families) -> &'static str {
    match families {
        Families::MustDiffer => "must-differ",
        Families::MayBeTheSame => "may-be-the-same",
    }
}

/// Reads a plan.
pub fn read(text: &str, known: Protocols) -> Result<PlanFile, PlanDefect> {
    let document = Document::parse(text);
    let map = match document.front {
        Front::Fields(map) => map,
        Front::Broken { line, text } => return Err(PlanDefect { line, text }),
        Front::None => {
            return Err(PlanDefect {
                line: 1,
                text: "there is no front matter; a plan begins with a `---` line".to_owned(),
            });
        }
    };
    let at = |key: &str| line_of(text, key);
    let needed = |key: &str| {
        scalar(&map, key)
            .ok_or_else(|| PlanDefect { line: at(key), text: format!("{key:?} is missing or not a plain value") })
    };
    let wrong = |key: &str, expected: &str| PlanDefect { line: at(key), text: format!("{key:?} is not {expected}") };

    // A plan in the seed's bare form names its phase and no protocol: it is a gate's.
    let protocol = match scalar(&map, "protocol") {
        None if map.contains_key("phase") => protocols::DEFAULT_OF_PHASE.profile.name.to_owned(),
        _ => needed("protocol")?,
    };
    let (name, version) = protocol.split_once('@').unwrap_or((protocol.as_str(), "1"));
    let version: u16 =
        version.parse().map_err(|_| wrong("protocol", "a protocol with its version, such as judges@1"))?;
    let Some(protocol) = known.find(name, version) else {
        let problem = known.newest(name).map_or_else(
            |problem| problem,
            |newest| format!("{name}@{version} is not known here; this forge knows {}", newest.profile),
        );
        return Err(PlanDefect { line: at("protocol"), text: problem });
    };
    let profile = &protocol.profile;
    let mut options = field_options(&map).map_err(|expected| wrong("options", expected))?;
    if options.is_empty() {
        options = listed_options(&document.body, document.body_line)?;
    }
    let optional_number = |key: &str| -> Result<Option<u64>, PlanDefect> {
        match scalar(&map, key) {
            None => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| wrong(key, "a number")),
        }
    };
    let small = |key: &str, number: u64| u32::try_from(number).map_err(|_| wrong(key, "a number of a sensible size"));
    let question = match scalar(&map, "objective").filter(|objective| !objective.trim().is_empty()) {
        Some(objective) => objective,
        None => written_objective(&document.body, document.body_line).map_or_else(|| needed("objective"), Ok)?,
    };
    let threshold = scalar(&map, "threshold").unwrap_or_else(|| "2/3".to_owned());
    let rounds = optional_number("rounds")?.unwrap_or(u64::from(profile.rounds.default));
    let plan = Plan {
        id: needed("debate_id")?,
        protocol: profile,
        options,
        materials: Vec::new(),
        seats: seats(&map, profile, &question, &wrong)?,
        limits: Limits {
            rounds: u16::try_from(rounds).map_err(|_| wrong("rounds", "a number of a sensible size"))?,
            min_rounds: u16::try_from(optional_number("min_rounds")?.unwrap_or(1))
                .map_err(|_| wrong("min_rounds", "a number of a sensible size"))?,
            threshold: Threshold::parse(&threshold).ok_or_else(|| wrong("threshold", "a fraction such as 2/3"))?,
            timeout_seconds: small("timeout_seconds", optional_number("timeout_seconds")?.unwrap_or(120))?,
            max_calls: optional_number("max_calls")?.map(|n| small("max_calls", n)).transpose()?,
            max_tokens: optional_number("max_tokens")?,
            min_challengers: match optional_number("min_challengers")? {
                None => 1,
                Some(least) => u16::try_from(least)
                    .ok()
                    .filter(|least| *least > 0)
                    .ok_or_else(|| wrong("min_challengers", "a number from 1 on"))?,
            },
            max_cost: match scalar(&map, "max_cost") {
                None => None,
                Some(text) => Some(
                    money::microdollars(&text)
                        .ok_or_else(|| wrong("max_cost", "an amount in US dollars, such as 0.50"))?,
                ),
            },
        },
        seed: optional_number("seed")?.unwrap_or_else(|| Digest::of(question.as_bytes()).seed()),
        naming: match scalar(&map, "peers").as_deref() {
            Some("named") => Naming::Named,
            Some("anonymous") | None => Naming::Anonymous,
            Some(_) => return Err(wrong("peers", "anonymous or named")),
        },
        families: match scalar(&map, "families").as_deref() {
            Some("may-be-the-same") => Families::MayBeTheSame,
            Some("must-differ") | None => Families::MustDiffer,
            Some(_) => return Err(wrong("families", "must-differ or may-be-the-same")),
        },
        demands: Demands {
            robust: scalar(&map, "require_robust").as_deref() == Some("true"),
            grounded: scalar(&map, "require_grounding").as_deref() == Some("true"),
            stances: scalar(&map, "require_stance_maintenance").as_deref() != Some("false"),
            documented_changes: scalar(&map, "require_change_documentation").as_deref() != Some("false"),
        },
        place: scalar(&map, "place").unwrap_or_default(),
        phase: scalar(&map, "phase").unwrap_or_default(),
        roster: scalar(&map, "roster"),
        synthesizer: scalar(&map, "synthesizer").map(SeatId::new),
        at_stake: matters(&map).ok_or_else(|| wrong("at_stake", "a list such as `- decision: D1`"))?,
        created_at: scalar(&map, "created_at").unwrap_or_default(),
        question,
    };
    Ok(PlanFile {
        protocol,
        request: scalar(&map, "request").and_then(|text| Digest::parse(&text)),
        materials: digests(&map, "materials", "name"),
        roles: digests(&map, "roles", "seat").into_iter().map(|(seat, digest)| (SeatId::new(seat), digest)).collect(),
        own_roles: own_roles(&map),
        prompts: digests(&map, "prompts", "name"),
        framed: scalar(&map, "framed").as_deref() == Some("true"),
        status: scalar(&map, "status").unwrap_or_default(),
        plan,
    })
}

/// Gives a plan the texts that its file only names.
pub fn with_materials(mut plan: Plan, texts: Vec<Material>) -> Plan {
    plan.materials = texts;
    plan
}

/// The options that front matter lists; what is expected of it where it cannot be read.
pub(crate) fn field_options(map: &Map<String, Value>) -> Result<Vec<Choice>, &'static str> {
    let rows = match map.get("options") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(rows)) => rows,
        Some(_) => return Err("a list"),
    };
    rows.iter()
        .enumerate()
        .map(|(i, row)| match row {
            Value::Object(row) => Ok(Choice {
                id: scalar(row, "id").map_or_else(|| letter(i), OptionId::new),
                label: scalar(row, "label").ok_or("a list whose entries each have a label")?,
                description: scalar(row, "description").unwrap_or_default(),
            }),
            Value::String(label) => Ok(Choice { id: letter(i), label: label.clone(), description: String::new() }),
            _ => Err("a list of texts or of {id, label, description}"),
        })
        .collect()
}

fn matter_row(matter: &Matter) -> Vec<(&'static str, String)> {
    match matter {
        Matter::Decision(id) => vec![("decision", id.clone())],
        Matter::Risk { key, score } => vec![("risk", key.clone()), ("score", score.to_string())],
        Matter::Other(name) => vec![("matter", name.clone())],
    }
}

/// What the debate is held about; `None` where an entry cannot be read.
fn matters(map: &Map<String, Value>) -> Option<Vec<Matter>> {
    let rows = match map.get("at_stake") {
        None | Some(Value::Null) => return Some(Vec::new()),
        Some(Value::Array(rows)) => rows,
        Some(_) => return None,
    };
    let read = |row: &Value| {
        let row = row.as_object()?;
        let decision = scalar(row, "decision").map(Matter::Decision);
        let other = || scalar(row, "matter").map(Matter::Other);
        let risk = || Some(Matter::Risk { key: scalar(row, "risk")?, score: scalar(row, "score")?.parse().ok()? });
        decision.or_else(other).or_else(risk)
    };
    rows.iter().map(read).collect()
}

/// An objective that stands in the body: below its heading, or behind a label.
fn written_objective(body: &str, body_line: usize) -> Option<String> {
    let draft = markdown::draft(body, body_line);
    let section = draft.sections.iter().find(|section| title_matches(&section.title, "Objective"));
    let below = section.and_then(|section| section.body.split("\n\n").next()).map(str::to_owned);
    let labelled = draft.labels.into_iter().find(|(label, _)| label.eq_ignore_ascii_case("objective"));
    let found = below.or(labelled.map(|(_, value)| value))?;
    Some(found.trim().to_owned()).filter(|text| !forge_prose::blanks::is_placeholder(text))
}

/// Options that a person listed in the plan's body. What could be meant otherwise is a defect: a plan is sealed.
fn listed_options(body: &str, body_line: usize) -> Result<Vec<Choice>, PlanDefect> {
    let list = option_list::read(body, body_line);
    let counts = |doubt: &&option_list::Doubt| {
        doubt.what.holds()
            || matches!(doubt.what, option_list::Unsure::Again { .. } | option_list::Unsure::SameId { .. })
    };
    match list.doubts.iter().find(counts) {
        Some(doubt) => Err(PlanDefect { line: doubt.line, text: doubt.what.to_string() }),
        None => Ok(list.options),
    }
}

fn seats(
    map: &Map<String, Value>,
    profile: &Profile,
    question: &str,
    wrong: &dyn Fn(&str, &str) -> PlanDefect,
) -> Result<Vec<Seat>, PlanDefect> {
    let rows = match map.get("seats") {
        Some(Value::Array(rows)) => rows,
        // A plan in the seed's bare form has no seats: its roles are written by sessions outside.
        None | Some(Value::Null) => {
            let specs = profile.seats(None, question).unwrap_or_default();
            return Ok(specs.iter().map(|spec| Seat::new(spec, Hand::Outside)).collect());
        }
        Some(_) => return Err(wrong("seats", "a list")),
    };
    rows.iter()
        .map(|row| {
            let row = row.as_object().ok_or_else(|| wrong("seats", "a list of {id, role, duty, hand}"))?;
            let id = scalar(row, "id").ok_or_else(|| wrong("seats", "a list whose entries each have an id"))?;
            let duty = scalar(row, "duty").unwrap_or_else(|| "debater".to_owned());
            Ok(Seat {
                role: scalar(row, "role").unwrap_or_else(|| id.clone()),
                duty: Duty::parse(&duty).ok_or_else(|| wrong("seats", "a list whose duties are known"))?,
                hand: Hand::parse(&scalar(row, "hand").unwrap_or_else(|| "outside".to_owned())),
                family: scalar(row, "family"),
                context_file: context_file(row, wrong)?,
                id: SeatId::new(id),
            })
        })
        .collect()
}

/// The name becomes a part of a path, so only names count that programs really read.
fn context_file(
    row: &Map<String, Value>,
    wrong: &dyn Fn(&str, &str) -> PlanDefect,
) -> Result<Option<String>, PlanDefect> {
    match scalar(row, "context_file") {
        Some(name) if !CONTEXT_FILES.contains(&name.as_str()) => {
            Err(wrong("seats", &format!("a list whose context_file is one of {}", CONTEXT_FILES.join(", "))))
        }
        known => Ok(known),
    }
}

fn digests(map: &Map<String, Value>, list: &str, name: &str) -> Vec<(String, Digest)> {
    let Some(Value::Array(rows)) = map.get(list) else { return Vec::new() };
    rows.iter()
        .filter_map(|row| {
            let row = row.as_object()?;
            Some((scalar(row, name)?, Digest::parse(&scalar(row, "digest")?)?))
        })
        .collect()
}

/// The seats whose role's text is the project's own.
fn own_roles(map: &Map<String, Value>) -> Vec<(SeatId, String)> {
    let rows = map.get("roles").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    rows.filter_map(|row| Some((SeatId::new(scalar(row, "seat")?), scalar(row, "replaces")?))).collect()
}

/// The line of a top-level key, or the first.
pub(crate) fn line_of(text: &str, key: &str) -> usize {
    text.lines().position(|line| line.starts_with(&format!("{key}:"))).map_or(1, |i| i + 1)
}

/// The front matter of a text: what people write below it may look like anything.
pub(crate) fn front_of(text: &str) -> &str {
    text.find("\n---\n").and_then(|end| text.get(..end + 1)).unwrap_or("")
}

/// The plan's text without what is derived: what is sealed, compared and hashed.
pub fn essence(text: &str) -> String {
    // What forge writes needs no YAML reader to find one line; the rest is left to the careful editor.
    let front = front_of(text);
    let known = ["pending", "running", "complete"].into_iter().map(|word| format!("\nstatus: \"{word}\"\n"));
    for line in known {
        if let Some((before, after)) = front.split_once(line.as_str()) {
            return format!("{before}\nstatus:\n{after}{}", &text[front.len()..]);
        }
    }
    crate::document::set_front_value(text, "status", "")
}
