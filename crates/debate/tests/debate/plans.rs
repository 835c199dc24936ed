//! Sound and unsound plans, and what ballots' words for options mean.

use crate::world::{self, options, seat};
use forge_debate::plan::{
    Choice, ID_LIMIT_BYTES, LABEL_LIMIT_BYTES, MATERIAL_LIMIT_BYTES, Material, OPTIONS_LIMIT, Plan,
    QUESTION_LIMIT_BYTES, SEATS_LIMIT, Seat, check_id, nearest,
};
use forge_debate::protocols::{self, ALL};

#[test]
fn the_default_plan_of_every_protocol_is_sound() {
    for protocol in ALL {
        let plan = world::plan(protocol.profile.name);
        assert_eq!(plan.defects(), Vec::<String>::new(), "{}", protocol.profile.name);
    }
}

/// Makes a plan unsound for every protocol, and looks for the words that say so.
fn check(name: &str, spoil: impl Fn(&mut Plan), expected: &str) {
    for protocol in ALL {
        let mut plan = world::plan(protocol.profile.name);
        spoil(&mut plan);
        let defects = plan.defects();
        assert!(
            defects.iter().any(|defect| defect.contains(expected)),
            "{name} under {}: {defects:?}",
            protocol.profile.name
        );
    }
}

#[test]
fn a_plan_says_what_is_wrong_with_its_question_and_limits() {
    check("empty question", |plan| plan.question.clear(), "the question is empty");
    check("blank question", |plan| plan.question = " \n\t".to_owned(), "the question is empty");
    check(
        "10 MB question",
        |plan| plan.question = "x".repeat(10_000_000),
        &format!("the limit is {QUESTION_LIMIT_BYTES}"),
    );
    check("no rounds", |plan| plan.limits.rounds = 0, "rounds is zero");
    check("no time", |plan| plan.limits.timeout_seconds = 0, "the timeout is zero");
    let huge = Material { name: "spec.md".to_owned(), text: "x".repeat(MATERIAL_LIMIT_BYTES + 1) };
    check("huge material", |plan| plan.materials.push(huge.clone()), "spec.md");
}

#[test]
fn a_plan_says_what_is_wrong_with_its_options() {
    check("one option", |plan| plan.options.truncate(1), "1 option; ");
    check(
        "too many",
        |plan| plan.options = options(&["o"; OPTIONS_LIMIT + 1]),
        &format!("the limit is {OPTIONS_LIMIT}"),
    );
    check("same id", |plan| plan.options[1].id = "a".into(), "two options have the id a");
    check("same label", |plan| plan.options[1].label = " REDIS".to_owned(), "options A and B are the same");
    check("no label", |plan| plan.options[1].label = "  ".to_owned(), "option B has no label");
    check(
        "long label",
        |plan| plan.options[1].label = "x".repeat(LABEL_LIMIT_BYTES + 1),
        "put the rest in its description",
    );
    check("bad id", |plan| plan.options[1].id = "../b".into(), "option id \"../b\"");
}

#[test]
fn two_options_are_enough_for_everything_but_a_gate() {
    for protocol in ALL {
        let mut plan = world::plan(protocol.profile.name);
        plan.options.truncate(2);
        assert_eq!(plan.defects().is_empty(), protocol.profile.name != "gate", "{}", protocol.profile.name);
    }
}

#[test]
fn a_plan_says_what_is_wrong_with_its_ids_and_seats() {
    check("bad debate id", |plan| plan.id = "../up".to_owned(), "debate id \"../up\"");
    check("bad seat id", |plan| plan.seats[0].id = seat("a/b"), "seat \"a/b\"");
    check("two of a name", |plan| plan.seats[1].id = plan.seats[0].id.clone(), "two seats are named");
    let many = |plan: &mut Plan| {
        let seat = plan.seats[0].clone();
        plan.seats.extend((0..SEATS_LIMIT).map(|i| Seat { id: format!("s{i}").as_str().into(), ..seat.clone() }));
    };
    check("too many seats", many, &format!("the limit is {SEATS_LIMIT}"));
}

/// `Risk` and `risk` are one file on many disks, and one name to a reader.
#[test]
fn two_seats_that_differ_only_in_case_are_refused() {
    check(
        "case",
        |plan| plan.seats[1].id = plan.seats[0].id.as_str().to_uppercase().as_str().into(),
        "two seats are named",
    );
}

