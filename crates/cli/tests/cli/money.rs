//! Money as a user meets it: what a debate may cost, what it did cost and who says so, and a cap that holds.

use crate::model::serve;
use crate::place::{Done, Place};
use forge_testkit::model_server::{Answer, ModelServer, Reply};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const DEBATE: [&str; 8] =
    ["debate", "Build or buy the billing service?", "--option", "Build", "--option", "Buy", "--id", "d1"];
/// A turn of 1000 tokens in and 4000 out costs 0.041 USD. A call sets 8192 tokens of an answer aside, and its brief: a little
/// more than 0.083 USD.
const PRICES: &str = r#"{"prices": {"gpt-test": {"input": 1, "output": 10}}}"#;

/// Models that say how many tokens they used.
fn server() -> ModelServer {
    serve(&[], |_, asked| {
        Some(Answer::Reply(Reply { text: asked.reply(&[]), tokens: Some((1000, 4000)), ..Reply::default() }))
    })
}

/// A place whose user has this configuration.
fn place(server: &ModelServer, configuration: &str) -> Place {
    let place =
        Place::new().with("OPENAI_BASE_URL", &server.base_url()).with("OPENAI_API_KEY", "sk-test-0123456789abc");
    let folder = place.around().join("home/.config/forge");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.json"), configuration).unwrap();
    place
}

fn ask(place: &Place, more: &[&str]) -> Done {
    place.forge(&[&DEBATE[..], &["--agent", "openai:gpt-test"], more].concat())
}

fn verdict(place: &Place) -> Value {
    place.json(&place.only(|file| file.ends_with("trail/verdict.json")))
}

fn receipts(place: &Place) -> Vec<String> {
    place.files().iter().filter(|file| file.contains("/replies/")).map(|file| place.read(file)).collect()
}

#[test]
fn a_cap_lets_two_of_three_seats_speak() {
    let server = server();
    let place = place(&server, PRICES);
    let done = ask(&place, &["--max-cost", "$0.15", "--parallel", "1"]).code(0);
    assert_eq!(server.count(), 2, "after two turns there is less left than a call may cost: {done}");
    assert!(done.err.contains("this call may cost 0.08") && done.err.contains("0.082 of --max-cost 0.15"), "{done}");
    assert!(done.err.contains("about ") && done.err.contains("USD by configured prices"), "{done}");
    assert!(done.err.contains(", 0.041 USD)"), "{done}");
    assert!(done.out.contains("0.082 USD by configured prices"), "{done}");
    assert!(done.out.contains("tokens     risk 5000 (1 call), value 5000 (1 call)"), "{done}");
    let verdict = verdict(&place);
    assert_eq!(verdict["spent"]["cost_usd"], "0.082000");
    assert_eq!(verdict["spent"]["cost_by"], json!(["configured"]));
    assert_eq!(verdict["absences"].as_array().unwrap().len(), 1);
    assert_eq!(verdict["absences"][0]["kind"], "budget");
    for receipt in receipts(&place) {
        let says = |line: &str| assert!(receipt.contains(&format!("\n{line}\n")), "{line}: {receipt}");
        says("cost: 0.041000");
        says("cost_by: \"configured\"");
        says("cost_rates: \"input 1, output 10, cached_input 1\"");
    }
    let plan = place.read("docs/forge/sadd/debate-d1-plan.md");
    assert!(plan.contains("\nmax_cost: 0.150000\n"), "{plan}");
    place.forge(&["verify", "--all"]).code(0);
    // Other prices change nothing about what was paid.
    fs::write(place.around().join("home/.config/forge/config.json"), PRICES.replace("10", "99")).unwrap();
    place.forge(&["verify", "--all"]).code(0);
    place.forge(&["show", "d1"]).code(0).out("Cost by seat: ");
    ask(&place, &["--max-cost", "0.15"]).code(0).err("d1 is over, and nobody is asked");
    assert_eq!(server.count(), 2, "a finished debate is not paid again");
}

