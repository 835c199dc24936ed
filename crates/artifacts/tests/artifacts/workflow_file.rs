//! The workflow file: the ten, a project's changes to them, and its own phases.

use forge_artifacts::formats::workflow_file::{Defect, ENTRIES_LIMIT, TEN_IDS, read, ten, write};
use forge_workflow::definition::{
    Definition, DoneWhen, EntryAction, ExitCriterion, FileRead, PHASES_LIMIT, Phase, Remark, Setting, TEN, Trigger,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn refused(text: &str) -> Defect {
    match read(text) {
        Err(defect) => defect,
        Ok(definition) => panic!("{text}\n{definition:?}"),
    }
}

fn phases(phases: &Value) -> String {
    json!({"phases": phases}).to_string()
}

fn own(phases: &Value) -> String {
    json!({"replace": true, "phases": phases}).to_string()
}

/// What the file says, without where it says it.
fn said(text: &str) -> Definition {
    Definition { file: FileRead::default(), ..read(text).unwrap() }
}

fn titles(phase: &Phase) -> Vec<&str> {
    phase.checklist.iter().map(|check| check.title.as_str()).collect()
}

// seed: S0-60, S0-61, S0-73
#[test]
fn the_ten_are_as_specified() {
    let ten = ten();
    let ids: Vec<&str> = ten.phases.iter().map(|phase| phase.id.as_str()).collect();
    assert_eq!(ids, TEN_IDS);
    assert_eq!(said(TEN), ten, "the file itself is read and not the fallback");
    let debates: Vec<(bool, Option<Trigger>)> =
        ten.phases.iter().map(|phase| (phase.debate.enabled, phase.debate.trigger)).collect();
    assert_eq!(
        debates,
        [
            (false, None),
            (true, Some(Trigger::Always)),
            (true, Some(Trigger::RiskThreshold)),
            (true, Some(Trigger::MajorDecision)),
            (true, Some(Trigger::ExplicitOnly)),
            (true, Some(Trigger::RiskThreshold)),
            (false, None),
            (true, Some(Trigger::ExplicitOnly)),
            (false, None),
            (false, None),
        ]
    );
    for phase in &ten.phases {
        assert_eq!(phase.debate.protocol, "gate");
        assert_eq!(phase.exit_criteria, ExitCriterion::ALL);
        assert!(phase.entry_actions.starts_with(&EntryAction::ALL[..3]), "{}", phase.id);
        assert!(!phase.name.is_empty() && !phase.description.is_empty());
        let worked_in = !matches!(phase.id.as_str(), "init" | "brainstorm");
        assert_eq!(worked_in, !phase.sections.is_empty(), "{}", phase.id);
        assert_eq!(phase.id == "init", phase.tasks.is_empty(), "{}", phase.id);
    }
    let brainstorm = ten.phase("brainstorm").unwrap();
    let tasks: Vec<(&str, DoneWhen)> = brainstorm.tasks.iter().map(|task| (task.id.as_str(), task.done_when)).collect();
    assert_eq!(
        tasks,
        [
            ("task-01-explore-options", DoneWhen::OptionsListed),
            ("task-02-generate-debate-plan", DoneWhen::DebatePlanned),
            ("task-03-wait-debate-completion", DoneWhen::GatePassed),
            ("task-04-synthesize-decision", DoneWhen::DecisionRecorded),
        ]
    );
    assert_eq!(brainstorm.options_document(), "docs/forge/brainstorm-options.md");
    assert!(brainstorm.entry_actions.contains(&EntryAction::CreateOptionsDocument));
    assert_eq!((ten.debates.risk_threshold, ten.debates.component_threshold), (6, 3));
}

#[test]
fn an_empty_object_is_the_ten() {
    assert_eq!(read("{}").unwrap(), ten());
    assert_eq!(read("\u{FEFF}{\"phases\": []}").unwrap(), ten());
}

// seed: S0-58
#[test]
fn a_project_changes_single_settings() {
    let text = json!({
        "name": "ours",
        "quickCommands": {"x": 1},
        "debate_config": {"risk_threshold": 4, "unknown": true},
        "phases": [
            {"id": "learn", "description": "Look back.", "skill": "x", "command": "/learn", "optional": true, "gate": "soft"},
            {"id": "design", "debate_trigger": "always", "artifacts": ["src/", "docs/forge/debate/design-<id>/synthesis.md"]},
        ],
    });
    let read = said(&text.to_string());
    let mut expected = ten();
    expected.name = "ours".to_owned();
    expected.debates.risk_threshold = 4;
    expected.phases[9].description = "Look back.".to_owned();
    expected.phases[3].debate.trigger = Some(Trigger::Always);
    expected.phases[3].artifacts = vec!["src/".to_owned(), "docs/forge/debate/design-<id>/synthesis.md".to_owned()];
    assert_eq!(read, expected);
}

// seed: S0-70, S0-71
#[test]
fn debate_settings_flat_and_nested() {
    let debate = |phase: Value| read(&phases(&json!([phase]))).unwrap().phase("build").unwrap().debate.clone();
    let flat = debate(
        json!({"id": "build", "debate_enabled": true, "debate_trigger": "always", "debate_protocol": "judges", "options_document": "docs/o.md"}),
    );
    let nested = debate(
        json!({"id": "build", "debate_gate": {"required": true, "trigger": "always", "protocol": "judges", "options_document": "docs/o.md"}}),
    );
    let both =
        debate(json!({"id": "build", "debate_enabled": true, "debate_trigger": "always", "debate_protocol": "judges",
        "options_document": "docs/o.md", "debate_gate": {"enabled": true, "required": true, "trigger": "always"}}));
    assert_eq!(flat, nested);
    assert_eq!(flat, both);
    assert!(flat.enabled && flat.trigger == Some(Trigger::Always) && flat.protocol == "judges");
    assert!(debate(json!({"id": "build", "debate_trigger": "always"})).enabled, "a trigger is meant to be looked at");
    assert!(!debate(json!({"id": "build", "debate_trigger": "always", "debate_enabled": false})).enabled);
    let none = read(&phases(&json!([{"id": "brainstorm", "debate_trigger": null, "options_document": null}]))).unwrap();
    let none = &none.phase("brainstorm").unwrap().debate;
    assert_eq!((none.enabled, none.trigger, &none.options_document), (true, None, &None), "null takes a value away");
}

#[test]
fn a_project_has_phases_of_its_own() {
    let text = own(&json!([
        {"id": "brainstorm", "name": "Ideas"},
        {"id": "ship", "tasks": ["Tag the release: v1.0!", {"title": "Tell everybody"}, {"id": "t3", "title": "Rest", "done_when": "gate_passed"}, "Ünïcödé"],
         "entry_actions": ["read_handoff", "Read the release notes first"],
         "exit_criteria": ["todo_ticked", "The release is out"], "sections": ["## Notes"]},
    ]));
    let read = read(&text).unwrap();
    assert_eq!(read.phases.len(), 2);
    assert_eq!(read.phases[0].tasks.len(), 4, "a known phase keeps what is not said");
    assert_eq!(read.phases[0].name, "Ideas");
    let ship = &read.phases[1];
    let ids: Vec<&str> = ship.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["task-01-tag-the-release-v1-0", "task-02-tell-everybody", "t3", "task-04-n-c-d"]);
    assert_eq!(ship.name, "Ship");
    assert_eq!(ship.entry_actions, [EntryAction::ReadHandoff]);
    assert_eq!(ship.entry_notes, ["Read the release notes first"]);
    assert_eq!(ship.exit_criteria, [ExitCriterion::TodoTicked]);
    assert_eq!(titles(ship), ["The release is out"]);
    assert_eq!(ship.sections, ["Notes"]);
    assert!(ship.debate.enabled && ship.debate.trigger.is_none() && ship.debate.protocol == "gate");
}

