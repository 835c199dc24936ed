//! Plans as the seed writes them, and plans that take over what changed.

use crate::place::Place;

const ADVOCATE: &str = include_str!("../data/advocate.md");
const SKEPTIC: &str = include_str!("../data/skeptic.md");
const OPERATOR: &str = include_str!("../data/operator.md");
const SYNTHESIS: &str = include_str!("../data/synthesis.md");

const HOME: &str = "docs/forge/debate/brainstorm-20260115-143022";
const ID: &str = "brainstorm-20260115-143022";

/// The seed's front matter to the letter, with options as its tools list them.
const BARE: &str = "---
debate_id: \"brainstorm-20260115-143022\"
phase: \"brainstorm\"
objective: \"Build or buy the billing service?\"
status: \"pending\"
---

## Objective
Build or buy the billing service?

## Options Under Consideration
1. **Option A**: Build it
2. **Option B:** Buy it - from a vendor
3. **Option C**: Wait
";

// seed: S0-23, S0-39
#[test]
fn the_seeds_bare_plan_is_a_plan() {
    let place = Place::new();
    place.write(&format!("{HOME}/debate-plan.md"), BARE);
    place
        .forge(&["debate", "--status", "--id", ID])
        .code(0)
        .out("pending")
        .out("Build or buy the billing service?")
        .out("advocate (case, round 1)         missing");
    for (file, text) in
        [("advocate.md", ADVOCATE), ("skeptic.md", SKEPTIC), ("operator.md", OPERATOR), ("synthesis.md", SYNTHESIS)]
    {
        place.write(&format!("{HOME}/{file}"), text);
    }
    place.forge(&["gate", ID]).code(0).out("PASSED").out("not on record yet");
    place.forge(&["debate", "run", ID]).code(0).out("DECIDED");
    place.forge(&["verify", ID]).code(0).out("HOLDS");
}

#[test]
fn an_objective_may_stand_in_the_body() {
    let place = Place::new();
    let plan = BARE.replace("objective: \"Build or buy the billing service?\"\n", "created_at: 2026-01-15\n");
    place.write(&format!("{HOME}/debate-plan.md"), &plan);
    place.forge(&["debate", "--status", "--id", ID]).code(0).out("Build or buy the billing service?");
}

/// A plan of the brainstorm phase with three options, and its id.
fn planned() -> (Place, String) {
    let place = Place::new();
    place.forge(&["start", "Pick a session store"]).code(0);
    place.forge(&["continue"]);
    place.write(OPTIONS, listed(&["Redis", "Memcached", "A table"]));
    place.forge(&["continue"]).code(3);
    let id = place.forge(&["status", "--json"]).json()["debate_id"].as_str().unwrap_or_default().to_owned();
    let id = if id.is_empty() { only_debate(&place) } else { id };
    (place, id)
}

const OPTIONS: &str = "docs/forge/brainstorm-options.md";

fn listed(names: &[&str]) -> String {
    format!("# Options\n\n## Options\n\n{}", names.iter().map(|name| format!("- {name}\n")).collect::<String>())
}

fn only_debate(place: &Place) -> String {
    let folder = place.path("docs/forge/debate");
    let mut names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.next().unwrap()
}

// seed: S0-83
#[test]
fn a_plan_takes_over_what_its_phase_asks_for_while_nobody_has_written() {
    let (place, id) = planned();
    let plan = format!("docs/forge/debate/{id}/debate-plan.md");
    assert!(!place.read(&plan).contains("Valkey"));
    place.write(OPTIONS, listed(&["Redis", "Memcached", "A table", "Valkey"]));
    place.forge(&["continue"]).code(3).out("--regenerate");
    place
        .forge(&["debate", "--regenerate", "--id", &id])
        .code(0)
        .out("written anew")
        .out("the options are now A (Redis), B (Memcached), C (A table), D (Valkey)");
    assert!(place.read(&plan).contains("- **D: Valkey**"));
    place.forge(&["brainstorm", "Pick a session store that survives a restart"]).code(3);
    place.forge(&["debate", "--regenerate", "--id", &id]).code(0).out("the objective is now");
    assert!(place.read(&plan).contains("objective: \"Pick a session store that survives a restart\""));

    // Half a sentence is enough: it answers the plan as it was.
    place.write(&format!("docs/forge/debate/{id}/skeptic.md"), "## Critical Questions\n\n- Who");
    place.write(OPTIONS, listed(&["Redis", "Memcached", "A table"]));
    place.forge(&["debate", "--regenerate", "--id", &id]).code(0).out("stays as it is: skeptic wrote for it already");
    assert!(place.read(&plan).contains("Valkey"));
}

#[test]
fn a_bold_start_of_an_option_is_its_name_and_signs_tell_options_apart() {
    let place = Place::new();
    let ask = |id: &str, options: [&str; 3]| {
        let flags: Vec<&str> = options.iter().flat_map(|option| ["--option", *option]).collect();
        let args = ["debate", "Which one do we take?", "--protocol", "gate", "--agent", "outside", "--id", id];
        place.forge(&[&args[..], &flags].concat()).code(3);
        place.read(&format!("docs/forge/debate/{id}/debate-plan.md"))
    };
    let plan = ask("bold", ["JSON", "**MVStore** — the store of H2", "Add `* Category: X` below the heading"]);
    assert!(plan.contains("- **B: MVStore** - the store of H2"), "{plan}");
    assert!(plan.contains("- **C: Add `* Category: X` below the heading**"), "{plan}");
    let plan = ask("signs", ["Use the character `§`", "Use the character `%`", "Use the character `&`"]);
    assert!(plan.contains("- **C: Use the character `&`**"), "{plan}");
}