#[test]
fn the_cap_is_said_before_anybody_is_asked_and_where_it_is_too_small() {
    let server = server();
    let place = place(&server, PRICES);
    ask(&place, &["--max-cost", "5", "--dry-run"]).code(0).out("cap        at most 5");
    let small = ask(&place, &["--max-cost", "0.000001", "--dry-run"]).code(0);
    assert!(small.out.contains("less than it may take at the least"), "{small}");
    let done = ask(&place, &["--max-cost", "0.01"]).code(5).out("next       the same command with a higher --max-cost");
    assert!(!done.out.contains("--retry-absent"), "{done}");
    let json = ask(&place, &["--max-cost", "5", "--dry-run", "--json"]).code(0).json();
    assert_eq!(json["money"]["cap"], "5.000000");
    // Whoever has no price is named, all of them at once, and what is known is not told as the whole.
    let seats = ["--seat", "risk=openai:other", "--seat", "value=openai:another"];
    let done = ask(&place, &[&seats[..], &["--max-cost", "5"]].concat()).code(2);
    assert!(done.err.contains("openai:another (value), openai:other (risk)"), "{done}");
    ask(&place, &[&seats[..], &["--dry-run"]].concat()).code(0).out(", without openai:other, openai:another\n");
    assert_eq!(server.count(), 0);
}

#[test]
fn without_a_price_there_is_no_cap_and_nobody_is_asked() {
    let server = server();
    let place = place(&server, "{}");
    for more in [&[][..], &["--dry-run"]] {
        let done = ask(&place, &[&["--max-cost", "2"], more].concat()).code(2);
        for words in [
            "no price is known for openai:gpt-test (risk, value, effort)",
            r#""prices": {"openai:gpt-test": {"input": 1.25, "output": 10}}"#,
            "seat another agent",
            "--max-tokens",
        ] {
            assert!(done.err.contains(words), "{words}: {done}");
        }
    }
    assert_eq!((server.count(), place.files().len()), (0, 0));
    // What it says to write is what is needed.
    let said = r#"{"prices": {"openai:gpt-test": {"input": 1.25, "output": 10}}, "max_cost": 2}"#;
    fs::write(place.around().join("home/.config/forge/config.json"), said).unwrap();
    ask(&place, &[]).code(0);
    assert_eq!(server.count(), 3);
    assert!(place.read("docs/forge/sadd/debate-d1-plan.md").contains("\nmax_cost: 2.000000\n"));
}

#[test]
fn without_a_price_tokens_are_told_and_that_there_is_none() {
    let server = server();
    let place = place(&server, "{}");
    let dry = ask(&place, &["--dry-run"]).code(0).out("money      tokens only: no price for openai:gpt-test");
    assert!(!dry.out.contains("USD"), "{dry}");
    let done = ask(&place, &[]).code(0).err("tokens only: no price for openai:gpt-test");
    assert!(done.out.contains("no price known, so no money figure"), "{done}");
    assert!(verdict(&place)["spent_per_seat"][0]["cost_usd"].is_null());
}

#[test]
fn an_interval_is_told_before_anybody_is_asked() {
    let server = server();
    let place = place(&server, PRICES);
    let done = ask(&place, &["--dry-run"]).code(0).out("USD by configured prices");
    for seat in ["risk", "value", "effort"] {
        let line = done.out.lines().find(|line| line.trim_start().starts_with(seat) && line.contains("USD"));
        assert!(line.is_some_and(|line| line.ends_with("(openai:gpt-test)")), "{done}");
    }
    let plan = ask(&place, &["--dry-run", "--json"]).code(0).json();
    let money = &plan["money"];
    let usd = |value: &Value| value.as_str().unwrap().parse::<f64>().unwrap();
    assert!(0.0 < usd(&money["usd"]["min"]) && usd(&money["usd"]["min"]) < usd(&money["usd"]["max"]), "{money}");
    assert_eq!(money["by"], json!(["configured"]));
    assert_eq!(money["seats"].as_array().unwrap().len(), 3);
    // What it cost at last is in the interval.
    ask(&place, &[]).code(0);
    let cost = usd(&verdict(&place)["spent"]["cost_usd"]);
    assert!((usd(&money["usd"]["min"])..=usd(&money["usd"]["max"])).contains(&cost), "{cost}: {money}");
    let listed = Place::new().with("ANTHROPIC_API_KEY", "sk-ant-test-0123456789");
    let done = listed.forge(&[&DEBATE[..], &["--agent", "anthropic", "--dry-run"]].concat()).code(0);
    assert!(done.out.contains("USD by list prices of 2026-"), "{done}");
    let free = listed.forge(&[&DEBATE[..], &["--agent", "rehearsal", "--dry-run"]].concat()).code(0);
    assert!(free.out.contains("money      free\n"), "{free}");
}