// seed: S0-58
#[test]
fn every_refusal_says_where_and_what() {
    let at = |phase: Value| refused(&phases(&json!([{"id": "plan"}, {"id": "init"}, phase]))).to_string();
    let cases = [
        (
            at(json!({"id": "test", "debate_trigger": "sometimes"})),
            "$.phases[2].debate_trigger: \"sometimes\" is not a trigger; expected one of always, major_decision, risk_threshold, never, explicit_only",
        ),
        (at(json!({"id": "test", "debate_trigger": "alway"})), "did you mean \"always\"?"),
        (at(json!({"id": "test", "debate_gate": {"trigger": "nevr"}})), "$.phases[2].debate_gate.trigger: \"nevr\""),
        (at(json!({"id": "plan"})), "$.phases[2].id: there is a phase \"plan\" already"),
        (at(json!({"id": "ship"})), "set \"replace\": true"),
        (at(json!({"id": "desing"})), "did you mean \"design\"?"),
        (at(json!({"id": "../x"})), "$.phases[2].id: \"../x\" cannot be an id"),
        (at(json!({"id": ""})), "it is empty"),
        (at(json!({})), "$.phases[2].id: it is missing"),
        (at(json!("test")), "$.phases[2]: \"test\" is not an object"),
        (at(json!({"id": 3})), "$.phases[2].id: 3 is not a text"),
        (at(json!({"id": "test", "tasks": "x"})), "$.phases[2].tasks: \"x\" is not a list"),
        (at(json!({"id": "test", "tasks": [7]})), "$.phases[2].tasks[0]: 7 is not a task"),
        (at(json!({"id": "test", "tasks": [{"id": "a"}]})), "$.phases[2].tasks[0].title: it is missing"),
        (
            at(json!({"id": "test", "tasks": [{"id": "a b", "title": "x"}]})),
            "$.phases[2].tasks[0].id: \"a b\" cannot be an id",
        ),
        (at(json!({"id": "test", "tasks": [{"id": "a", "title": "x"}, {"id": "a", "title": "y"}]})), "ids must differ"),
        (at(json!({"id": "test", "tasks": [{"title": "x", "done_when": "tickd"}]})), "did you mean \"ticked\"?"),
        (
            at(json!({"id": "test", "entry_actions": ["read_handof"]})),
            "$.phases[2].entry_actions[0]: \"read_handof\" is not an entry action",
        ),
        (at(json!({"id": "test", "exit_criteria": ["todo_tick"]})), "did you mean \"todo_ticked\"?"),
        (
            at(json!({"id": "test", "artifacts": ["/etc/passwd"]})),
            "$.phases[2].artifacts[0]: \"/etc/passwd\" is not a path inside the workspace: it is absolute",
        ),
        (at(json!({"id": "test", "artifacts": ["a/../../b"]})), "it leads upwards"),
        (at(json!({"id": "test", "artifacts": ["C:\\x"]})), "it is absolute"),
        (at(json!({"id": "test", "artifacts": ["a\\..\\b"]})), "characters"),
        (at(json!({"id": "test", "artifacts": [""]})), "it is empty"),
        (at(json!({"id": "test", "options_document": "docs/"})), "it is a folder"),
        (at(json!({"id": "test", "options_document": "../o.md"})), "it leads upwards"),
        (at(json!({"id": "test", "options_document": ".env"})), "it is hidden"),
        (at(json!({"id": "test", "options_document": "docs/.env"})), "it is hidden"),
        (at(json!({"id": "test", "options_document": ".git/hooks/pre-commit"})), "it is hidden"),
        (at(json!({"id": "test", "options_document": ".GIT/index.lock"})), "it is hidden"),
        (at(json!({"id": "test", "options_document": "docs/.github/x.md"})), "it is hidden"),
        (at(json!({"id": "test", "options_document": "./docs/o.md"})), "it is hidden"),
        (at(json!({"id": "test", "options_document": ".claude/settings.json"})), "it is hidden"),
        (at(json!({"id": "test", "options_document": "Jenkinsfile"})), "such as docs/forge/options.md"),
        (at(json!({"id": "test", "options_document": "docs/deploy.key"})), "that ends with .md"),
        (at(json!({"id": "test", "options_document": "src/options.md"})), "in a folder docs, doc"),
        (at(json!({"id": "test", "options_document": "docs/a\u{200b}b.md"})), "characters"),
        (at(json!({"id": "test", "options_document": "docs/a\u{202e}b.md"})), "characters"),
        (at(json!({"id": "test", "debate_gate": {"options_document": "docs/.env"}})), "it is hidden"),
        (at(json!({"id": "test", "sections": [" "]})), "$.phases[2].sections[0]"),
        (at(json!({"id": "test", "name": "a\nb"})), "$.phases[2].name"),
        (
            at(json!({"id": "test", "debate_enabled": "yes"})),
            "$.phases[2].debate_enabled: \"yes\" is not true or false",
        ),
        (at(json!({"id": "test", "debate_gate": true})), "$.phases[2].debate_gate: true is not an object"),
        (
            at(json!({"id": "test", "debate_protocol": "jugdes"})),
            "$.phases[2].debate_protocol: unknown protocol \"jugdes\"",
        ),
        (
            at(json!({"id": "test", "debate_gate": {"enabled": true, "debate_enabled": false}})),
            "$.phases[2].debate_gate.debate_enabled: false is not what $.phases[2].debate_gate.enabled says; leave one of the two out",
        ),
        (
            refused(
                "{\"phases\": [{\"id\": \"design\", \"debate_trigger\": \"always\",\n\"debate_trigger\": \"never\"}]}",
            )
            .to_string(),
            "line 2, column 16: $.phases[0].debate_trigger stands here a second time: keep one of them",
        ),
        (
            at(json!({"id": "test", "debate_enabled": false, "debate_gate": {"required": true}})),
            "$.phases[2].debate_enabled: $.phases[2].debate_gate.required says that the debate is required",
        ),
        (
            at(json!({"id": "test", "debate_trigger": "always", "debate_gate": {"trigger": "never"}})),
            "$.phases[2].debate_gate.trigger: \"never\" is not what $.phases[2].debate_trigger says",
        ),
        (
            refused("{\"phase_order\": [\"init\", \"research\"]}").to_string(),
            "$.phase_order: the phases are init, brainstorm, research, design, plan, test, build, validate, review, learn; leave phase_order out, or set \"replace\": true",
        ),
        (
            refused(
                "{\"replace\": true, \"phases\": [{\"id\": \"a\"}, {\"id\": \"b\"}], \"phase_order\": [\"b\", \"a\"]}",
            )
            .to_string(),
            "$.phase_order: the phases are a, b; list the phases in the order",
        ),
        (
            refused("{\"debate_config\": {\"risk_threshold\": 10}}").to_string(),
            "$.debate_config.risk_threshold: expected a risk score from 1 to 9",
        ),
        (refused("{\"debate_config\": {\"risk_threshold\": 0}}").to_string(), "from 1 to 9"),
        (refused("{\"debate_config\": {\"risk_threshold\": \"6\"}}").to_string(), "\"6\" is not a whole number"),
        (
            refused("{\"debate_config\": {\"component_threshold\": 5000000000}}").to_string(),
            "$.debate_config.component_threshold",
        ),
        (
            refused("{\"debate_config\": {\"default_trigger\": \"major\"}}").to_string(),
            "$.debate_config.default_trigger: \"major\" is not a trigger",
        ),
        (refused("[]").to_string(), "$: [] is not an object"),
        (refused("{\"replace\": true}").to_string(), "$.phases: it is missing"),
        (refused("{\"replace\": true, \"phases\": []}").to_string(), "$.phases: it is empty"),
        (refused("{\"replace\": 1}").to_string(), "$.replace: 1 is not true or false"),
        (refused("{\n  \"phases\": [,]\n}").to_string(), "line 2, column 14: not JSON: expected value"),
        (refused("").to_string(), "line 1, column 0: not JSON"),
        (
            refused(&own(&json!([{"id": "Ship"}, {"id": "ship"}]))).to_string(),
            "$.phases[1].id: there is a phase \"Ship\" already",
        ),
    ];
    for (said, expected) in cases {
        assert!(said.contains(expected), "{said}\nlacks\n{expected}");
    }
}

