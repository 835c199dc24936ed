//! The page: well-formed, self-contained, and nothing of what was said is more than text.

use crate::{accounts, hostile};
use forge_artifacts::formats::html;
use forge_debate::brief::is_hidden;
use roxmltree::{Document, Node, ParsingOptions};

/// Holds a page to what every page promises, and gives its text.
#[track_caller]
fn check(page: &str) -> String {
    assert!(page.starts_with("<!DOCTYPE html>\n"));
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(page, options).unwrap_or_else(|error| panic!("{error}"));
    let policy = document.descendants().find(|node| node.attribute("http-equiv") == Some("Content-Security-Policy"));
    assert_eq!(
        policy.unwrap().attribute("content"),
        Some("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    );
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        assert!(
            !["script", "a", "img", "link", "iframe", "object", "form", "foreignObject", "use"].contains(&name),
            "<{name}>"
        );
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on"), "{}", attribute.name());
            assert!(!["src", "href", "style", "action"].contains(&attribute.name()), "{}", attribute.name());
        }
        if name == "style" {
            let css = node.text().unwrap();
            assert!(!css.contains("url(") && !css.contains("@import"), "{css}");
        }
    }
    let odd = page.chars().find(|c| is_hidden(*c));
    assert_eq!(odd, None, "a character that hides or reorders");
    document.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_page_is_well_formed_and_self_contained() {
    for account in [accounts::judges(), accounts::confrontation(), accounts::gate(), accounts::panel(12, 10)] {
        let page = html::write(&account);
        check(&page);
        assert_eq!(page, html::write(&account.clone()));
    }
}

#[test]
fn what_was_said_is_text_and_nothing_else() {
    for (text, account) in
        hostile::texts().into_iter().flat_map(|text| hostile::everywhere(&text).map(|one| (text.clone(), one)))
    {
        let said = check(&html::write(&account));
        // What can be seen of a text is seen, to the letter.
        let visible: String =
            text.chars().filter(|c| !is_hidden(*c) && !matches!(c, '\u{FFFE}' | '\u{FFFF}')).collect();
        for word in visible.split_whitespace() {
            assert!(said.split(|c: char| c.is_whitespace()).any(|part| part.contains(word)), "{word:?} is lost");
        }
    }
}

#[test]
fn the_first_screen_comes_first() {
    let text = check(&html::write(&accounts::judges()));
    let places: Vec<usize> = ["ONE FAMILY", "FRAGILE", "CONSENSUS", "conformity", "Reasons", "Turns", "How to check"]
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("no {part}")))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn the_page_of_a_gate_is_as_it_was() {
    let page = html::write(&accounts::gate());
    let body = page.split_once("<main>").unwrap().1;
    assert_eq!(
        body.split_once("<section>").unwrap().0.trim(),
        "<header>
<p class=\"kicker\">sessions · gate@1 · 2026-01-27T10:00:00Z</p>
<h1>Redis or Memcached for sessions?</h1>
</header>
<section class=\"verdict halted\">
<p class=\"caution\"><strong>DEGRADED</strong> operator (case) timed out: no answer in 120 seconds</p>
<p class=\"outcome\"><strong>BLOCKED</strong> <span>the gate is not passed</span></p>
<dl>
<dt>vote</dt><dd>none: one seat decides (synthesizer)</dd>
<dt>blocks</dt><dd>docs/forge/sessions/synthesis.md:12: names no kill-switch criterion with a threshold</dd>
<dt>cost</dt><dd>6 calls, 5200 tokens in, 1800 out; no price known, so no money figure</dd>
<dt>next</dt><dd class=\"next\">mend what blocks, then: forge gate sessions</dd>
</dl>
</section>"
    );
}
