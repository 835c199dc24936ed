//! What a Final Decision decides: one option, a stated combination, or nothing.

use crate::gate::{Held, held, synthesis};
use crate::world::{self, options};
use forge_debate::plan::Plan;
use forge_debate::verdict::{Confidence, Finding, Gravity, Outcome};

enum Says {
    Decides(&'static [&'static str]),
    Blocks(&'static str),
}
use Says::{Blocks, Decides};

/// Holds a gate with this Final Decision (and ballot, where there is one) and looks at what it decides.
fn check(plan: &Plan, body: &str, ballot: Option<&[&str]>, says: &Says) {
    let gate = Held { plan: plan.clone(), ballot, ..held(synthesis("Final Decision", Some(body))) };
    let verdict = gate.end().verdict;
    let blocking: Vec<&Finding> =
        verdict.findings.iter().filter(|finding| finding.gravity == Gravity::Blocks).collect();
    let decided: Vec<&str> = verdict.options.iter().map(|id| id.as_str()).collect();
    match says {
        Decides(expected) => {
            assert_eq!(verdict.outcome, Outcome::Decided, "{body:?}, ballot {ballot:?}: {blocking:?}");
            assert_eq!(decided, *expected, "{body:?}, ballot {ballot:?}");
        }
        Blocks(part) => {
            assert_eq!(verdict.outcome, Outcome::Blocked, "{body:?}, ballot {ballot:?} decides {decided:?}");
            assert!(blocking.iter().any(|finding| finding.text.contains(part)), "{body:?}: {blocking:?}");
            assert_eq!(verdict.confidence, Confidence::RequiresInput);
        }
    }
}

#[test]
fn a_final_decision_that_names_one_option_is_clear() {
    let plan = world::plan("gate");
    for (body, says) in [
        ("**Chosen Option:** B\n\nIt is simpler.", Decides(&["B"])),
        ("**Chosen Option**: b", Decides(&["B"])),
        ("Chosen Option: Memcached", Decides(&["B"])),
        ("- **Chosen Option:** Option B", Decides(&["B"])),
        ("**Chosen Option:** B (Memcached)", Decides(&["B"])),
        ("**Chosen Option:** B - Memcached", Decides(&["B"])),
        ("**Chosen Option:** `B`", Decides(&["B"])),
        ("**Decision:** the Postgres table", Decides(&["C"])),
        ("We choose Redis.", Decides(&["A"])),
        ("We choose redis, since it is fast.", Decides(&["A"])),
        ("Option C it is.", Decides(&["C"])),
        ("**B** is what we do.", Decides(&["B"])),
    ] {
        check(&plan, body, None, &says);
    }
}

#[test]
fn rejected_alternatives_may_be_named_after_the_choice() {
    let plan = world::plan("gate");
    for (body, says) in [
        ("We choose Redis. Memcached and the Postgres table were rejected: no replication, too slow.", Decides(&["A"])),
        ("**Chosen Option:** A\n\nRejected: Memcached (B) has no replication, Option C is slow.", Decides(&["A"])),
        ("**Chosen Option:** A\n\nBoth Memcached and Redis were fast; A also replicates.", Decides(&["A"])),
        ("Memcached.\n\nNot Redis: it costs more. Not the Postgres table: it is slower.", Decides(&["B"])),
    ] {
        check(&plan, body, None, &says);
    }
}

#[test]
fn a_final_decision_that_names_no_option_or_several_is_unclear() {
    let plan = world::plan("gate");
    for (body, says) in [
        ("We will think about it some more.", Blocks("decision unclear: none of the options is named")),
        ("A good choice was made by all.", Blocks("none of the options is named")),
        ("Redis or Memcached; the team will see.", Blocks("no combination is stated")),
        ("Option A, Option B.", Blocks("no combination is stated")),
        ("**Chosen Option:** Redis or Memcached", Blocks("no combination is stated")),
        ("**Chosen Option:** A, B", Blocks("no combination is stated")),
        ("**Chosen Option:** D", Blocks("not one of the options")),
        ("**Chosen Option:** Valkey", Blocks("not one of the options")),
        ("**Chosen Option:**", Blocks("decision unclear")),
        ("**Chosen Option:** TBD", Blocks("decision unclear")),
        ("**Chosen Option:** [...]", Blocks("decision unclear")),
        ("**Chosen Option:** [option id]", Blocks("decision unclear")),
        ("**Chosen Option:** {{ option }}", Blocks("decision unclear")),
        ("TBD", Blocks("placeholder")),
        ("TBD: leaning to Redis", Blocks("placeholder")),
        ("To be decided.", Blocks("placeholder")),
        ("[Clear choice with rationale]", Blocks("placeholder")),
        ("{{decision}}", Blocks("placeholder")),
        ("...", Blocks("placeholder")),
        ("N/A", Blocks("placeholder")),
    ] {
        check(&plan, body, None, &says);
    }
}

#[test]
fn what_is_turned_down_put_off_or_merely_discussed_is_not_chosen() {
    let plan = world::plan("gate");
    for body in [
        "Not Redis.",
        "We reject Redis.",
        "Redis is rejected; none of the options is taken.",
        "Defer. Redis looks good but we do not decide now.",
        "No decision.\n\n- Redis was discussed",
        "**Chosen Option:** not A",
        "**Chosen Option:** none, though Redis came close",
        "We do not take Redis",
        "Combination of A and C: the table first, Redis later.",
    ] {
        check(&plan, body, None, &Blocks("decision unclear"));
    }
}

