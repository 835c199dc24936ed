//! A folder on which scenarios are played, on any disk.

use crate::scenario::{Scenario, Step, moment};
use crate::tree::Tree;
use forge_agents::prices::Rates;
use forge_agents::{Roster, RosterSettings};
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::store::{DebateFiles, Found};
use forge_debate::protocols::Protocols;
use forge_debate::verdict::Gravity;
use forge_debate::voting::Merit;
use forge_engine::config::DebateDefaults;
use forge_engine::{EngineError, Event, Freshness, HandIn, Run, RunEnd, RunSettings, Watch, Workspace};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A workspace in a temporary folder.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
}

/// How far a scenario came.
#[derive(Debug)]
pub(crate) struct Stopped {
    /// The step that failed.
    pub(crate) step: usize,
    /// Why.
    pub(crate) error: EngineError,
}

/// What happened, for readers and for comparison.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tale {
    /// Everything, in order.
    pub(crate) text: String,
    /// The essentials of the last step.
    pub(crate) end: String,
}

impl Stage {
    /// In memory where that is to be had: the sweeps make and throw away a hundred thousand files.
    pub(crate) fn new() -> Self {
        let memory = Path::new("/dev/shm");
        Self { folder: tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir()).unwrap() }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn tree(&self) -> Tree {
        Tree::read(self.root())
    }

    /// The healthy disk.
    pub(crate) fn disk(&self) -> Arc<WorkspaceDisk> {
        Arc::new(WorkspaceDisk::open(self.root(), Durability::None).unwrap())
    }

    /// A workspace over a disk, with the agents that follow the scripts of a folder.
    pub(crate) fn workspace(&self, disk: Arc<dyn Disk>, scripts: &Path) -> Workspace {
        self.priced_workspace(disk, scripts, None)
    }

    /// The same, in which scripts cost something.
    fn priced_workspace(&self, disk: Arc<dyn Disk>, scripts: &Path, price: Option<u64>) -> Workspace {
        let rates = |rate: u64| ("scripted".to_owned(), Rates { input: rate, output: rate, cached_input: rate });
        let prices = price.map(rates).into_iter().collect();
        let settings = RosterSettings { workspace: Some(scripts.to_owned()), prices, ..RosterSettings::default() };
        Workspace {
            disk,
            locks: self.disk(),
            roster: Arc::new(Roster::new(settings)),
            protocols: Protocols::default(),
            clock: Arc::new(moment),
            defaults: Arc::new(DebateDefaults::of_forge()),
            made: None,
            host: None,
            vault: None,
            patience: 0,
        }
    }

    /// A workspace for a scenario on the healthy disk.
    pub(crate) fn healthy(&self, scenario: &Scenario) -> Workspace {
        self.priced_workspace(self.disk(), &scenario.folder, scenario.price)
    }

    /// Opens the scenario's debate, which must be there.
    pub(crate) fn debate(&self, scenario: &Scenario) -> DebateFiles {
        let workspace = self.healthy(scenario);
        let opened = match workspace.open_or_create(&scenario.request(), Freshness::GoOn) {
            // Its plan was edited since.
            Err(EngineError::NotAsTyped { plan_file, .. }) => return workspace.open(&plan_file).unwrap(),
            opened => opened.unwrap(),
        };
        assert!(opened.existed, "{}: there is no debate yet", scenario.name);
        opened.files
    }

    /// Plays a scenario's steps from `first` on.
    pub(crate) fn play(&self, scenario: &Scenario, disk: &Arc<dyn Disk>, first: usize) -> Result<Tale, Stopped> {
        let mut tale = Tale::default();
        let mut scripts = scenario.folder.clone();
        for (number, step) in scenario.steps.iter().enumerate() {
            if let Step::Run { script: Some(folder), .. } = step {
                scripts = scenario.folder.join(folder);
            }
            if number < first {
                continue;
            }
            let workspace = self.priced_workspace(Arc::clone(disk), &scripts, scenario.price);
            tale.end = self
                .step(&workspace, scenario, step, &mut tale.text)
                .map_err(|error| Stopped { step: number, error })?;
            tale.text.push_str(&tale.end);
        }
        Ok(tale)
    }

    /// Plays a whole scenario on the healthy disk.
    pub(crate) fn play_calmly(&self, scenario: &Scenario) -> Tale {
        let disk: Arc<dyn Disk> = self.disk();
        self.play(scenario, &disk, 0).unwrap_or_else(|stopped| panic!("{}: {}", scenario.name, stopped.error))
    }

    fn step(
        &self,
        workspace: &Workspace,
        scenario: &Scenario,
        step: &Step,
        text: &mut String,
    ) -> Result<String, EngineError> {
        let id = || Ok::<String, EngineError>(open(workspace, scenario)?.plan.id);
        match step {
            Step::Run { retry_absent, .. } => {
                let _ = writeln!(text, "$ run{}", if *retry_absent { " --retry-absent" } else { "" });
                let files = open(workspace, scenario)?;
                // Where money is counted one after the other: scripts answer at once, and all would have set theirs aside.
                let parallel = if scenario.price.is_some() { 1 } else { RunSettings::default().parallel };
                let settings = RunSettings { retry_absent: *retry_absent, parallel, ..RunSettings::default() };
                let notes = Notes::default();
                let end = on_a_free_clock(Run::new(workspace, settings, &notes).opened(files));
                text.push_str(&notes.text());
                Ok(ending(&end?))
            }
            Step::Decide { option, because, by } => {
                let _ = writeln!(text, "$ decide {option} --because {because:?} --by {by:?}");
                let decided = workspace.decide(&id()?, option, because, by)?;
                Ok(format!("wrote {}\n{}", decided.file, essentials(&decided.account)))
            }
            Step::Submit { seat, file, refused } => {
                let _ = writeln!(text, "$ submit {seat} --file {file}");
                let bytes = std::fs::read(scenario.folder.join(file)).unwrap();
                match workspace.submit(&id()?, &HandIn::new(seat, &bytes, "")) {
                    Ok(submitted) => Ok(format!("wrote {} ({})\n", submitted.file, submitted.turn)),
                    Err(EngineError::Turn(why)) if *refused => Ok(format!("refused: {why}\n")),
                    Err(error) => Err(error),
                }
            }
            Step::Leave { file, at } => {
                let path = self.root().join(at);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::copy(scenario.folder.join(file), path).unwrap();
                Ok(format!("$ (somebody writes {file} to {at})\n"))
            }
        }
    }
}

