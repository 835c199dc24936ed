//! `forge doctor`: what works here, what does not, and what to do about it.

use super::Context;
use super::agents::{self, reached};
use crate::args::DoctorArgs;
use crate::exit::Exit;
use crate::render::{self, Style};
use crate::settings;
use crate::table::{Row, paragraph, table, wrapped};
use forge_agents::Roster;
use forge_agents::finding::advice;
use forge_agents::finding::probe::{ProbeResult, Probed, probe};
use forge_agents::finding::{self, Found, Kernel, LOCAL_LIMIT, Workshop};
use forge_agents::keeper::Sandbox;
use forge_debate::plan::{Duty, SeatId};
use forge_debate::protocols;
use forge_engine::EngineError;
use forge_engine::choose::{self, Candidate, Chosen, Level};
use forge_engine::config::Resolved;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Agent CLIs are heavy; more at once would slow each other down into their deadlines.
const PROBES_AT_ONCE: usize = 6;
/// What stands first where agents could be asked, and none of them answered.
const NOBODY_ANSWERED: &str = "Nobody answered. What helps stands with each of them.";
/// What stands before lines that belong to a heading.
const INDENT: usize = 2;

/// An agent, and what came of its probe if there was one.
struct Patient {
    found: Found,
    probed: Option<Probed>,
    /// What to do about its failure, where it failed.
    remedy: Option<String>,
}

impl Patient {
    /// Whether it can answer, as far as is known.
    fn works(&self) -> bool {
        self.found.is_usable() && self.probed.as_ref().is_none_or(Probed::answered)
    }
}

/// Checks the machine and the agents. Changes nothing itself; asks agents only with `--probe`.
pub(crate) fn run(context: &Context<'_>, args: &DoctorArgs) -> Result<Exit, EngineError> {
    let deadline = Duration::from_secs(settings::seconds(&args.timeout).map_err(EngineError::Usage)?.into());
    let roster = &context.workspace.roster;
    let runtime = agents::runtime()?;
    let patients = runtime.block_on(async {
        let mut found = finding::look(roster.settings(), LOCAL_LIMIT).await;
        if !args.agents.is_empty() {
            let named = args.agents.iter().map(|name| finding::named(roster.settings(), &found, name));
            found = named.collect::<Result<_, _>>().map_err(|unknown| EngineError::Usage(unknown.to_string()))?;
        }
        Ok::<_, EngineError>(if args.probe { examined(roster, found, deadline).await } else { unexamined(found) })
    })?;
    let machine = Machine::look(context);
    // How a whole challenge would be held does not follow from a few of the agents.
    let challenge = if args.agents.is_empty() { Some(Challenge::of(&patients)) } else { None };
    let works = patients.iter().any(Patient::works);
    if args.json {
        render::json(&json!({
            "works": works,
            "probed": args.probe,
            "machine": machine.value(),
            "agents": patients.iter().map(value).collect::<Vec<_>>(),
            "challenge": challenge.map(|challenge| challenge.value(args.probe)),
        }));
    } else {
        let mut text = machine.shown(context.style);
        text.push_str(&shown(&patients, args.probe, context.style));
        if let Some(challenge) = challenge {
            text.push_str(&challenge.shown(args.probe, context.style));
        }
        if !works {
            let could_be_asked = patients.iter().any(|patient| patient.found.is_usable());
            text.push('\n');
            let closing = if could_be_asked { NOBODY_ANSWERED } else { choose::HOW_TO_GET_ONE };
            paragraph(&mut text, closing, 0, 0, context.style.width());
        }
        render::out(&text);
    }
    Ok(if works { Exit::Done } else { Exit::Insufficient })
}

fn unexamined(found: Vec<Found>) -> Vec<Patient> {
    found.into_iter().map(|found| Patient { found, probed: None, remedy: None }).collect()
}

