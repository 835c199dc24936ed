//! What the gate makes of texts as people write them. Each case of `tests/texts/gate` changes one thing in a debate that
//! passes: a section of one of its files, or a whole file. Files whose name begins with `blind` were written by somebody
//! who had seen neither the rules nor the word lists.

use forge_artifacts::markdown;
use forge_debate::form::Writer;
use forge_debate::plan::{Choice, Demands, Families, Hand, Limits, Naming, Plan, Seat, letter};
use forge_debate::protocols;
use forge_debate::reading::Reading;
use forge_debate::record::{Ask, Record};
use forge_debate::turn::{Contribution, Turn, TurnKey};
use forge_debate::verdict::{Gravity, Outcome};
use forge_debate::voting::Threshold;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const ADVOCATE: &str = include_str!("../texts/base/advocate.md");
const SKEPTIC: &str = include_str!("../texts/base/skeptic.md");
const OPERATOR: &str = include_str!("../texts/base/operator.md");
const SYNTHESIS: &str = include_str!("../texts/base/synthesis.md");

/// One case of a file.
#[derive(Debug)]
struct Case {
    name: String,
    /// The option that is decided, or none where the gate must block.
    expect: Option<String>,
    options: Vec<String>,
    file: String,
    section: Option<String>,
    text: String,
}

fn cases(data: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in format!("\n{data}").split("\n=== ").skip(1) {
        let (head, text) = entry.split_once("\n---\n").unwrap_or_else(|| panic!("no text: {entry}"));
        let mut lines = head.lines();
        let name = lines.next().unwrap_or_default().trim().to_owned();
        let fields: BTreeMap<&str, &str> =
            lines.filter_map(|line| line.split_once(':')).map(|(key, value)| (key.trim(), value.trim())).collect();
        let expect = fields.get("expect").unwrap_or_else(|| panic!("{name}: no expect"));
        let options = fields.get("options").copied().unwrap_or("JSON | MVStore | Custom format");
        cases.push(Case {
            expect: expect.strip_prefix("pass").map(|option| option.trim().to_owned()),
            options: options.split(" | ").map(|option| option.trim().to_owned()).collect(),
            file: fields.get("file").copied().unwrap_or("synthesis").to_owned(),
            section: fields.get("section").map(|section| (*section).to_owned()),
            text: text.trim_end().to_owned(),
            name,
        });
    }
    cases
}

fn plan(options: &[String]) -> Plan {
    let protocol = protocols::newest("gate").unwrap();
    let seats = protocol.profile.seats(None, "q").unwrap();
    Plan {
        at_stake: Vec::new(),
        id: "gate-1".to_owned(),
        protocol: &protocol.profile,
        question: "Which one do we take?".to_owned(),
        options: options
            .iter()
            .enumerate()
            .map(|(i, label)| Choice { id: letter(i), label: label.clone(), description: String::new() })
            .collect(),
        materials: Vec::new(),
        seats: seats.iter().map(|spec| Seat::new(spec, Hand::Outside)).collect(),
        limits: Limits {
            rounds: 1,
            threshold: Threshold::parse("2/3").unwrap(),
            min_rounds: 1,
            timeout_seconds: 120,
            max_calls: None,
            max_tokens: None,
            max_cost: None,
            min_challengers: 1,
        },
        seed: 1,
        naming: Naming::Anonymous,
        families: Families::MustDiffer,
        demands: Demands::default(),
        place: "docs/forge/debate".to_owned(),
        phase: String::new(),
        roster: None,
        synthesizer: None,
        created_at: String::new(),
    }
}

/// A file with the body of one of its sections replaced.
fn replaced(file: &str, section: &str, text: &str) -> String {
    let heading = format!("## {section}\n");
    let at = file.find(&heading).unwrap_or_else(|| panic!("no section {section}")) + heading.len();
    let end = file[at..].find("\n## ").map_or(file.len(), |end| at + end + 1);
    format!("{}\n{text}\n\n{}", &file[..at], &file[end..])
}

fn read(ask: &Ask, plan: &Plan, text: &str) -> Reading {
    ask.form.read(plan, &ask.key.seat, &markdown::draft(text, 1), Writer::Outside)
}

/// The option that the gate decides for, or what it has against the files.
fn outcome(case: &Case) -> Result<String, Vec<String>> {
    let plan = plan(&case.options);
    let protocol = protocols::newest("gate").unwrap();
    let mut files: BTreeMap<&str, String> =
        [("advocate", ADVOCATE), ("skeptic", SKEPTIC), ("operator", OPERATOR), ("synthesizer", SYNTHESIS)]
            .map(|(seat, text)| (seat, text.to_owned()))
            .into();
    let seat = if case.file == "synthesis" { "synthesizer" } else { case.file.as_str() };
    let file = files.get_mut(seat).unwrap_or_else(|| panic!("{}: no file {}", case.name, case.file));
    *file = match &case.section {
        Some(section) => replaced(file, section, &case.text),
        None => case.text.clone(),
    };
    let mut turns: BTreeMap<TurnKey, Turn> = BTreeMap::new();
    for _ in 0..3 {
        let mut record = Record::new(&turns);
        let pending = match forge_debate::conclude(protocol, &plan, &mut record) {
            Ok(verdict) if verdict.outcome() == Outcome::Decided => return Ok(verdict.options()[0].to_string()),
            Ok(verdict) => {
                let blocks = verdict.ruling.findings.iter().filter(|finding| finding.gravity == Gravity::Blocks);
                return Err(blocks.map(|finding| format!("{}: {}", finding.file, finding.fact.sentence())).collect());
            }
            Err(pending) => pending,
        };
        for ask in pending.asks {
            let reading = read(&ask, &plan, &files[ask.key.seat.as_str()]);
            let Some(speech) = reading.speech.clone() else {
                return Err(reading.lines().iter().map(|line| format!("not yet: {line}")).collect());
            };
            turns.insert(ask.key.clone(), Turn { key: ask.key, contribution: Contribution::Speech(speech).into() });
        }
    }
    panic!("{}: no end", case.name)
}

/// Honest texts of which one may be asked for a clearer line.
const HONEST_PER_ASKED: usize = 20;

// seed: S0-35, S0-44
#[test]
fn the_gate_passes_what_decides_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts/gate");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut wrong, mut asked) = (Vec::new(), Vec::new());
    let (mut honest, mut others) = (0, 0);
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        for case in cases(&fs::read_to_string(&file).unwrap()) {
            *(if case.expect.is_some() { &mut honest } else { &mut others }) += 1;
            match (&case.expect, outcome(&case)) {
                (Some(option), Ok(decided)) if *option == decided => {}
                (None, Err(_)) => {}
                (_, Ok(decided)) => wrong.push(format!("{name} {}: {decided}\n{}\n", case.name, case.text)),
                (Some(_), Err(why)) => asked.push(format!("{name} {}: {}\n{}\n", case.name, why.join("; "), case.text)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} passed that must not\n\n{}", wrong.len(), wrong.join("\n"));
    assert!(honest + others >= 150 && others >= 75, "{honest} and {others} texts");
    assert!(asked.len() * HONEST_PER_ASKED <= honest, "{} blocked\n\n{}", asked.len(), asked.join("\n"));
}