#[test]
fn a_stated_combination_is_a_decision() {
    let plan = world::plan("gate");
    for (body, says) in [
        ("**Chosen Option:** A + B", Decides(&["A", "B"])),
        ("**Chosen Option:** Redis + Memcached", Decides(&["A", "B"])),
        ("A combination of Redis and Memcached: Redis for sessions, Memcached for pages.", Decides(&["A", "B"])),
        ("We combine Option A with Option C.", Decides(&["A", "C"])),
    ] {
        check(&plan, body, None, &says);
    }
}

#[test]
fn ballot_and_section_must_say_the_same() {
    let plan = world::plan("gate");
    for (body, ballot, says) in [
        ("**Chosen Option:** A", &["A"][..], Decides(&["A"])),
        ("We choose Redis.", &["a"], Decides(&["A"])),
        ("We choose Redis.", &["Redis"], Decides(&["A"])),
        ("We combine Redis and Memcached.", &["B", "A"], Decides(&["B", "A"])),
        ("**Chosen Option:** B", &["A"], Blocks("the ballot says A (Redis)")),
        ("We choose Memcached.", &["A"], Blocks("the ballot says A (Redis)")),
        ("**Chosen Option:** A", &["A", "B"], Blocks("the ballot says A (Redis), B (Memcached)")),
        ("Redis, Memcached: who knows.", &["A", "B"], Blocks("no combination is stated")),
    ] {
        check(&plan, body, Some(ballot), &says);
    }
}

/// SPEC 3.2: Final Decision itself must name the option; the ballot beside it does not make it clear.
#[test]
fn a_ballot_does_not_clear_up_a_final_decision_that_names_nothing_or_something_else() {
    let plan = world::plan("gate");
    for body in ["**Chosen Option:** D", "**Chosen Option:** TBD", "We will see how it goes."] {
        check(&plan, body, Some(&["A"]), &Blocks("decision unclear"));
    }
}

#[test]
fn a_longer_label_does_not_also_name_the_shorter_one_inside_it() {
    let mut plan = world::plan("gate");
    plan.options = options(&["Redis", "Redis Cluster", "Memcached"]);
    for (body, says) in [
        ("We choose Redis Cluster.", Decides(&["B"])),
        ("**Chosen Option:** Redis Cluster", Decides(&["B"])),
        ("We choose Redis.", Decides(&["A"])),
        ("We choose Redis Cluster. Redis alone does not fail over.", Decides(&["B"])),
        ("Redis Cluster or plain Redis, we will see.", Blocks("no combination is stated")),
    ] {
        check(&plan, body, None, &says);
    }
}

#[test]
fn two_ids_on_the_chosen_option_line_are_not_a_choice() {
    let plan = world::plan("gate");
    for body in [
        "**Chosen Option:** B or C",
        "**Chosen Option:** B/C",
        "**Chosen Option:** A or B",
        "**Chosen Option:** B (or C)",
        "**Chosen Option:** A - or B",
    ] {
        check(&plan, body, None, &Blocks("decision unclear"));
    }
}

#[test]
fn two_chosen_option_lines_that_differ_are_not_a_choice() {
    check(&world::plan("gate"), "**Chosen Option:** A\n\n**Chosen Option:** B", None, &Blocks("decision unclear"));
}

#[test]
fn an_id_with_the_label_of_another_option_is_not_a_choice() {
    let plan = world::plan("gate");
    for body in ["**Chosen Option:** A (Memcached)", "**Chosen Option:** B (Redis)", "**Chosen Option:** C: Redis"] {
        check(&plan, body, None, &Blocks("decision unclear"));
    }
}

#[test]
fn a_label_with_a_full_stop_in_it_is_one_word_of_the_first_sentence() {
    let mut plan = world::plan("gate");
    plan.options = options(&["Node.js", "Deno", "Bun 1.2"]);
    for (body, says) in [
        ("We choose Node.js. Deno was rejected.", Decides(&["A"])),
        ("We choose Bun 1.2. Neither Deno nor Node.js is faster.", Decides(&["C"])),
    ] {
        check(&plan, body, None, &says);
    }
}

#[test]
fn a_label_that_sounds_like_a_combination_states_none() {
    let mut plan = world::plan("gate");
    plan.options = options(&["Redis", "Memcached", "Hybrid store"]);
    check(&plan, "Either Redis or the Hybrid store; the team will see.", None, &Blocks("decision unclear"));
    check(&plan, "We choose the Hybrid store.", None, &Decides(&["C"]));
}

#[test]
fn an_option_that_is_itself_labelled_with_a_plus_is_one_option() {
    let mut plan = world::plan("gate");
    plan.options = options(&["Redis", "Memcached", "Redis + Memcached"]);
    check(&plan, "**Chosen Option:** Redis + Memcached", None, &Decides(&["C"]));
    check(&plan, "We choose Redis + Memcached.", None, &Decides(&["C"]));
}

#[test]
fn praising_two_options_together_is_not_combining_them() {
    let plan = world::plan("gate");
    for body in
        ["Both Redis and Memcached have merits; we could not agree.", "Redis and Memcached were looked at together."]
    {
        check(&plan, body, None, &Blocks("decision unclear"));
    }
}

#[test]
fn a_placeholder_with_a_leaning_below_it_is_still_a_placeholder() {
    check(&world::plan("gate"), "TBD\n\nRedis looks good so far.", None, &Blocks("placeholder"));
}