#[test]
fn lists_have_limits() {
    let many: Vec<Value> = (0..=PHASES_LIMIT).map(|i| json!({"id": format!("p{i}")})).collect();
    assert!(refused(&own(&json!(many))).expected.contains("the limit is 64"));
    let many: Vec<String> = (0..=ENTRIES_LIMIT).map(|i| format!("do {i}")).collect();
    assert_eq!(refused(&phases(&json!([{"id": "plan", "tasks": many}]))).path, "$.phases[0].tasks");
}

#[test]
fn the_ten_are_written_and_read() {
    let text = write(&ten());
    assert_eq!(said(&text), ten());
    assert!(text.contains("\n  \"replace\": true,\n") && text.ends_with("}\n"));
}

fn phase_value() -> impl Strategy<Value = Value> {
    let id =
        prop_oneof![prop::sample::select(TEN_IDS.to_vec()).prop_map(str::to_owned), "[a-zA-Z_][a-zA-Z0-9_-]{0,10}"];
    let words = |known: Vec<&'static str>| {
        let known = prop::sample::select(known).prop_map(str::to_owned);
        prop::collection::vec(prop_oneof![known, "[a-z]{1,5} \\PC{0,10}[a-z]"], 0..4)
    };
    let entry = words(EntryAction::ALL.map(EntryAction::word).to_vec());
    let exit = words(ExitCriterion::ALL.map(ExitCriterion::word).to_vec());
    let trigger = prop::option::of(prop::sample::select(Trigger::ALL.map(Trigger::word).to_vec()));
    let document = prop::option::of("[a-z]{1,5}(/[a-z.]{1,5}[a-z]){0,2}");
    (id, entry, exit, trigger, document, any::<bool>(), prop::collection::vec("\\PC{0,20}[a-z]", 0..4), any::<bool>())
        .prop_map(|(id, entry, exit, trigger, document, enabled, tasks, sparse)| match sparse {
            true => json!({"id": id, "tasks": tasks}),
            false => json!({"id": id, "entry_actions": entry, "exit_criteria": exit, "debate_trigger": trigger,
                "options_document": document, "debate_enabled": enabled, "tasks": tasks, "sections": tasks}),
        })
}