fn open(workspace: &Workspace, scenario: &Scenario) -> Result<DebateFiles, EngineError> {
    Ok(workspace.open_or_create(&scenario.request(), Freshness::GoOn)?.files)
}

/// Runs a future on one thread; whenever everything waits, the clock jumps to what it waits for.
pub(crate) fn on_a_free_clock<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(future)
}

/// Writes down what happens.
#[derive(Default)]
pub(crate) struct Notes(Mutex<Vec<Event>>);

impl Notes {
    pub(crate) fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }

    fn text(&self) -> String {
        self.events().iter().filter_map(line).map(|line| format!("  {line}\n")).collect()
    }
}

impl Watch for Notes {
    fn see(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

fn line(event: &Event) -> Option<String> {
    Some(match event {
        Event::Began { .. } | Event::Resumed { .. } | Event::Wave { .. } => return None,
        Event::Framed { options } => format!("framed: {}", options.join("; ")),
        Event::Asking { key, attempt, .. } if *attempt > 1 => format!("asks {key}, attempt {attempt}"),
        Event::Asking { key, .. } => format!("asks {key}"),
        Event::Repairing { key, problems } => format!("repairs {key}: {}", problems.join("; ")),
        Event::PossiblyPaid { key, attempt } => format!("possibly paid: {key}, attempt {attempt}"),
        Event::Spoke { key, tokens: Some(tokens), .. } => format!("{key} spoke, {tokens} tokens"),
        Event::Spoke { key, .. } => format!("{key} spoke"),
        Event::Absent { key, kind, detail, .. } => format!("{key} {}: {detail}", kind.phrase()),
        Event::TakenIn { key, file } => format!("takes in {key} from {file}"),
        Event::NotYet { key, problems, .. } => format!("not yet {key}: {}", problems.join("; ")),
        Event::Waiting { key, brief, .. } => format!("waits for {key}, who may read {brief}"),
        Event::Note(text) => format!("note: {text}"),
    })
}

fn ending(end: &RunEnd) -> String {
    match end {
        RunEnd::Concluded(account) => essentials(account),
        RunEnd::Held(account) => format!("held, nothing taken in\n{}", essentials(account)),
        RunEnd::NeedsOptions { plan_file, .. } => format!("needs options in {plan_file}\n"),
        RunEnd::Waiting { open, .. } => {
            let places: Vec<String> = open
                .iter()
                .map(|open| {
                    let what = match open.found {
                        Found::Nothing => "nothing there",
                        Found::NotYet { .. } => "not yet in form",
                        _ => "something there",
                    };
                    format!("{} ({what})", open.ask.key)
                })
                .collect();
            format!("waiting for {}\n", places.join(", "))
        }
    }
}

/// The essentials of an account: what must be the same however often the engine died on the way.
pub(crate) fn essentials(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let mut out = format!("outcome: {}\n", verdict.outcome().word());
    let mut put = |word: &str, text: &str| {
        let _ = writeln!(out, "{word}: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
    };
    for option in verdict.options() {
        put("option", &plan.option_name(option));
    }
    put("confidence", verdict.confidence().word());
    put("rounds", &verdict.ruling.rounds.to_string());
    put("degraded", if verdict.ruling.is_degraded() { "yes" } else { "no" });
    for vote in verdict.ruling.votes() {
        let cast = if vote.cast == vote.counted { String::new() } else { format!(" (cast {})", vote.cast) };
        put("vote", &format!("{} {}{cast}", vote.seat, vote.counted));
    }
    for change in verdict.ruling.changes() {
        let standing = if change.merit == Merit::Earned { "earned" } else { "unearned" };
        let cites = change.cites().join(", ");
        put("change", &format!("{} {} -> {}, {standing}, cites [{cites}]", change.seat, change.from, change.to));
    }
    for reason in &verdict.ruling.reasons {
        let stand = reason.stand.as_deref().map(|stand| format!(" ({stand})")).unwrap_or_default();
        put("reason", &format!("{}{stand}: {}", reason.seat, reason.text));
    }
    for position in verdict.ruling.positions() {
        put("position", &format!("v{} {}", position.version, position.text));
    }
    for dissent in &verdict.ruling.dissents {
        put("dissent", &format!("{}: {}", dissent.seat, dissent.text));
    }
    for assumption in verdict.ruling.assumptions() {
        put("assumption", &format!("{}: {}", assumption.seat, assumption.assumption));
    }
    for missing in &verdict.ruling.missing {
        put("missing", &format!("{} {}", missing.key, missing.kind.word()));
    }
    for finding in &verdict.ruling.findings {
        let word = if finding.gravity == Gravity::Blocks { "blocks" } else { "warns" };
        put(word, &format!("{}: {}", finding.file, finding.fact.sentence()));
    }
    for note in &verdict.ruling.notes {
        put("note", &note.to_string());
    }
    if let Some(decision) = &verdict.decision {
        put("decided", &format!("{} by {}: {}", plan.option_name(&decision.option), decision.by, decision.because));
    }
    out
}