#[test]
fn rounds_outside_what_the_protocol_holds_are_refused() {
    for protocol in ALL {
        let bounds = protocol.profile.rounds;
        for rounds in [bounds.least.saturating_sub(1), bounds.most + 1, u16::MAX] {
            let mut plan = world::plan(protocol.profile.name);
            plan.limits.rounds = rounds;
            assert!(!plan.defects().is_empty(), "{} with {rounds} rounds", protocol.profile.name);
        }
        for rounds in [bounds.least, bounds.default, bounds.most] {
            let mut plan = world::plan(protocol.profile.name);
            plan.limits.rounds = rounds;
            assert_eq!(plan.defects(), Vec::<String>::new(), "{} with {rounds} rounds", protocol.profile.name);
        }
    }
}

#[test]
fn a_place_that_leads_out_of_the_workspace_is_refused() {
    for place in ["/etc", "..", "../elsewhere", "docs/../../elsewhere", "docs/\0"] {
        check(place, |plan| plan.place = place.to_owned(), "place");
    }
}

#[test]
fn an_id_can_be_part_of_a_path_without_leading_anywhere() {
    for id in ["a", "A-1_b.c", "brainstorm-20260115-143022", "001-redis-vs-memcached", &"x".repeat(ID_LIMIT_BYTES)] {
        assert_eq!(check_id(id), Ok(()), "{id:?}");
    }
    for id in [
        "",
        "/",
        "a/b",
        "/etc/passwd",
        "..",
        ".",
        "../a",
        ".hidden",
        "-rf",
        "--help",
        "a\0b",
        "\0",
        "a\\b",
        "a b",
        "a\nb",
        "é",
        "a:b",
        "~",
        "a/../b",
        &"x".repeat(ID_LIMIT_BYTES + 1),
    ] {
        assert!(check_id(id).is_err(), "{id:?}");
    }
}