/// A whole file after the manner of the origin: all its keys, sentences where forge has words.
const ORIGIN: &str = include_str!("../../../testkit/fixtures/origins/forge-workflow.json");

#[test]
fn the_origins_own_file_takes_nothing_away() {
    let (read, ten) = (read(ORIGIN).unwrap(), ten());
    for (phase, shipped) in read.phases.iter().zip(&ten.phases) {
        assert_eq!(phase.id, shipped.id);
        assert_eq!(phase.exit_criteria, shipped.exit_criteria, "{}", phase.id);
        assert_eq!(phase.entry_actions, shipped.entry_actions, "{}", phase.id);
        assert_eq!(phase.tasks, shipped.tasks, "{}", phase.id);
        assert_eq!(phase.sections, shipped.sections, "{}", phase.id);
        assert!(!phase.checklist.is_empty(), "{}", phase.id);
        // Debates are on, and when: as in the file, which says what ships; where it says nothing its default trigger counts.
        let (is_on, trigger) = (shipped.debate.enabled, shipped.debate.trigger);
        assert_eq!(
            (phase.debate.enabled, phase.debate.trigger),
            (is_on || phase.id != "init", trigger),
            "{}",
            phase.id
        );
    }
    let plan = read.phase("plan").unwrap();
    assert_eq!(titles(plan), ["Each step names its files", "Each step can be undone"]);
    assert_eq!(plan.checklist[0].id, "check-01-each-step-names-its-files");
    assert_eq!(plan.by_forge, ["Handoff written: plan-to-test"]);
    assert_eq!(
        plan.entry_notes,
        [
            "Read the handoff from design",
            "Prerequisite: Design is handed over",
            "Prerequisite: The mail server is known"
        ]
    );
    assert_eq!(plan.debate.occasions, ["The mail server must change"]);
    assert_eq!(titles(read.phase("learn").unwrap()), ["Lessons are written down"]);
    let place = |phase, setting| read.file.place(phase, setting);
    assert_eq!(place(Some("plan"), Setting::Trigger), Some("$.phases[4].debate_gate.debate_trigger"));
    assert_eq!(place(Some("plan"), Setting::ExitCriteria), Some("$.phases[4].exit_criteria"));
    assert_eq!(place(None, Setting::DefaultTrigger), Some("$.debate_config.default_trigger"));
    assert_eq!(place(Some("plan"), Setting::Sections), None);

    let unknown: Vec<&str> = read.file.unknown.iter().map(|key| key.path.as_str()).collect();
    for path in
        ["$.execution_model", "$.debate_config.cli_flags", "$.phases[1].debate_gate.blocking", "$.phases[6].ralph_loop"]
    {
        assert!(unknown.contains(&path), "{path}: {unknown:#?}");
    }
    assert_eq!(unknown.len(), 25);
    let remarks: Vec<&str> = read.file.remarks.iter().map(Remark::path).collect();
    assert_eq!(remarks, ["$.phases[3].artifacts[1]", "$.phases[5].artifacts[2]", "$.phases[9].optional"]);
}

