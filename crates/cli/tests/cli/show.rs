//! `forge show` and the forms of `forge export` that are for reading: one screen first, then everything.

use crate::place::{Done, Place};
use roxmltree::{Document, ParsingOptions};

const PROTOCOLS: [&str; 4] = ["judges", "gate", "panel", "challenge"];
/// What a terminal shows at once.
const SCREEN_LINES: usize = 45;

fn rehearsed(protocol: &str) -> (Place, Done) {
    let place = Place::new();
    let done = place.forge(&[
        "debate",
        "Build or buy the billing service?",
        "--protocol",
        protocol,
        "--id",
        "d1",
        "--seed",
        "3",
        "--option",
        "Build it",
        "--option",
        "Buy it",
        "--option",
        "Wait",
    ]);
    (place, done)
}

#[test]
fn show_prints_one_screen_and_then_the_details() {
    for protocol in PROTOCOLS {
        let (place, run) = rehearsed(protocol);
        assert!(run.out.lines().count() <= SCREEN_LINES, "{run}");
        let shown = place.forge(&["show", "d1"]).code(run.code).out("REHEARSAL").out("check      forge verify d1");
        let parts = [
            "REHEARSAL",
            "  cost ",
            "  next ",
            "\nReasons\n",
            "\nPositions by round\n",
            "\nTurns\n",
            "\nHow to check\n",
        ];
        let places: Vec<Option<usize>> = parts.iter().map(|part| shown.out.find(part)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {shown}");
        // What a run ends with is the beginning of what show prints.
        let first = run.out.trim_start().lines().nth(1).unwrap_or_default();
        assert!(shown.out.contains(first), "no {first:?} in {shown}");
        assert_eq!(place.forge(&["debate", "show", "d1"]).out, shown.out);
        let json = place.forge(&["show", "d1", "--json"]).code(run.code);
        assert_eq!(json.out, place.forge(&["debate", "show", "d1", "--json"]).out);
    }
}

#[test]
fn a_page_and_pictures_are_well_formed() {
    for protocol in PROTOCOLS {
        let (place, _) = rehearsed(protocol);
        let page = place.forge(&["export", "d1", "--format", "html"]).code(0);
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        Document::parse_with_options(&page.out, options).unwrap_or_else(|error| panic!("{error}: {page}"));
        for picture in ["positions", "challenges"] {
            let svg = place.forge(&["export", "d1", "--picture", picture]).code(0);
            let document = Document::parse(&svg.out).unwrap_or_else(|error| panic!("{error}: {svg}"));
            assert_eq!(document.root_element().tag_name().name(), "svg");
            let nothing_to_see = svg.out.contains("Nobody challenged anybody.");
            assert_eq!(page.out.contains(svg.out.trim()), !nothing_to_see, "{picture} of {protocol}");
        }
    }
}

#[test]
fn an_export_goes_to_a_file_and_spares_what_is_there() {
    let (place, _) = rehearsed("judges");
    let export =
        |more: &[&str]| place.forge(&[&["export", "d1", "--format", "html", "-o", "x.html"][..], more].concat());
    let done = export(&[]).code(0).err("wrote x.html");
    assert_eq!(done.out, "");
    let page = place.read("x.html");
    assert_eq!(page, place.forge(&["export", "d1", "--format", "html"]).out);
    export(&[]).code(0);
    place.write("x.html", "mine");
    export(&[]).code(2).err("--output x.html: is there already and differs").err("--force");
    assert_eq!(place.read("x.html"), "mine");
    export(&["--force"]).code(0);
    assert_eq!(place.read("x.html"), page);
    place.forge(&["export", "d1", "--output", "no/such/folder/x.md"]).code(2).err("--output no/such/folder/x.md");
}

#[test]
fn what_is_not_there_is_said() {
    let place = Place::new();
    for args in [
        &["show", "nothing"][..],
        &["export", "nothing", "--format", "html"],
        &["export", "nothing", "--picture", "positions"],
    ] {
        place.forge(args).code(2).err("nothing");
    }
    place.forge(&["export", "nothing", "--picture", "sunset"]).code(2).err("sunset");
    place.forge(&["export", "nothing", "--picture", "positions", "--format", "md"]).code(2);
    place
        .forge(&["debate", "Build or buy?", "--option", "A", "--option", "B", "--agent", "human", "--id", "d1"])
        .code(3);
    place.forge(&["show", "d1"]).code(3).out("no verdict yet");
    place.forge(&["export", "d1", "--format", "html"]).code(3).err("no verdict yet");
}

const SCRIPT: &str = "replies:\n  - {seat: risk, ballot: {option: A}}\n  - {seat: value, ballot: {option: A}}\n  - {seat: effort, ballot: {option: B}}\n";
const HOME: &str = "docs/forge/sadd/debate-q1";

/// Three scripted judges, two for A and one for B.
fn judged(more: &[&str]) -> (Place, Done) {
    let place = Place::new();
    place.write("script.yaml", SCRIPT);
    let args = ["debate", "Build or buy the billing service?", "--agent", "scripted:script.yaml", "--id", "q1"];
    let options = ["--option", "Build it: with our own people", "--option", "Buy it"];
    let done = place.forge(&[&args[..], &options, more].concat());
    (place, done)
}

/// A record that somebody changed is shown with a warning above everything, and no command writes over its verdict.
#[test]
fn a_changed_record_is_told_everywhere() {
    let (place, _) = judged(&[]);
    let verdict = place.read(&format!("{HOME}-trail/verdict.json"));
    let turn = format!("{HOME}-risk.md");
    place.edit(&turn, |text| text.replace("agent: \"scripted:script.yaml\"", "agent: \"somebody else\""));
    let caution = format!("CHANGED    {turn} is not what the verdict on file was derived from; forge verify q1");
    let shown = place.forge(&["show", "q1"]).code(7);
    let first = shown.out.lines().nth(2).unwrap_or_default();
    assert!(first.starts_with(&caution), "{shown}");
    place.forge(&["debate", "status", "q1"]).code(7).out(&turn).out("forge verify q1");
    for format in ["md", "html", "yaml", "adr"] {
        place.forge(&["export", "q1", "--format", format]).code(7).out("CHANGED").out(&turn);
    }
    for args in
        [&["show", "q1", "--json"][..], &["export", "q1", "--format", "json"], &["debate", "status", "q1", "--json"]]
    {
        let json = place.forge(args).json();
        assert_eq!(json["contradicts"].as_array().map(Vec::len), Some(1), "{json}");
    }
    place.forge(&["gate", "q1"]).code(7).out("BLOCKED").out(&turn);
    for args in [
        &["debate", "run", "q1"][..],
        &["debate", "regenerate", "q1"],
        &["debate", "decide", "q1", "A", "--because", "x", "--by", "M"],
    ] {
        place.forge(args).code(7).err(&turn).err("forge verify q1").err("--fork").err("trail/verdict.json");
    }
    assert_eq!(place.read(&format!("{HOME}-trail/verdict.json")), verdict);
}

#[test]
fn a_sound_record_contradicts_nothing() {
    let (place, _) = judged(&[]);
    assert_eq!(place.forge(&["show", "q1", "--json"]).json()["contradicts"], serde_json::json!([]));
}

/// Two of three that do not hold without one of them are no disagreement.
#[test]
fn a_demand_for_robustness_is_the_reason_that_is_given() {
    let (place, run) = judged(&["--require-robust"]);
    let run = run
        .code(4)
        .out("A (Build it) has the votes")
        .out("a robust verdict was demanded")
        .out("[A] Build it: with our own people");
    assert!(!run.out.contains("disagreed") && !run.out.contains("do not agree"), "{run}");
    place.forge(&["export", "q1", "--format", "yaml"]).out("a robust verdict was demanded").out("cautions:");
}

#[test]
fn a_folder_that_somebody_sent_can_be_read() {
    for protocol in PROTOCOLS {
        let (place, run) = rehearsed(protocol);
        let plan = place.forge(&["show", "d1", "--json"]).json()["plan_file"].as_str().unwrap().to_owned();
        let folder = plan.rsplit_once('/').unwrap().0;
        let sent = Place::new();
        for (file, bytes) in place.tree() {
            if let Some(rest) = file.strip_prefix(&format!("{folder}/")) {
                sent.write(&format!("inbox/{rest}"), bytes);
            }
        }
        assert_eq!(sent.forge(&["show", "inbox"]).code(run.code).out, place.forge(&["show", "d1"]).out, "{protocol}");
        let page = |place: &Place, name: &str| place.forge(&["export", name, "--format", "html"]).code(0).out;
        assert_eq!(page(&sent, "./inbox"), page(&place, "d1"), "{protocol}");
    }
    let empty = Place::new();
    empty.write("inbox/notes.md", "nothing");
    empty.forge(&["show", "inbox"]).code(2).err("there is no debate in this folder");
}

/// What a file manager leaves behind is no call, and texts of one name can be told apart.
#[test]
fn files_of_one_name_are_told_apart_and_strays_are_no_calls() {
    let place = Place::new();
    place.write("one/notes.md", "We have two people for it.");
    place.write("two/notes.md", "The vendor raises its prices.");
    let args = ["debate", "Build or buy?", "--option", "A", "--option", "B", "--id", "d1", "--seed", "3"];
    place.forge(&[&args[..], &["--context", "one/notes.md", "--context", "two/notes.md"]].concat());
    let plan = place.read("docs/forge/sadd/debate-d1-plan.md");
    assert!(plan.contains("\"one/notes.md\"") && plan.contains("\"two/notes.md\""), "{plan}");
    let spent = || place.forge(&["show", "d1", "--json"]).json()["spent"].clone();
    let before = spent();
    place.write("docs/forge/sadd/debate-d1-trail/briefs/.DS_Store", "x");
    assert_eq!(spent(), before);
}

/// What is the matter with every turn is said once.
#[test]
fn debts_that_repeat_are_one_line() {
    let place = Place::new();
    let quiet =
        |seat: &str, option: &str| format!("  - {{seat: {seat}, ballot: {{option: {option}, challenges: []}}}}\n");
    let script = [quiet("risk", "A"), quiet("value", "B"), quiet("effort", "C")].concat();
    place.write("script.yaml", format!("replies:\n{script}"));
    let args = ["debate", "Build or buy the billing service?", "--agent", "scripted:script.yaml", "--id", "q1"];
    let more = ["--option", "Build", "--option", "Buy", "--option", "Wait", "--rounds", "5"];
    let run = place
        .forge(&[&args[..], &more].concat())
        .code(4)
        .out("risk, value, effort (12 turns): no position is challenged");
    assert_eq!(run.out.lines().filter(|line| line.starts_with("OWED ")).count(), 1, "{run}");
    let verdict = place.forge(&["show", "q1", "--json"]).json();
    let turns = verdict["owed"].as_array().unwrap().iter().map(|owed| owed["turns"].as_array().unwrap().len());
    assert_eq!(turns.sum::<usize>(), 12, "nothing is lost");
}

/// What a command prints, or a file says, of a verdict or of somebody's words.
fn is_labelled(text: &str) -> bool {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => says_rehearsal(&value),
        Err(_) => text.lines().any(|line| {
            let line = line.to_lowercase();
            line.contains("rehearsal") && !line.contains("rehearsal: false")
                || line.contains("composed by forge from a script")
        }),
    }
}

