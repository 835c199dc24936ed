//! Two engines at once, and two requests at once.

use crate::scenario::Scenario;
use crate::stage::{Stage, on_a_free_clock};
use crate::tree::Tree;
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_debate::plan::Material;
use forge_engine::{EngineError, Freshness, Opened, Request, Run, RunEnd, RunSettings, Silent, HandIn};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use futures_util::FutureExt as _;
use std::collections::BTreeSet;
use std::sync::{Arc, Barrier};

/// Threads that want the same at the same moment.
const THREADS: usize = 8;

#[test]
fn a_second_run_is_told_at_once_who_holds_the_debate() {
    let scenario = Scenario::load("judges-one-hangs-one-garbage-repaired");
    let stage = Stage::new();
    let workspace = stage.healthy(&scenario);
    let files = workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap().files;
    let (plan, id) = (files.layout.plan(), files.plan.id.clone());
    // Another process: its own handles on everything.
    let other = stage.healthy(&scenario);
    on_a_free_clock(async {
        let first = Run::new(&workspace, RunSettings::default(), &Silent);
        let second = Run::new(&other, RunSettings::default(), &Silent);
        let mut running = Box::pin(first.debate(&plan));
        assert!((&mut running).now_or_never().is_none(), "a seat hangs");
        let before = stage.tree();
        let refused = second.debate(&plan).now_or_never().expect("at once");
        assert_busy(refused.map(|_| ()));
        assert_busy(other.decide(&id, "A", "because", "Ada").map(|_| ()));
        assert_busy(other.submit(&id, &HandIn::new("risk", b"words", "")).map(|_| ()));
        assert_busy(other.regenerate(&id).map(|_| ()));
        assert_eq!(stage.tree().differences(&before), Vec::<String>::new());
        assert!(matches!(running.await, Ok(RunEnd::Concluded(_))));
    });
    let again = on_a_free_clock(Run::new(&other, RunSettings::default(), &Silent).debate(&plan));
    assert!(matches!(again, Ok(RunEnd::Concluded(_))), "the lock is free again");
}

fn assert_busy(result: Result<(), EngineError>) {
    match result {
        Err(EngineError::Busy { holder, .. }) => {
            assert!(holder.contains(&format!("pid {}", std::process::id())), "{holder}");
        }
        other => panic!("expected to be told that it is busy: {other:?}"),
    }
}

#[test]
fn a_run_that_is_dropped_lets_go() {
    let scenario = Scenario::load("judges-one-hangs-one-garbage-repaired");
    let stage = Stage::new();
    let workspace = stage.healthy(&scenario);
    let plan = workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap().files.layout.plan();
    on_a_free_clock(async {
        let run = Run::new(&workspace, RunSettings::default(), &Silent);
        assert!(run.debate(&plan).now_or_never().is_none());
        assert!(matches!(run.debate(&plan).await, Ok(RunEnd::Concluded(_))));
    });
}