// seed: S0-62
#[test]
fn a_default_trigger_counts_for_every_phase_to_which_the_file_gives_none() {
    let text = json!({
        "debate_config": {"default_trigger": "always"},
        "phases": [
            {"id": "research", "debate_enabled": false},
            {"id": "plan", "debate_trigger": "risk_threshold"},
            {"id": "test", "debate_gate": {"required": false}},
            {"id": "validate", "debate_gate": {"debate_trigger": "never"}},
        ],
    });
    let read = read(&text.to_string()).unwrap();
    let debate = |id: &str| {
        let debate = &read.phase(id).unwrap().debate;
        (debate.enabled, debate.trigger)
    };
    for id in ["design", "test", "build", "review", "learn"] {
        assert_eq!(debate(id), (true, None), "{id}: the default trigger");
    }
    assert_eq!(debate("init"), (false, None), "init has none");
    assert_eq!(debate("brainstorm"), (true, Some(Trigger::Always)));
    assert_eq!(debate("research"), (false, None), "off is off");
    assert_eq!(debate("plan"), (true, Some(Trigger::RiskThreshold)));
    assert_eq!(debate("validate"), (true, Some(Trigger::Never)));
    assert_eq!(read.debates.default_trigger, Trigger::Always);
    let unsaid = said("{\"debate_config\": {\"risk_threshold\": 6}}");
    assert_eq!(unsaid.phases, ten().phases, "a file that names no default trigger leaves the shipped ones");
}

