//! A fifth protocol is one file (`show_of_hands.rs`) and the line below: making, running, showing, exporting, verifying and
//! listing its debates work, and nothing of forge's own protocols is in what it leaves.

use crate::show_of_hands;
use crate::stage::{Stage, on_a_free_clock};
use crate::tree::Tree;
use forge_artifacts::disk::Disk;
use forge_artifacts::formats::picture::Picture;
use forge_artifacts::formats::verdict::Account;
use forge_debate::plan::{Choice, Hand, letter};
use forge_debate::protocols::{Protocol, Protocols};
use forge_debate::verdict::Outcome;
use forge_engine::config::DebateDefaults;
use forge_engine::{
    EngineError, Estimate, Export, Freshness, MAX_OUTPUT_TOKENS, Request, Run, RunEnd, RunSettings, Seating, Silent,
    Workspace, export,
};
use std::sync::Arc;

static KNOWN: &[&Protocol] = &[&show_of_hands::PROTOCOL];

fn workspace(stage: &Stage) -> Workspace {
    let disk: Arc<dyn Disk> = stage.disk();
    Workspace { protocols: Protocols(KNOWN), ..stage.workspace(disk, stage.root()) }
}

fn request(labels: &[&str]) -> Request {
    let option =
        |(i, label): (usize, &&str)| Choice { id: letter(i), label: (*label).to_owned(), description: String::new() };
    let options = labels.iter().enumerate().map(option).collect();
    let question = "Where do we meet in winter?";
    Request {
        hand: Hand::parse("rehearsal"),
        seating: Seating::Named,
        ..DebateDefaults::of_forge().request(&show_of_hands::PROTOCOL.profile, question, options, None)
    }
}

/// Holds a debate to its end.
fn held(stage: &Stage) -> (Workspace, String, Box<Account>) {
    let workspace = workspace(stage);
    let request = request(&["The library", "The town hall"]);
    let files = workspace.open_or_create(&request, Freshness::GoOn).unwrap().files;
    let plan_file = files.layout.plan();
    let run = Run::new(&workspace, RunSettings::default(), &Silent);
    match on_a_free_clock(run.opened(files)).unwrap() {
        RunEnd::Concluded(account) => (workspace.clone(), plan_file, account),
        end => panic!("{end:?}"),
    }
}

/// Words that only stand in the files of forge's own protocols.
const OTHERS: [&str; 10] = [
    "judges",
    "gate",
    "panel",
    "challenger",
    "synthesis",
    "advocate",
    "referee",
    "contrarian",
    "objection",
    "the lead",
];

#[test]
fn its_debate_is_made_and_held_and_nothing_of_the_others_is_in_it() {
    let stage = Stage::new();
    let (_, plan_file, account) = held(&stage);
    assert!(matches!(account.verdict.outcome(), Outcome::Decided | Outcome::Contested), "{:?}", account.verdict);
    assert_eq!(account.turns.len(), 4);
    let dir = plan_file.strip_suffix("/plan.md").unwrap().to_owned();
    let files = stage.tree().0;
    for file in ["plan.md", "verdict.md", "hands/north.md", "hands/east.md", "hands/south.md", "hands/west.md"] {
        assert!(files.contains_key(&format!("{dir}/{file}")), "{file}: {:?}", files.keys());
    }
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with(&dir)) {
        let text = String::from_utf8(bytes.clone()).unwrap().to_lowercase();
        let found: Vec<&str> = OTHERS.into_iter().filter(|word| text.contains(word)).collect();
        assert_eq!(found, Vec::<&str>::new(), "{path}:\n{text}");
    }
    let plan = String::from_utf8(files[&plan_file].clone()).unwrap();
    for wanted in [
        "protocol: \"show-of-hands@1\"",
        "## Completion Criteria\n\nEvery hand was asked for once; more than half of those that are up decide.\n",
        "| Hands | 4 | 4 |",
        "with these sections, each under a heading of its own:\n\n- `Why My Hand Is Up`",
    ] {
        assert!(plan.contains(wanted), "{wanted}:\n{plan}");
    }
}

#[test]
fn its_plan_reads_back_and_its_cost_is_told_before() {
    let stage = Stage::new();
    let workspace = workspace(&stage);
    let files = workspace.open_or_create(&request(&["The library", "The town hall"]), Freshness::GoOn).unwrap().files;
    let again = workspace.open(&files.plan.id).unwrap();
    assert_eq!(again.plan, files.plan);
    assert_eq!(*again.protocol, show_of_hands::PROTOCOL);
    let estimate = Estimate::of(&workspace, &files.plan, files.protocol, &files.texts, MAX_OUTPUT_TOKENS).unwrap();
    assert_eq!((estimate.total.min_calls, estimate.total.max_calls), (4, 4));
    assert!(
        estimate.briefs[0].text().contains("Raise your hand for one of 2 options."),
        "{}",
        estimate.briefs[0].text()
    );
}

#[test]
fn every_report_is_made_of_it_and_it_verifies() {
    let stage = Stage::new();
    let (workspace, plan_file, account) = held(&stage);
    let pictures = [Picture::Positions, Picture::Challenges].map(Export::Picture);
    let forms = [Export::Markdown, Export::Json, Export::Yaml, Export::Adr, Export::Html];
    for form in forms.into_iter().chain(pictures) {
        let text = export(&account, form);
        assert!(!text.is_empty(), "{form:?}");
        let lower = text.to_lowercase();
        let found: Vec<&str> = OTHERS.into_iter().filter(|word| lower.contains(word)).collect();
        assert_eq!(found, Vec::<&str>::new(), "{form:?}:\n{text}");
    }
    let report = workspace.verify(&account.plan.id).unwrap();
    assert!(report.holds(), "{report:#?}");
    assert!(
        workspace.list().unwrap().iter().any(|row| row.plan_file == plan_file && row.protocol == "show-of-hands@1")
    );
    // Somebody raises another's hand afterwards.
    let hand = plan_file.replace("plan.md", "hands/north.md");
    let text = String::from_utf8(stage.tree().0[&hand].clone()).unwrap();
    std::fs::write(stage.root().join(&hand), text.replacen("north", "worth", 1)).unwrap();
    assert!(!workspace.verify(&account.plan.id).unwrap().holds());
}

#[test]
fn a_workspace_that_does_not_know_it_says_so() {
    let stage = Stage::new();
    let (known, plan_file, _) = held(&stage);
    let before: Tree = stage.tree();
    let stranger = Workspace { protocols: Protocols::default(), ..known };
    let text = match stranger.open(&plan_file) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("opened"),
    };
    assert!(
        text.contains("unknown protocol \"show-of-hands\"; the protocols are judges, gate, panel, challenge"),
        "{text}"
    );
    let refused = stranger.open_or_create(&request(&["The inn", "The barn"]), Freshness::New);
    assert!(matches!(refused, Err(EngineError::Usage(text)) if text.contains("unknown protocol")));
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new());
}