/// SPEC 6 names `..` without saying where; inside a name it is still no name that anyone needs.
#[test]
fn an_id_with_two_dots_anywhere_is_refused() {
    for id in ["a..b", "a.."] {
        assert!(check_id(id).is_err(), "{id:?}");
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_known_one() {
    let panel = protocols::newest("panel").unwrap();
    for (typed, near) in [("bord", "board"), ("planing-1", "planning-1"), ("Board", "board")] {
        let said = panel.profile.seats(Some(typed), "q").unwrap_err();
        assert!(said.contains(&format!("did you mean {near:?}?")) && said.contains("planning-3"), "{said}");
    }
    assert!(!panel.profile.seats(Some("zzzzzzzzzz"), "q").unwrap_err().contains("did you mean"));
    for (typed, near) in [("jugdes", "judges"), ("gates", "gate"), ("challange", "challenge"), ("PANEL", "panel")] {
        let said = protocols::newest(typed).err().unwrap();
        assert!(said.contains(&format!("did you mean {near:?}?")), "{said}");
    }
    assert_eq!(nearest("risks", ["risk", "value", "effort"]), Some("risk"));
    assert_eq!(nearest("", ["risk"]), None);
    assert_eq!(nearest("vlaeu", ["risk", "value", "effort"]), Some("value"), "two slips");
    assert_eq!(nearest("phases", ["prices"]), None, "half of it is another word");
    assert_eq!(nearest("rust", ["risk"]), None);
    assert_eq!(nearest("timeuot_secnods", ["timeout_seconds"]), Some("timeout_seconds"));
}

#[test]
fn only_a_panel_has_rosters() {
    for protocol in ALL.iter().filter(|protocol| protocol.profile.name != "panel") {
        assert!(
            protocol.profile.seats(Some("board"), "q").unwrap_err().contains("has fixed seats"),
            "{}",
            protocol.profile.name
        );
    }
}

#[test]
fn every_protocol_is_found_by_name_and_version_and_no_other_is() {
    for protocol in ALL {
        assert_eq!(
            protocols::Protocols::default()
                .find(protocol.profile.name, protocol.profile.version)
                .map(|found| found.profile.name),
            Some(protocol.profile.name)
        );
        assert!(protocols::Protocols::default().find(protocol.profile.name, 0).is_none());
        assert!(protocols::Protocols::default().find(protocol.profile.name, protocol.profile.version + 1).is_none());
    }
    assert!(protocols::Protocols::default().find("vote", 1).is_none());
}

fn meant(plan: &Plan, said: &str) -> Option<String> {
    plan.option_meant(said).map(|option| option.id.to_string())
}

#[test]
fn an_option_is_meant_by_its_id_its_label_or_both() {
    let plan = world::plan("judges");
    for said in [
        "B",
        "b",
        " B ",
        "B.",
        "B:",
        "**B**",
        "`B`",
        "\"B\"",
        "[B]",
        "Option B",
        "option b",
        "OPTION B",
        "Option B.",
        "Memcached",
        "memcached",
        "MEMCACHED",
        "B: Memcached",
        "B - Memcached",
        "B – Memcached",
        "B — Memcached",
        "B (Memcached)",
        "Option B (Memcached)",
        "Option B: Memcached",
        "B, since it is simple",
        "B (the simple one)",
    ] {
        assert_eq!(meant(&plan, said).as_deref(), Some("B"), "{said:?}");
    }
    assert_eq!(meant(&plan, "postgres   TABLE").as_deref(), Some("C"));
}

#[test]
fn words_that_mean_no_option_or_two_mean_none() {
    let plan = world::plan("judges");
    for said in [
        "",
        " ",
        "D",
        "Option",
        "Option D",
        "neither",
        "Memcached or Redis",
        "not B",
        "B (Redis)",
        "B: Redis",
        "Mem",
        "Postgres",
        "AB",
        "A or B",
        "...",
    ] {
        assert_eq!(meant(&plan, said), None, "{said:?}");
    }
}

/// A ballot with two ids is no vote; the first of them must not win for standing first.
#[test]
fn two_ids_mean_no_option() {
    let plan = world::plan("judges");
    for said in ["A, B", "A - B", "B (or C)", "B, C", "B: C", "Option B, Option C"] {
        assert_eq!(meant(&plan, said), None, "{said:?}");
    }
}

/// `B-tree` begins with an option's id and is a word of its own.
#[test]
fn a_hyphenated_word_is_not_an_id_with_its_label() {
    let mut plan = world::plan("judges");
    plan.options = options(&["B-tree", "Hash"]);
    assert_eq!(meant(&plan, "B-tree").as_deref(), Some("A"));
    assert_eq!(meant(&plan, "B-tree index"), None);
}

#[test]
fn an_exact_id_is_meant_before_a_label_of_the_same_spelling() {
    let mut plan = world::plan("judges");
    plan.options = vec![
        Choice { id: "yes".into(), label: "no".to_owned(), description: String::new() },
        Choice { id: "no".into(), label: "yes".to_owned(), description: String::new() },
    ];
    assert_eq!(meant(&plan, "yes").as_deref(), Some("yes"));
}

/// What follows a named option may describe it or say why; it may not put it in doubt.
#[test]
fn an_option_with_a_doubt_behind_it_is_not_meant() {
    let mut plan = world::plan("judges");
    for (option, label) in plan.options.iter_mut().zip(["No offline", "Full offline", "Limited offline"]) {
        option.label = label.to_owned();
    }
    for said in [
        "A",
        "Option A",
        "option a.",
        "**A**",
        "A: No offline",
        "A - No offline",
        "A (No offline)",
        "A (short name)",
        "No offline",
        "No offline (v1)",
        "A, No offline",
        "Option A because nobody asked for more",
        "A - it ships in a week",
        "A, since it cannot break",
        "A — the smallest step",
        "A: No offline, because if we wait it is never done",
        "\"A\"",
        "A.",
    ] {
        assert_eq!(plan.option_meant(said).map(|option| option.id.as_str()), Some("A"), "{said}");
    }
    for tail in [
        ", if legal agrees",
        ", provided that it fits",
        ", subject to review",
        ", pending the audit",
        ", unless it fails",
        ", however not in v1",
        ", never",
        ": rejected",
        ", no wait, B",
        " (70%) / Option B (30%)",
        "; though Option C is equally good",
        ", sofern es geht",
        ", wenn das Budget reicht",
        ", a menos que falle",
        ", sauf avis contraire",
        " (rejected)",
        " (only if legal agrees)",
        " (tentative)",
        " (placeholder)",
        " — rejected, too risky",
        " - ❌",
        " or B",
        ", or Full offline",
        " and B",
        "?",
        " (?)",
        ": perhaps",
        ", not decided yet",
    ] {
        let said = format!("Option A{tail}");
        assert_eq!(plan.option_meant(&said).map(|option| option.id.as_str()), None, "{said}");
    }
}