#[test]
fn a_gate_is_read_with_s0s_names_inside() {
    let debate = |gate: Value| {
        let read = read(&phases(&json!([{"id": "research", "debate_gate": gate}]))).unwrap();
        let debate = &read.phase("research").unwrap().debate;
        (debate.enabled, debate.trigger, read.file)
    };
    for (gate, enabled, trigger) in [
        (
            json!({"required": false, "debate_enabled": true, "debate_trigger": "risk_threshold"}),
            true,
            Trigger::RiskThreshold,
        ),
        (json!({"required": false, "enabled": true, "trigger": "major_decision"}), true, Trigger::MajorDecision),
        (json!({"required": false}), true, Trigger::RiskThreshold),
        (json!({"required": true}), true, Trigger::Always),
        (json!({"required": true, "debate_trigger": "never"}), true, Trigger::Always),
        (json!({"debate_enabled": false}), false, Trigger::RiskThreshold),
        (json!({"required": false, "debate_enabled": false}), false, Trigger::RiskThreshold),
        (
            json!({"enabled": true, "debate_enabled": true, "trigger": "always", "debate_trigger": "always"}),
            true,
            Trigger::Always,
        ),
        (json!({}), true, Trigger::RiskThreshold),
    ] {
        let (is_on, its, _) = debate(gate.clone());
        assert_eq!((is_on, its), (enabled, Some(trigger)), "{gate}");
    }
    let (_, _, file) = debate(json!({"required": true, "debate_trigger": "never"}));
    assert_eq!(file.remarks, [Remark::RequiredAlways { path: "$.phases[0].debate_gate.debate_trigger".to_owned() }]);
    let (_, _, file) = debate(json!({"debat_enabled": false, "frobnicate": 1}));
    let told: Vec<_> = file.unknown.iter().map(|key| (key.path.as_str(), key.nearest.as_deref())).collect();
    assert_eq!(
        told,
        [
            ("$.phases[0].debate_gate.debat_enabled", Some("debate_enabled")),
            ("$.phases[0].debate_gate.frobnicate", None),
        ]
    );
}

