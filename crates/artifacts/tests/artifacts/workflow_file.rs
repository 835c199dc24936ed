//! The workflow file: the ten, a project's changes to them, and its own phases.

use forge_artifacts::formats::workflow_file::{Defect, ENTRIES_LIMIT, TEN_IDS, read, ten, write};
use forge_workflow::definition::{Definition, DoneWhen, EntryAction, ExitCriterion, PHASES_LIMIT, TEN, Trigger};
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

// seed: S0-60, S0-61, S0-73
#[test]
fn the_ten_are_as_specified() {
    let ten = ten();
    let ids: Vec<&str> = ten.phases.iter().map(|phase| phase.id.as_str()).collect();
    assert_eq!(ids, TEN_IDS);
    assert_eq!(read(TEN).unwrap(), ten, "the file itself is read and not the fallback");
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
    let read = read(&text.to_string()).unwrap();
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
        json!({"id": "build", "debate_enabled": true, "debate_trigger": "always", "debate_protocol": "judges", "options_document": "o.md"}),
    );
    let nested = debate(
        json!({"id": "build", "debate_gate": {"required": true, "trigger": "always", "protocol": "judges", "options_document": "o.md"}}),
    );
    let both =
        debate(json!({"id": "build", "debate_enabled": true, "debate_trigger": "always", "debate_protocol": "judges",
        "options_document": "o.md", "debate_gate": {"enabled": true, "required": true, "trigger": "always"}}));
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
    assert_eq!(ship.checklist, ["The release is out"]);
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
        (at(json!({"id": "test", "artifacts": ["docs/<phase>.md"]})), "only <id>"),
        (at(json!({"id": "test", "artifacts": ["src/*.rs"]})), "patterns are not read"),
        (at(json!({"id": "test", "options_document": "docs/"})), "it is a folder"),
        (at(json!({"id": "test", "options_document": "../o.md"})), "it leads upwards"),
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
            at(json!({"id": "test", "debate_enabled": true, "debate_gate": {"required": false}})),
            "$.phases[2].debate_gate.required: false is not what debate_enabled says; leave one of the two out",
        ),
        (
            at(json!({"id": "test", "debate_gate": {"enabled": true, "required": false}})),
            "what debate_gate.enabled says",
        ),
        (
            at(json!({"id": "test", "debate_trigger": "always", "debate_gate": {"trigger": "never"}})),
            "$.phases[2].debate_gate.trigger: \"never\" is not what debate_trigger says",
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
    assert_eq!(read(&text).unwrap(), ten());
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

proptest! {
    #![proptest_config(crate::config(256))]

    #[test]
    fn what_is_read_is_written_and_read(listed in prop::collection::vec(phase_value(), 1..6)) {
        let read_back = |definition: &Definition| read(&write(definition));
        if let Ok(definition) = read(&own(&json!(listed))) {
            prop_assert_eq!(read_back(&definition).unwrap(), definition);
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
