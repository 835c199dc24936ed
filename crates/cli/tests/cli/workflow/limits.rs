//! What the configuration says of debates holds for a workflow's as for any other.

use super::repository;
use crate::model::serve;
use crate::place::Place;
use forge_testkit::model_server::ModelServer;
use std::fs;

const OPTIONS: &str = "# Options\n\n## Options\n\n- Files: as today\n- Redis: one server\n- Postgres: a table\n";
const OPTIONS_FILE: &str = "docs/forge/brainstorm-options.md";
const PLAN: &str = "docs/forge/debate/brainstorm-20260127-100000/debate-plan.md";
const AGENT: &str = "openai:gpt-test";

/// A workflow whose brainstorm has options and no debate yet, with a model that answers in form.
fn with_options(protocol: &str) -> (Place, ModelServer) {
    let server = serve(&[], |_, _| None);
    let place =
        repository().with("OPENAI_BASE_URL", &server.base_url()).with("OPENAI_API_KEY", "sk-test-0123456789abcdef");
    let brainstorm = format!(r#"{{"id": "brainstorm", "debate_gate": {{"enabled": true, "protocol": "{protocol}"}}}}"#);
    place.write("workflows/forge-workflow.json", format!(r#"{{"name": "forge", "phases": [{brainstorm}]}}"#));
    place.forge(&["start", "Pick a session store"]).code(0);
    place.write(OPTIONS_FILE, OPTIONS);
    (place, server)
}

fn users_file(place: &Place, text: &str) {
    let folder = place.around().join("home/.config/forge");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.json"), text).unwrap();
}

fn projects_file(place: &Place, text: &str) {
    place.write(".claude/forge/config.json", text);
}

#[test]
fn a_cap_on_calls_holds() {
    for (user, project, most) in [
        (r#"{"max_calls": 2}"#, "{}", 2),
        ("{}", r#"{"max_calls": 2}"#, 2),
        (r#"{"max_calls": 1}"#, r#"{"max_calls": 40}"#, 1),
        (r#"{"max_calls": 40}"#, r#"{"max_calls": 3}"#, 3),
    ] {
        for how in [&["continue", "--agent", AGENT][..], &["continue", "--run"]] {
            let (place, server) = with_options("gate");
            users_file(&place, user);
            projects_file(&place, project);
            if how.contains(&"--run") {
                place.forge(&["brainstorm", "--agent", AGENT]).code(3).out("forge continue --run");
                assert_eq!(server.count(), 0, "entering asks nobody");
            }
            place.forge(how);
            assert_eq!(server.count(), most, "{user} {project} {how:?}");
            assert!(place.read(PLAN).contains(&format!("max_calls: {most}")), "{}", place.read(PLAN));
        }
    }
}

#[test]
fn limits_reach_the_plan_of_a_workflows_debate() {
    let (place, _server) = with_options("gate");
    users_file(
        &place,
        r#"{"timeout_seconds": 77, "max_tokens": 123456, "prices": {"gpt-test": {"input": 1, "output": 2}}}"#,
    );
    projects_file(&place, r#"{"max_cost": 0.25, "max_tokens": 999999}"#);
    place.forge(&["continue"]).code(3);
    let plan = place.read(PLAN);
    for part in ["timeout_seconds: 77", "max_tokens: 123456", "max_cost: 0.25"] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
}

#[test]
fn judges_of_a_workflow_keep_to_debate_config_and_challengers_to_theirs() {
    let (place, _server) = with_options("judges");
    let rules = r#"{"max_rounds": 1, "consensus_threshold": 1, "timeout_per_judge": 33}"#;
    projects_file(&place, &format!(r#"{{"debate_config": {rules}}}"#));
    place.forge(&["continue"]).code(3);
    let plan = place.read(&place.only(|file| file.ends_with("-plan.md")));
    for part in ["rounds: 1\n", "threshold: \"1/1\"", "timeout_seconds: 33"] {
        assert!(plan.contains(part), "{part}: {plan}");
    }

    let (place, _server) = with_options("challenge");
    projects_file(&place, r#"{"challenge": {"max_rounds": 3, "timeout_seconds": 44, "min_challengers": 2}}"#);
    place.forge(&["continue"]).code(3);
    let plan = place.read(&place.only(|file| file.ends_with("/context.md")));
    for part in ["rounds: 3\n", "timeout_seconds: 44", "min_challengers: 2"] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
}

#[test]
fn under_ao_the_rules_of_the_configuration_hold_and_its_agents_do_not() {
    let (mut place, server) = with_options("judges");
    place.set("AO_DATA_DIR", place.around().join("home").to_str().unwrap().to_owned().as_str());
    place.set("AO_SESSION", "shop-1");
    let seats = format!(r#"{{"judges": {{"risk": "{AGENT}"}}}}"#);
    projects_file(
        &place,
        &format!(r#"{{"debate_config": {{"max_rounds": 1}}, "agent": "{AGENT}", "seats": {seats}}}"#),
    );
    place.forge(&["continue"]).code(3);
    let plan = place.read(&place.only(|file| file.ends_with("-plan.md")));
    assert!(plan.contains("rounds: 1\n") && !plan.contains("gpt-test"), "{plan}");
    assert_eq!(server.connections(), 0);
}

#[test]
fn single_seats_are_seated_and_asked_only_when_told_to() {
    let (place, server) = with_options("gate");
    projects_file(&place, &format!(r#"{{"seats": {{"gate": {{"skeptic": "{AGENT}", "synthesizer": "{AGENT}"}}}}}}"#));
    place.forge(&["continue"]).code(3).out("advocate and operator write").out("forge continue --run");
    assert_eq!(server.count(), 0);
    place.forge(&["continue", "--run"]).code(3);
    assert_eq!(server.count(), 1, "the skeptic");
    let (place, server) = with_options("gate");
    projects_file(&place, r#"{"seats": {"gate": {"skeptic": "human"}}}"#);
    place.forge(&["continue", "--agent", AGENT]);
    assert_eq!(server.count(), 4, "--agent means all seats");
}

#[test]
fn a_wrong_configuration_stops_a_workflow_before_it_has_done_anything() {
    let (place, server) = with_options("gate");
    let before = place.tree();
    projects_file(&place, r#"{"max_calls": "many"}"#);
    place.forge(&["continue", "--agent", AGENT]).code(2).err("config.json:1").err("max_calls");
    fs::remove_file(place.path(".claude/forge/config.json")).unwrap();
    assert_eq!((place.tree(), server.count()), (before, 0));
}