#[test]
fn sentences_are_added_and_only_words_take_away() {
    let phase = |phase: Value| read(&phases(&json!([phase]))).unwrap().phase("plan").unwrap().clone();
    let shipped = ten().phase("plan").unwrap().clone();
    for criteria in [
        json!([]),
        json!(["Each step names its files"]),
        json!("Each step names its files"),
        json!(["perfect"]),
        json!(["tests_pass"]),
        json!(["计划完成"]),
        json!(["Handoff written: plan-to-test"]),
        json!([null, 7, {"text": "x"}, "", "  ", "TBD"]),
    ] {
        let read = phase(json!({"id": "plan", "exit_criteria": criteria}));
        assert_eq!(read.exit_criteria, shipped.exit_criteria, "{criteria}");
        let read = phase(json!({"id": "plan", "entry_actions": criteria}));
        assert_eq!(read.entry_actions, shipped.entry_actions, "{criteria}");
    }
    let boxes = phase(json!({"id": "plan", "exit_criteria":
        ["perfect", "- [ ] All\n tests pass", "all tests PASS.", "Handoff document created", "计划完成", 7]}));
    assert_eq!(titles(&boxes), ["perfect", "All tests pass", "计划完成"]);
    assert_eq!(boxes.by_forge, ["Handoff document created"]);
    let objects = phase(json!({"id": "plan", "exit_criteria":
        [{"text": "Sources named", "required": true}, {"id": "c2", "description": "Ann has agreed"}, {"check": {"a": 1}}]}));
    assert_eq!(titles(&objects), ["Sources named", "Ann has agreed"]);
    let fewer = phase(json!({"id": "plan", "exit_criteria": ["nothing_blocked", "All tests pass", "nothing_blocked"]}));
    assert_eq!(fewer.exit_criteria, [ExitCriterion::NothingBlocked]);
    assert_eq!(titles(&fewer), ["All tests pass"]);
    assert_eq!(phase(json!({"id": "Plan"})).id, "plan");
    let init = read(&phases(&json!([{"id": "initialize", "name": "Set up"}]))).unwrap();
    assert_eq!(init.phases[0].name, "Set up");
}

#[test]
fn artifacts_that_cannot_be_looked_for_are_named() {
    let text = phases(&json!([{"id": "build", "artifacts": [
        "src/", "docs/forge/debate/<debate-id>/synthesis.md", "tests/**/*.rs", "docs/<phase>.md", "{{NAME}}.md", "Source code", "docs/my plan.md",
    ]}]));
    let read = read(&text).unwrap();
    let build = read.phase("build").unwrap();
    assert_eq!(build.artifacts, ["src/", "docs/forge/debate/<id>/synthesis.md", "docs/my plan.md"]);
    let told: Vec<&str> = read.file.remarks.iter().map(Remark::path).collect();
    assert_eq!(told, [2, 3, 4, 5].map(|at| format!("$.phases[0].artifacts[{at}]")));
}

