//! The pictures: well-formed whatever was said, the same every time, and with everything in them that the account tells.

use crate::accounts::{self, OPENING, account, challenge, stand, word};
use crate::hostile;
use forge_artifacts::formats::picture::{challenges, positions};
use forge_artifacts::formats::verdict::Account;
use forge_debate::verdict::Outcome;
use roxmltree::{Document, Node};

fn all() -> Vec<Account> {
    let mut all = vec![accounts::judges(), accounts::confrontation(), accounts::gate()];
    all.extend(
        [(1, 0), (2, 2), (3, 9), (4, 3), (5, 5), (6, 4), (12, 10)]
            .map(|(seats, rounds)| accounts::panel(seats, rounds)),
    );
    all.extend((0..3).map(|seats| account("judges", &["a", "b"][..seats.min(2)], &["X"], Outcome::Insufficient)));
    all
}

/// Holds a picture to what every picture promises, and gives its titles: what a reader is told who points at a mark.
#[track_caller]
fn check(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error} in {svg}"));
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let size: Vec<f64> = root.attribute("viewBox").unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
    let children: Vec<&str> =
        root.children().filter(Node::is_element).map(|node| node.tag_name().name()).take(2).collect();
    assert_eq!(children, ["title", "desc"], "what a screen reader says comes first");
    for node in document.descendants().filter(Node::is_element) {
        let known = ["svg", "title", "desc", "style", "rect", "circle", "polygon", "path", "line", "text", "g"];
        assert!(known.contains(&node.tag_name().name()), "<{}>", node.tag_name().name());
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && !name.contains("href"), "{name}={value}");
            assert!(!value.contains("NaN") && !value.contains("inf"), "{name}={value}");
            assert!(!value.contains("url("), "{name}={value}");
        }
        // Marks and texts lie on the canvas.
        for (name, limit) in
            [("x", size[2]), ("cx", size[2]), ("x2", size[2]), ("y", size[3]), ("cy", size[3]), ("y2", size[3])]
        {
            let turned = node.ancestors().any(|above| above.has_attribute("transform"));
            if let Some(at) = node.attribute(name).filter(|_| !turned).map(|at| at.parse::<f64>().unwrap()) {
                assert!((0.0..=limit).contains(&at), "{name}={at} of {limit}: {svg}");
            }
        }
    }
    let titles = document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "title")));
    titles.filter_map(|node| node.text()).map(str::to_owned).collect()
}

#[test]
fn every_picture_is_well_formed_and_the_same_again() {
    for account in all() {
        for draw in [positions, challenges] {
            let svg = draw(&account);
            check(&svg);
            assert_eq!(svg, draw(&account.clone()));
        }
    }
}

#[test]
fn every_stand_is_in_the_picture() {
    for account in all() {
        let titles = check(&positions(&account));
        let course = &account.verdict.assessment.course;
        for stand in &course.stands {
            let who = match stand.round {
                0 => format!("{} ({}): ", stand.seat, stand.stage),
                round => format!("{} ({}, round {round}): ", stand.seat, stand.stage),
            };
            let title = titles.iter().find(|title| title.starts_with(&who)).unwrap_or_else(|| panic!("no {who}"));
            let shown = |id: &forge_debate::plan::OptionId| title.contains(&account.plan.option_name(id));
            assert!(stand.cast.iter().chain(&stand.counted).all(shown), "{title}");
            assert!(stand.cast.is_some() || title.contains(stand.word.as_deref().unwrap()), "{title}");
            assert_eq!(title.contains("without a ground"), stand.cast != stand.counted, "{title}");
        }
        let marked = titles.iter().filter(|title| title.contains("): ")).count();
        assert_eq!(marked, course.stands.len(), "one mark for each stand");
    }
}

#[test]
fn an_unearned_move_is_a_dashed_way_and_the_line_stays() {
    let dashed = |account: &Account| positions(account).matches("stroke-dasharray=\"5 4\"").count() - 1;
    let mut account = accounts::judges();
    assert_eq!(dashed(&account), 1, "effort's way to A");
    account.verdict.assessment.course.stands.retain(|stand| stand.cast == stand.counted);
    assert_eq!(dashed(&account), 0);
}

/// Marks of different stands never lie on each other, nor do names.
#[test]
fn nothing_lies_on_anything_else() {
    for account in all() {
        let svg = positions(&account);
        let document = Document::parse(&svg).unwrap();
        let mut places = std::collections::BTreeSet::new();
        for group in document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "g"))) {
            let marks = group.children().filter(|node| node.attribute("stroke-width").is_none());
            for mark in marks.filter(|node| ["circle", "rect", "polygon"].contains(&node.tag_name().name())) {
                let at =
                    ["cx", "cy", "x", "y", "points"].map(|name| mark.attribute(name).unwrap_or_default().to_owned());
                assert!(places.insert(at.clone()), "two marks at {at:?}");
            }
        }
        let names = document.descendants().filter(|node| node.attribute("text-anchor") == Some("start"));
        let mut taken = std::collections::BTreeSet::new();
        for name in names {
            assert!(taken.insert((name.attribute("x"), name.attribute("y"))), "two names at one place: {svg}");
        }
    }
}

#[test]
fn every_challenge_is_in_the_picture_with_its_number() {
    for account in all() {
        let titles = check(&challenges(&account));
        let course = &account.verdict.assessment.course;
        for one in &course.challenges {
            let times =
                course.challenges.iter().filter(|other| (&other.from, &other.to) == (&one.from, &one.to)).count();
            let times = if times == 1 { "once".to_owned() } else { format!("{times} times") };
            let told = format!("{} challenged {} {times}", one.from, one.to);
            assert!(
                titles.iter().any(|title| title.starts_with(&told) && title.contains(&one.text)),
                "{told}: {titles:?}"
            );
        }
        if course.challenges.is_empty() {
            assert!(challenges(&account).contains("Nobody challenged anybody."));
        }
    }
}

#[test]
fn seats_that_challenged_nobody_are_marked_and_a_lead_is_not() {
    assert!(challenges(&accounts::judges()).contains(">challenged nobody<"));
    assert!(challenges(&accounts::panel(6, 4)).contains(">nobody<"));
    let confrontation = challenges(&accounts::confrontation());
    assert!(confrontation.contains("adversary challenged nobody") && !confrontation.contains("lead challenged nobody"));
}

#[test]
fn words_are_shortened_to_their_place_and_whole_in_the_title() {
    let long = "infrastructure-and-operations-lead";
    let mut account = account("panel", &[long, "b"], &[&"very long label ".repeat(9)], Outcome::Contested);
    account.verdict.assessment.course.stands =
        vec![stand(long, OPENING, 0, 0, "A", "A"), word("b", OPENING, 0, 0, &"so ".repeat(50))];
    account.verdict.assessment.course.challenges = vec![challenge(long, "b", 1, "No.")];
    for svg in [positions(&account), challenges(&account)] {
        let titles = check(&svg);
        assert!(titles.iter().any(|title| title == long), "{titles:?}");
        let document = Document::parse(&svg).unwrap();
        for text in document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text"))) {
            assert!(text.text().unwrap().chars().count() <= 80, "{:?}", text.text());
        }
    }
}

#[test]
fn nothing_that_was_said_can_break_out() {
    for text in hostile::texts() {
        let account = hostile::among_judges(&text);
        check(&positions(&account));
        check(&challenges(&account));
    }
}
