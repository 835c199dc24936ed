//! Scenarios: what is asked for, and what happens then, step by step.

use forge_artifacts::stamp::Stamp;
use forge_debate::plan::{Choice, Demands, Families, Hand, Material, Naming, SeatId, letter};
use forge_debate::voting::Threshold;
use forge_engine::Request;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// When everything happens.
pub(crate) fn moment() -> Stamp {
    Stamp::parse("2026-01-15T14:30:22Z").unwrap()
}

/// The folder of all scenarios.
pub(crate) fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// One story.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// The folder's name.
    #[serde(skip)]
    pub(crate) name: String,
    /// The folder.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
    /// What happens, for readers.
    #[allow(dead_code, reason = "read by people")]
    #[serde(default)]
    story: String,
    pub(crate) question: String,
    pub(crate) protocol: String,
    #[serde(default)]
    pub(crate) options: Vec<String>,
    #[serde(default)]
    pub(crate) materials: BTreeMap<String, String>,
    #[serde(default = "scripted")]
    pub(crate) hand: String,
    #[serde(default)]
    pub(crate) seats: BTreeMap<String, String>,
    pub(crate) roster: Option<String>,
    pub(crate) synthesizer: Option<String>,
    pub(crate) rounds: Option<u16>,
    pub(crate) threshold: Option<String>,
    #[serde(default = "half_a_minute")]
    pub(crate) timeout_seconds: u32,
    #[serde(default)]
    pub(crate) seed: u64,
    pub(crate) max_calls: Option<u32>,
    pub(crate) max_tokens: Option<u64>,
    /// In millionths of a US dollar.
    pub(crate) max_cost: Option<u64>,
    /// What tokens of a script cost, in millionths of a US dollar per million; nothing where it is not said.
    pub(crate) price: Option<u64>,
    #[serde(default)]
    pub(crate) named: bool,
    #[serde(default)]
    pub(crate) same_family: bool,
    pub(crate) phase: Option<String>,
    pub(crate) feature_dir: Option<String>,
    pub(crate) id: Option<String>,
    /// A word by which each seat's blind words can be told from all others'.
    #[serde(default)]
    pub(crate) markers: BTreeMap<String, String>,
    #[serde(default = "just_run")]
    pub(crate) steps: Vec<Step>,
}

/// One command, or something that a person does to the files.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Step {
    /// The same request again: makes the debate, or goes on with it.
    Run {
        #[serde(default)]
        retry_absent: bool,
        /// A folder below the scenario's whose `script.yaml` is followed from here on.
        script: Option<String>,
    },
    /// A person decides.
    Decide { option: String, because: String, by: String },
    /// Somebody hands in a file of the scenario, which is taken or refused.
    Submit {
        seat: String,
        file: String,
        #[serde(default)]
        refused: bool,
    },
    /// Somebody writes a file of the scenario to a place in the workspace, without forge.
    Leave { file: String, at: String },
}

fn scripted() -> String {
    "scripted:script.yaml".to_owned()
}

fn half_a_minute() -> u32 {
    30
}

fn just_run() -> Vec<Step> {
    vec![Step::Run { retry_absent: false, script: None }]
}

impl Scenario {
    /// The scenario of that name.
    pub(crate) fn load(name: &str) -> Self {
        let folder = golden().join(name);
        let path = folder.join("scenario.yaml");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { name: name.to_owned(), folder, ..Self::parse(&text) }
    }

    /// A scenario made up for one test; its script is written to `folder`.
    pub(crate) fn improvise(folder: &Path, scenario: &str, script: &str) -> Self {
        std::fs::write(folder.join("script.yaml"), script).unwrap();
        Self { name: "improvised".to_owned(), folder: folder.to_owned(), ..Self::parse(scenario) }
    }

    fn parse(text: &str) -> Self {
        serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
    }

    /// What the user asks for.
    pub(crate) fn request(&self) -> Request {
        let option =
            |(i, label): (usize, &String)| Choice { id: letter(i), label: label.clone(), description: String::new() };
        Request {
            question: self.question.clone(),
            protocol: &forge_debate::protocols::newest(&self.protocol).unwrap().profile,
            options: self.options.iter().enumerate().map(option).collect(),
            materials: self
                .materials
                .iter()
                .map(|(name, text)| Material { name: name.clone(), text: text.clone() })
                .collect(),
            hand: Hand::parse(&self.hand),
            seating: forge_engine::Seating::Named,
            stated_families: Default::default(),
            seats: self.seats.iter().map(|(seat, hand)| (SeatId::from(seat.as_str()), Hand::parse(hand))).collect(),
            roster: self.roster.clone(),
            synthesizer: self.synthesizer.as_deref().map(SeatId::from),
            rounds: self.rounds,
            threshold: self.threshold.as_deref().map_or(Threshold::TWO_THIRDS, |t| Threshold::parse(t).unwrap()),
            min_rounds: None,
            timeout_seconds: self.timeout_seconds,
            seed: Some(self.seed),
            max_calls: self.max_calls,
            max_tokens: self.max_tokens,
            max_cost: self.max_cost,
            naming: if self.named { Naming::Named } else { Naming::Anonymous },
            families: if self.same_family { Families::MayBeTheSame } else { Families::MustDiffer },
            demands: Demands::default(),
            control: None,
            phase: self.phase.clone(),
            feature_dir: self.feature_dir.clone(),
            id: self.id.clone(),
            challenge: Default::default(),
            occasion: None,
            at_stake: Vec::new(),
        }
    }
}