/// Every usable agent with its probe, all of them at once as far as the machine bears it.
async fn examined(roster: &Arc<Roster>, found: Vec<Found>, deadline: Duration) -> Vec<Patient> {
    let usable = found.iter().filter(|one| one.is_usable()).count();
    render::note(&format!(
        "asking {usable} agent{} one tiny question each: real calls, within {} s",
        if usable == 1 { "" } else { "s" },
        deadline.as_secs()
    ));
    let mut patients = unexamined(found);
    let places = Arc::new(Semaphore::new(PROBES_AT_ONCE));
    let mut probes = JoinSet::new();
    for (index, patient) in patients.iter().enumerate().filter(|(_, patient)| patient.found.is_usable()) {
        let (roster, places, name) = (Arc::clone(roster), Arc::clone(&places), patient.found.asked_as());
        probes.spawn(async move {
            // The semaphore is never closed.
            let _place = places.acquire_owned().await.ok();
            (index, probe(&roster, &name, deadline).await)
        });
    }
    while let Some(done) = probes.join_next().await {
        if let Ok((index, probed)) = done
            && let Some(patient) = patients.get_mut(index)
        {
            if let ProbeResult::Failed { fault, .. } = &probed.result {
                patient.remedy = Some(advice::remedy(roster.settings(), &patient.found, *fault));
            }
            patient.probed = Some(probed);
        }
    }
    patients
}

fn shown(patients: &[Patient], is_probed: bool, style: Style) -> String {
    let mut text = format!("\n{}\n", style.bold("Agents"));
    let rows = patients.iter().map(|patient| {
        let found = &patient.found;
        let version = patient.probed.as_ref().and_then(|probed| probed.version.clone());
        let version = version.or_else(|| found.version.clone()).unwrap_or_else(|| "-".to_owned());
        let (state, more) = state(patient);
        let obstacle = found.obstacle.as_ref().map(|obstacle| obstacle.fix.clone());
        let below = obstacle.or_else(|| patient.remedy.clone()).map(|fix| format!("what helps: {fix}"));
        let cells = vec![found.name.clone(), found.kind.word().to_owned(), version, state, more];
        Row { cells, below: below.into_iter().collect() }
    });
    table(&mut text, style, &["agent", "kind", "version", "state", ""], 4, rows.collect());
    if !is_probed {
        let note = "usable is by what is installed; --probe asks each one a tiny question (real calls, tiny cost)";
        for line in wrapped(note, style.width().map(|width| width.saturating_sub(INDENT))) {
            let _ = writeln!(text, "  {}", style.dim(&line));
        }
    }
    text
}

/// The state in a word or two, and what belongs to it.
fn state(patient: &Patient) -> (String, String) {
    let found = &patient.found;
    if let Some(obstacle) = &found.obstacle {
        return ("-".to_owned(), obstacle.why.clone());
    }
    let Some(probed) = &patient.probed else { return ("usable".to_owned(), reached(found)) };
    match &probed.result {
        ProbeResult::Ready => ("answered".to_owned(), measured(found, probed)),
        ProbeResult::OutOfForm => {
            ("answered".to_owned(), format!("not in the form that was asked for; {}", measured(found, probed)))
        }
        ProbeResult::Failed { kind, detail, .. } => (kind.word().to_owned(), detail.clone()),
    }
}

fn measured(found: &Found, probed: &Probed) -> String {
    let model = probed.served.model.as_deref().or(found.model.as_deref()).unwrap_or("a model that it does not name");
    let tokens = match (probed.served.input_tokens, probed.served.output_tokens) {
        (None, None) => String::new(),
        (input, output) => format!(", {} tokens in and {} out", input.unwrap_or(0), output.unwrap_or(0)),
    };
    format!("{model} in {:.1} s{tokens}, {}", probed.took.as_secs_f64(), reached(found))
}

fn value(patient: &Patient) -> Value {
    let mut value = agents::value(&patient.found);
    let probed = patient.probed.as_ref().map(|probed| {
        let (result, kind, detail) = match &probed.result {
            ProbeResult::Ready => ("answered", None, None),
            ProbeResult::OutOfForm => ("out_of_form", None, None),
            ProbeResult::Failed { kind, detail, .. } => ("failed", Some(*kind), Some(detail)),
        };
        json!({
            "result": result,
            "failure": kind.map(|kind| kind.word()),
            "detail": detail,
            "fix": patient.remedy,
            "milliseconds": u64::try_from(probed.took.as_millis()).unwrap_or(u64::MAX),
            "model": probed.served.model,
            "input_tokens": probed.served.input_tokens,
            "output_tokens": probed.served.output_tokens,
            "version": probed.version,
            "sandbox": probed.sandbox,
        })
    });
    if let Some(fields) = value.as_object_mut() {
        fields.insert("works".to_owned(), json!(patient.works()));
        fields.insert("probe".to_owned(), json!(probed));
    }
    value
}

/// What forge itself needs of the machine.
struct Machine<'c> {
    kernel: Kernel,
    is_switched_off: bool,
    workshop: Workshop,
    configuration: &'c Resolved,
}