#[test]
fn amounts_that_are_none_are_refused() {
    let place = Place::new();
    for amount in ["0", "-1", "-0.5", "NaN", "inf", "two", "1e3", "", "0.0000001"] {
        let done = place.forge(&[&DEBATE[..], &["--agent", "rehearsal", "--max-cost", amount]].concat()).code(2);
        assert!(done.err.contains("--max-cost") && done.err.contains("such as 0.50, 2 or $2"), "{done}");
    }
    place.forge(&[&DEBATE[..], &["--agent", "rehearsal", "--max-cost", "0.01"]].concat()).code(0);
}

#[test]
fn prices_are_shown_with_their_origin() {
    let place = place(&server(), PRICES);
    let shown = place.forge(&["config"]).code(0);
    let line = shown.out.lines().find(|line| line.contains("prices.gpt-test")).unwrap_or_else(|| panic!("{shown}"));
    assert!(line.contains("\"input\":1") && line.contains("user "), "{line}");
    place.write(".claude/forge/config.json", r#"{"prices": {"gpt-test": {"input": 0, "output": 0}}}"#);
    place.forge(&["config"]).code(2).err("prices.gpt-test: a project may not set this");
}

/// What an agent says itself goes before what its tokens would come to.
#[test]
fn a_cost_that_the_agent_tells_counts_unless_the_user_says_another_price() {
    for (configuration, line, sum) in [
        ("{}", "\ncost: 0.500000\ncost_by: \"agent\"\n", "3.00 USD as the agents say"),
        (
            r#"{"prices": {"claude": {"input": 1000, "output": 10000}}}"#,
            "\ncost: 2.000000\ncost_by: \"configured\"\n",
            "12.00 USD by configured prices",
        ),
    ] {
        let place = place(&server(), configuration);
        let result = json!({
            "type": "result", "subtype": "success", "is_error": false, "result": "Words, and no form.", "num_turns": 1,
            "total_cost_usd": 0.5, "usage": {"input_tokens": 1000, "output_tokens": 100},
        });
        let bin = place.around().join("bin");
        fs::create_dir_all(&bin).unwrap();
        let program = bin.join("claude");
        fs::write(&program, format!("#!/bin/sh\ncat > /dev/null\nprintf '%s\\n' '{result}'\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let place = place.with("PATH", &path).with("ANTHROPIC_API_KEY", "sk-ant-test-0123456789");
        let done = place.forge(&[&DEBATE[..], &["--agent", "claude"]].concat()).code(5);
        let receipts = receipts(&place);
        assert_eq!(receipts.len(), 6, "three seats, each repaired once: {done}");
        for receipt in &receipts {
            assert!(receipt.contains(line), "{line} in {receipt}");
            assert_eq!(receipt.contains("cost_rates"), line.contains("configured"), "{receipt}");
        }
        assert!(done.out.contains(sum), "{done}");
        let is_priced = done.err.contains("whoever is logged in with a subscription is not billed by the call");
        assert_eq!(is_priced, line.contains("configured"), "{done}");
        place.forge(&["verify", "--all"]).code(0);
    }
}