fn says_rehearsal(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::Object(fields) => {
            fields.get("rehearsal") == Some(&Value::Bool(true)) || fields.values().any(says_rehearsal)
        }
        Value::Array(values) => values.iter().any(says_rehearsal),
        _ => false,
    }
}

/// Whatever shows a verdict or somebody's words says that no model and no person spoke.
#[test]
fn a_rehearsal_is_labelled_wherever_it_is_shown() {
    for protocol in PROTOCOLS {
        for agent in ["rehearsal", "scripted:s.yaml"] {
            let place = Place::new();
            place.write("s.yaml", "replies: []\n");
            let args = ["debate", "Which store?", "--protocol", protocol, "--id", "d1", "--agent", agent];
            let options = ["--option", "Postgres", "--option", "SQLite", "--option", "Files"];
            let run = place.forge(&[&args[..], &options].concat());
            assert!(is_labelled(&run.out), "{run}");
            rehearsal_is_labelled(&place, &format!("{protocol} by {agent}"));
        }
    }
}

fn rehearsal_is_labelled(place: &Place, what: &str) {
    let commands = [
        "debate status d1",
        "debate status d1 --json",
        "debate show d1",
        "debate show d1 --json",
        "show d1",
        "debate list",
        "debate list --json",
        "debate run d1",
        "debate run d1 --json",
        "verify d1",
        "verify d1 --json",
        "verify --all",
        "verify --all --json",
        "gate d1",
        "gate d1 --json",
        "export d1 --format md",
        "export d1 --format json",
        "export d1 --format yaml",
        "export d1 --format adr",
        "export d1 --format html",
        "export d1 --picture positions",
        "export d1 --picture challenges",
    ];
    for command in commands {
        let done = place.forge(&command.split(' ').collect::<Vec<_>>());
        assert!(is_labelled(&done.out), "{what}: {done}");
    }
    let is_plan = |file: &str| file.ends_with("plan.md") || file.ends_with("context.md");
    // Written by forge for seats and for itself, before anybody spoke.
    let asks = |file: &str| {
        ["/roles/", "/briefs/", "/requests/"].iter().any(|part| file.contains(part))
            || ["lock", "AGENTS.md", "GEMINI.md", "QWEN.md", "CLAUDE.md", ".gitignore", ".gitattributes", "s.yaml"]
                .iter()
                .any(|end| file.ends_with(end))
    };
    for file in place.files().into_iter().filter(|file| !asks(file) && !file.starts_with(".git/")) {
        // A plan says who sits where.
        let text = place.read(&file);
        assert!(is_labelled(&text) || is_plan(&file) && text.contains("scripted:"), "{what}: {file}: {text}");
    }
}