/// Many threads make debates from requests at the same moment.
fn make_at_once(stage: &Stage, scenario: &Scenario, requests: &[Request]) -> Vec<Opened> {
    let barrier = Barrier::new(requests.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = requests
            .iter()
            .map(|request| {
                let (workspace, barrier) = (stage.healthy(scenario), &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    workspace.open_or_create(request, Freshness::GoOn).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn those_who_ask_for_the_same_share_one_debate() {
    for name in ["judges-consensus-round-1", "gate-decided", "panel-escalated", "challenge-fast-exit"] {
        let scenario = Scenario::load(name);
        let stage = Stage::new();
        let opened = make_at_once(&stage, &scenario, &vec![scenario.request(); THREADS]);
        let plans: BTreeSet<String> = opened.iter().map(|opened| opened.files.layout.plan()).collect();
        assert_eq!(plans.len(), 1, "{name}: {plans:?}");
        assert_eq!(opened.iter().filter(|opened| !opened.existed).count(), 1, "{name}: one of them made it");
    }
}

#[test]
fn those_who_ask_for_something_else_never_share_a_directory() {
    for name in ["judges-consensus-round-1", "gate-decided", "panel-escalated", "challenge-fast-exit"] {
        let scenario = Scenario::load(name);
        let stage = Stage::new();
        // The same question in the same second: only the time limit differs.
        let request = |n: usize| Request { timeout_seconds: 10 + u32::try_from(n).unwrap(), ..scenario.request() };
        let requests: Vec<Request> = (0..THREADS).map(request).collect();
        let opened = make_at_once(&stage, &scenario, &requests);
        assert!(opened.iter().all(|opened| !opened.existed), "{name}");
        let trails: BTreeSet<String> = opened.iter().map(|opened| opened.files.layout.trail("")).collect();
        assert_eq!(trails.len(), THREADS, "{name}: {trails:?}");
        for (opened, request) in opened.iter().zip(&requests) {
            assert_eq!(opened.files.plan.limits.timeout_seconds, request.timeout_seconds, "{name}");
        }
    }
}

#[test]
fn a_new_debate_of_the_same_request_is_another_one() {
    let scenario = Scenario::load("gate-decided");
    let stage = Stage::new();
    let workspace = stage.healthy(&scenario);
    let made: Vec<String> = [Freshness::GoOn, Freshness::New, Freshness::New, Freshness::GoOn]
        .map(|freshness| workspace.open_or_create(&scenario.request(), freshness).unwrap().files.plan.id)
        .into();
    assert_eq!(made[0], made[3]);
    assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), 3, "{made:?}");
}

/// A name that is taken is refused, and the debate that has it is none the worse.
#[test]
fn a_taken_name_harms_nobody() {
    let scenario = Scenario::load("judges-consensus-round-1");
    let stage = Stage::new();
    let workspace = stage.healthy(&scenario);
    let material = |text: &str| vec![Material { name: "traffic.md".to_owned(), text: text.to_owned() }];
    let first = Request { id: Some("cache".to_owned()), materials: material("as it was"), ..scenario.request() };
    let second = Request { materials: material("as somebody else has it"), ..first.clone() };
    workspace.open_or_create(&first, Freshness::GoOn).unwrap();
    let before = stage.tree();
    let refused = workspace.open_or_create(&second, Freshness::GoOn).map(|opened| opened.existed);
    assert!(matches!(refused, Err(EngineError::Usage(_))), "{refused:?}");
    let mut after = stage.tree();
    after.0.retain(|path, _| !path.starts_with(".claude/"));
    let mut kept = before;
    kept.0.retain(|path, _| !path.starts_with(".claude/"));
    assert_eq!(after.differences(&kept), Vec::<String>::new());
    assert_eq!(workspace.open("cache").unwrap().plan.materials[0].text, "as it was");
}

/// What a creation left that died before its plan is no part of the next debate of that name.
#[test]
fn leftovers_of_a_dead_creation_are_not_read() {
    const GIVEN_UP: &str = "An old instruction that was given up.";
    let scenario = Scenario::load("judges-consensus-round-1");
    let stage = Stage::new();
    let prompt = stage.root().join(".claude/forge/prompts/judges/opening.md");
    std::fs::create_dir_all(prompt.parent().unwrap()).unwrap();
    std::fs::write(&prompt, GIVEN_UP).unwrap();
    // Each creation dies one write later, until the prompt has been copied.
    let copied = || stage.tree().0.keys().any(|path| path.contains("trail/prompts/"));
    for at in (1..).take_while(|_| !copied()) {
        let disk = DyingDisk::dying(stage.disk(), Death { at, manner: Manner::AfterRename });
        let dying = stage.workspace(Arc::new(disk), &scenario.folder);
        assert!(dying.open_or_create(&scenario.request(), Freshness::GoOn).is_err());
    }
    std::fs::remove_file(&prompt).unwrap();

    stage.play_calmly(&scenario);
    for (turn, _, brief) in stage.tree().trail("briefs") {
        assert!(!String::from_utf8_lossy(brief).contains(GIVEN_UP), "{turn}");
    }
}

/// The index of requests is for finding only: with it gone, the same request still finds its debate.
#[test]
fn without_the_index_the_same_request_finds_its_debate() {
    let (one, two) = (Scenario::load("judges-consensus-round-1"), Scenario::load("gate-decided"));
    let stage = Stage::new();
    let index = stage.root().join(".claude/forge/requests");
    let open = |scenario: &Scenario| {
        stage.healthy(scenario).open_or_create(&scenario.request(), Freshness::GoOn).unwrap().existed
    };
    assert!(!open(&one));
    std::fs::remove_dir_all(&index).unwrap();
    assert!(open(&one), "at once");
    assert!(!open(&two));
    assert!(open(&one), "after another debate was made");
    assert!(open(&two));
}

/// Two debates at the same time in one workspace, on the disk that syncs every write.
#[test]
fn debates_side_by_side_do_not_meet() {
    let (one, two) = (Scenario::load("judges-consensus-round-1"), Scenario::load("gate-decided"));
    let stage = Stage::new();
    let disk: Arc<dyn Disk> = Arc::new(WorkspaceDisk::open(stage.root(), Durability::Full).unwrap());
    let workspaces = [&one, &two].map(|scenario| stage.workspace(Arc::clone(&disk), &scenario.folder));
    let plans = [(&one, &workspaces[0]), (&two, &workspaces[1])].map(|(scenario, workspace)| {
        workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap().files.layout.plan()
    });
    on_a_free_clock(async {
        let runs = [0, 1].map(|n| Run::new(&workspaces[n], RunSettings::default(), &Silent));
        let (first, second) = tokio::join!(runs[0].debate(&plans[0]), runs[1].debate(&plans[1]));
        assert!(matches!((first, second), (Ok(RunEnd::Concluded(_)), Ok(RunEnd::Concluded(_)))));
    });
    let found = stage.tree();
    let apart = [&one, &two].map(|scenario| {
        let stage = Stage::new();
        stage.play_calmly(scenario);
        stage.tree()
    });
    let expected = Tree(apart.into_iter().flat_map(|tree| tree.0).collect());
    assert_eq!(found.differences(&expected), Vec::<String>::new());
}