/// A file in the origin's spelling: sentences, now and then one of forge's words, nested gates.
fn origin_phase(id: &'static str) -> impl Strategy<Value = Value> {
    let words = ExitCriterion::ALL.map(ExitCriterion::word).to_vec();
    let entry = prop_oneof![
        8 => "[A-Z][a-z]{2,8}( [a-z]{1,8}){1,5}",
        2 => Just(format!("Handoff written: {id}-to-next")),
        1 => "[a-z]{3,12}",
        1 => prop::sample::select(words).prop_map(str::to_owned),
    ];
    let gate = prop::option::of((
        any::<bool>(),
        any::<bool>(),
        prop::sample::select(Trigger::ALL.map(Trigger::word).to_vec()),
    ));
    (prop::collection::vec(entry.clone(), 0..5), prop::collection::vec(entry, 0..3), gate).prop_map(
        move |(exit, enter, gate)| {
            let mut phase = json!({"id": id, "command": format!("/forge:{id}"), "entry_actions": enter, "exit_criteria": exit, "optional": false});
            if let Some((required, nested, trigger)) = gate {
                phase["debate_gate"] = match nested {
                    true => json!({"required": required, "debate_enabled": true, "debate_trigger": trigger}),
                    false => json!({"required": required, "enabled": true, "trigger": trigger}),
                };
            }
            phase
        },
    )
}

proptest! {
    #![proptest_config(crate::config(256))]

    /// Whatever sentences a file has, a phase keeps forge's own criteria unless the file names some of them itself.
    #[test]
    fn no_sentence_takes_a_criterion_away(listed in TEN_IDS.map(origin_phase)) {
        let Ok(read) = read(&json!({"phases": listed}).to_string()) else { return Ok(()) };
        for ((phase, shipped), said) in read.phases.iter().zip(&ten().phases).zip(&listed) {
            let criteria: Vec<&str> = said["exit_criteria"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let named: Vec<ExitCriterion> = criteria.iter().filter_map(|one| ExitCriterion::parse(one)).collect();
            let kept = if named.is_empty() { &shipped.exit_criteria } else { &named };
            prop_assert!(kept.iter().all(|one| phase.exit_criteria.contains(one)), "{}: {:?}", phase.id, phase.exit_criteria);
            prop_assert_eq!(&phase.tasks, &shipped.tasks);
            prop_assert_eq!(&phase.sections, &shipped.sections);
            prop_assert_eq!(&phase.entry_actions, &shipped.entry_actions);
            prop_assert!(phase.debate.enabled || !shipped.debate.enabled, "{} is switched off", phase.id);
            let sentences = criteria.iter().filter(|one| ExitCriterion::parse(one).is_none());
            for sentence in sentences {
                let told = titles(phase).contains(sentence) || phase.by_forge.iter().any(|one| one == sentence)
                    || titles(phase).iter().any(|one| one.eq_ignore_ascii_case(sentence));
                prop_assert!(told, "{:?} of {} is lost", sentence, phase.id);
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::config(256))]

    #[test]
    fn what_is_read_is_written_and_read(listed in prop::collection::vec(phase_value(), 1..6)) {
        let read_back = |definition: &Definition| read(&write(definition));
        if let Ok(definition) = read(&own(&json!(listed))) {
            let read_back = Definition { file: FileRead::default(), ..read_back(&definition).unwrap() };
            prop_assert_eq!(read_back, Definition { file: FileRead::default(), ..definition });
        }
    }

    #[test]
    fn no_text_breaks_it(text in "(?s).{0,100}", at in 0usize..8000) {
        let _ = read(&text);
        let cut: String = TEN.chars().take(at).collect();
        let _ = read(&cut);
        let _ = read(&format!("{cut}{text}"));
    }
}