impl<'c> Machine<'c> {
    fn look(context: &'c Context<'_>) -> Self {
        let settings = context.workspace.roster.settings();
        Self {
            kernel: finding::kernel(),
            is_switched_off: settings.sandbox == Sandbox::Off,
            workshop: finding::workshop(settings),
            configuration: &context.configuration,
        }
    }

    /// Everything that is wrong with the configuration, the grave first.
    fn remarks(&self) -> Vec<(&'static str, String)> {
        let problems = self.configuration.problems.iter().map(|problem| ("error", problem.to_string()));
        let warnings = self.configuration.warnings.iter().map(|warning| ("warning", warning.to_string()));
        problems.chain(warnings).collect()
    }

    /// What holds agent CLIs here, as it is configured.
    fn sandbox(&self) -> String {
        match (self.is_switched_off, self.kernel) {
            (false, kernel) => kernel.said(),
            (true, Kernel::Landlock { abi }) => format!(
                "switched off by configuration, though this kernel has Landlock (abi {abi}): agent CLIs are held by their own flags alone"
            ),
            (true, Kernel::LandlockOff | Kernel::None) => {
                "switched off by configuration: agent CLIs are held by their own flags alone".to_owned()
            }
        }
    }

    fn shown(&self, style: Style) -> String {
        let mut text = format!("{}\n", style.bold("Machine"));
        render::wrapped_row(&mut text, style, "sandbox", &self.sandbox());
        render::wrapped_row(&mut text, style, "seats in", &self.workshop.said());
        let remarks = self.remarks();
        if remarks.is_empty() {
            render::row(&mut text, style, "config", "nothing to remark");
        }
        for (gravity, remark) in remarks {
            render::wrapped_row(&mut text, style, "config", &format!("{gravity}: {remark}"));
        }
        text
    }

    fn value(&self) -> Value {
        let abi = match self.kernel {
            Kernel::Landlock { abi } => Some(abi),
            Kernel::LandlockOff | Kernel::None => None,
        };
        json!({
            "sandbox": {"landlock_abi": abi, "switched_off": self.is_switched_off, "text": self.sandbox()},
            "seats_in": {
                "ok": matches!(self.workshop, Workshop::Clean(_)),
                "text": self.workshop.said(),
            },
            "config": self.remarks().iter().map(|(gravity, remark)| json!({
                "gravity": gravity, "text": remark,
            })).collect::<Vec<_>>(),
        })
    }
}

/// How `challenge` would be held.
struct Challenge {
    level: Level,
    seating: Chosen,
    candidates: Vec<Candidate>,
}

impl Challenge {
    fn of(patients: &[Patient]) -> Self {
        let rules = &protocols::BETWEEN_FAMILIES.profile;
        let seats: Vec<(SeatId, Duty)> =
            rules.fixed_seats().iter().map(|spec| (SeatId::from(spec.id), spec.duty)).collect();
        let working = patients.iter().filter(|patient| patient.works());
        let candidates: Vec<Candidate> = working.filter_map(|patient| Candidate::of(&patient.found)).collect();
        let seating = choose::seat_agents(&candidates, rules, &seats);
        Self { level: Level::of(&candidates), seating, candidates }
    }

    fn basis(is_probed: bool) -> &'static str {
        if is_probed { "by what answered" } else { "by what is installed" }
    }

    fn shown(&self, is_probed: bool, style: Style) -> String {
        let (heading, level) = ("Challenge", self.level.word());
        let sentence = format!("{heading} {level}, {}: {}", Self::basis(is_probed), self.level.meaning());
        let mut lines = String::new();
        paragraph(&mut lines, &sentence, 0, INDENT, style.width());
        let bold = lines.replacen(&format!("{heading} {level}"), &style.bold(&format!("{heading} {level}")), 1);
        let mut text = format!("\n{bold}");
        if !self.seating.is_rehearsal() {
            for line in choose::explain(&self.seating, &self.candidates) {
                paragraph(&mut text, &line, INDENT, 2 * INDENT, style.width());
            }
        }
        text
    }

    fn value(&self, is_probed: bool) -> Value {
        let seats: serde_json::Map<String, Value> =
            self.seating.seats.iter().map(|(seat, hand)| (seat.to_string(), json!(hand.to_string()))).collect();
        json!({
            "level": self.level.word(),
            "by": if is_probed { "answered" } else { "installed" },
            "meaning": self.level.meaning(),
            "seats": seats,
            "one_family": self.seating.one_family,
        })
    }
}
