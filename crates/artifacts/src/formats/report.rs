//! `verdict.md`: the verdict for people. One screen first (what lowers its worth, the outcome, the votes, whether it
//! holds, what to do next), then everything else. Self-contained: pictures are tables here.

use super::details::{self, Body, Item, Labelled, Part, Table};
use super::outcome;
use super::summary::{self, Row, one_line};
use super::verdict::Account;
use forge_debate::brief::plain;
use forge_debate::verdict::Outcome;
use pulldown_cmark::{Event, Parser, Tag};
use std::fmt::Write as _;

/// Writes the report.
pub fn write(account: &Account) -> String {
    let summary = summary::of(account);
    let mut out = format!("# {}\n\n", harmless(&one_line(&account.plan.question)));
    for Row { label, text } in &summary.cautions {
        let _ = write!(out, "> **{label}.** {}.\n\n", harmless(text));
    }
    // A challenge has a layout of its own for its outcome, unless a person decided.
    let own = outcome::part(account).filter(|_| account.verdict.decision.is_none());
    match &own {
        Some(part) => write_part(&mut out, part),
        None => {
            let word = account.verdict.outcome.word().to_uppercase();
            let _ = writeln!(out, "## Debate outcome: {word}\n\n{}", headline(account));
        }
    }
    out.push_str("\n| | |\n|---|---|\n");
    for row in &summary.rows {
        let _ = writeln!(out, "| {} | {} |", row.label, cell(&row.dotted()));
    }
    for step in &summary.next {
        let _ = writeln!(out, "| next | {} |", cell(step));
    }
    for part in details::of(account).iter().filter(|part| own.as_ref() != Some(part)) {
        let _ = writeln!(out);
        write_part(&mut out, part);
    }
    out
}

/// The outcome in a sentence.
pub fn headline(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let chosen = verdict.options.iter().map(|id| harmless(&one_line(&plan.option_name(id)))).collect::<Vec<_>>();
    let chosen = if chosen.is_empty() { "The position stands".to_owned() } else { chosen.join(" + ") };
    let rounds = format!("{} round{}", verdict.rounds, if verdict.rounds == 1 { "" } else { "s" });
    let confidence = verdict.confidence.word();
    if let Some(decision) = &verdict.decision {
        return format!(
            "**{} by {}:** {}, because {}. {}",
            if decision.overrules.is_some() { "Overruled" } else { "Decided" },
            harmless(&one_line(&decision.by)),
            harmless(&one_line(&plan.option_name(&decision.option))),
            harmless(&one_line(&decision.because)),
            match &decision.overrules {
                None => "The seats had left it open.".to_owned(),
                Some(was) => {
                    let names: Vec<String> =
                        was.options.iter().map(|id| harmless(&one_line(&plan.option_name(id)))).collect();
                    format!("The seats had come to {} ({}).", names.join(" + "), was.outcome.word())
                }
            }
        );
    }
    let position = |title: &str| {
        let text = verdict.position.as_deref().map(|text| harmless(&one_line(text)));
        text.map(|text| format!("\n\n**{title}:** {text}")).unwrap_or_default()
    };
    match verdict.outcome {
        Outcome::Consensus | Outcome::Decided => {
            format!("**{chosen}**, confidence {confidence}, after {rounds}.{}", position("Final position"))
        }
        Outcome::Contested => format!("{}. A person must decide.", begun(&harmless(&summary::why_contested(account)))),
        Outcome::Tradeoff => format!(
            "The lead and its challengers differ in their assumptions after {rounds}. A person must decide.{}",
            position("Final position, contested")
        ),
        Outcome::Blocked => "The gate is not passed.".to_owned(),
        Outcome::Insufficient => {
            format!(
                "{}. There is no verdict, and none is made up.",
                begun(&harmless(&summary::why_insufficient(account)))
            )
        }
    }
}

/// A sentence with its first letter in capitals.
fn begun(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn write_part(out: &mut String, part: &Part) {
    let _ = write!(out, "## {}\n\n", part.title);
    match &part.body {
        // Two blanks at the end keep the lines apart.
        Body::Lines(lines) => {
            let lines: Vec<String> = lines.iter().map(|line| harmless(line)).collect();
            let _ = writeln!(out, "{}", lines.join("  \n"));
        }
        Body::List(items) => items.iter().for_each(|item| write_item(out, item)),
        Body::Tree(items) => items.iter().for_each(|item| write_branch(out, item)),
        Body::Labelled(lines) => write_labelled(out, lines),
        Body::Table(table) => write_table(out, table),
        Body::Words(words) => {
            for (i, (who, text)) in words.iter().enumerate() {
                let _ = write!(out, "{}**{}**:\n\n", if i == 0 { "" } else { "\n" }, harmless(who));
                for line in harmless_block(&plain(text)).lines() {
                    let _ = writeln!(out, "> {line}");
                }
            }
        }
    }
    if !part.legend.is_empty() {
        let _ = write!(out, "\n{}\n", part.legend);
    }
}

fn write_item(out: &mut String, Item { about, text, under }: &Item) {
    match about.as_str() {
        "" => {
            let _ = writeln!(out, "- {}", harmless(text));
        }
        about => {
            let _ = writeln!(out, "- **{}**: {}", harmless(about), harmless(text));
        }
    }
    for text in under {
        let _ = writeln!(out, "  - {}", harmless(text));
    }
}

/// An item with its causes hanging from it; two blanks keep the lines apart.
fn write_branch(out: &mut String, Item { about, text, under }: &Item) {
    let _ = write!(out, "- {}: {}", harmless(about), harmless(text));
    for text in under {
        let _ = write!(out, "  \n  └── {}", harmless(text));
    }
    out.push('\n');
}

fn write_labelled(out: &mut String, lines: &[Labelled]) {
    for (i, Labelled { label, text, items, table }) in lines.iter().enumerate() {
        let before = if i == 0 { "" } else { "\n" };
        let text = if text.is_empty() { String::new() } else { format!(" {}", harmless(text)) };
        let _ = writeln!(out, "{before}**{label}:**{text}");
        for item in items {
            let _ = writeln!(out, "- {}", harmless(item));
        }
        if let Some(table) = table {
            out.push('\n');
            write_table(out, table);
        }
    }
}

fn write_table(out: &mut String, table: &Table) {
    let head: Vec<String> = table.head.iter().map(|name| cell(name)).collect();
    let _ = write!(out, "| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
}

fn cell(text: &str) -> String {
    harmless(text).replace('|', "\\|")
}

/// Somebody's words on a line, without markup that a viewer would act on: no HTML, no picture that is fetched, no link
/// that is not what it says, nothing that reaches into the words after it. What is code stays code, and everything reads
/// as it was written.
pub(super) fn harmless(text: &str) -> String {
    // Words before it make it what it will be: a part of a line, not the beginning of a block.
    const BEFORE: &str = "x ";
    let line = format!("{BEFORE}{text}");
    let mut marked: Vec<usize> = active(&line).into_iter().filter_map(|at| at.checked_sub(BEFORE.len())).collect();
    let opens_block =
        text.starts_with(['<', '#', '>', '~']) || ["- ", "+ ", "* "].iter().any(|mark| text.starts_with(mark));
    if opens_block && !marked.contains(&0) {
        marked.insert(0, 0);
    }
    escaped(text, &marked)
}

/// The same for words that are quoted as they stand, over several lines.
pub(super) fn harmless_block(text: &str) -> String {
    let mut marked = active(text);
    // A link's target may be named in one place for all others.
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bracket = line.find('[').filter(|at| line[..*at].trim_matches(['>', ' ', '\t']).is_empty());
        marked.extend(bracket.filter(|_| line.contains("]:")).map(|at| start + at));
        start += line.len();
    }
    marked.sort_unstable();
    marked.dedup();
    escaped(text, &marked)
}

/// Where the characters stand that make a viewer act, in order; and the marks of code that is not closed.
fn active(text: &str) -> Vec<usize> {
    if !text.contains(['<', '[', '`']) {
        return Vec::new();
    }
    let mut marked: Vec<usize> = Vec::new();
    let mut code: Vec<std::ops::Range<usize>> = Vec::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        let mark = match event {
            Event::Html(_) | Event::InlineHtml(_) => '<',
            Event::Start(Tag::Image { .. } | Tag::Link { .. }) => '[',
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => {
                code.push(range);
                continue;
            }
            _ => continue,
        };
        let inside = text.get(range.clone()).unwrap_or_default().match_indices(['<', mark]);
        marked.extend(inside.map(|(at, _)| range.start + at));
    }
    let is_code = |at: usize| {
        code.binary_search_by(|range| match (range.start <= at, at < range.end) {
            (true, true) => std::cmp::Ordering::Equal,
            (true, false) => std::cmp::Ordering::Less,
            (false, _) => std::cmp::Ordering::Greater,
        })
    };
    let escaped_already = |at: usize| text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
    let open = |at: &usize| is_code(*at).is_err() && !escaped_already(*at);
    marked.extend(text.match_indices('`').map(|(at, _)| at).filter(open));
    marked.sort_unstable();
    marked.dedup();
    marked
}

/// A text with these characters made mere characters.
fn escaped(text: &str, marked: &[usize]) -> String {
    let mut out = String::with_capacity(text.len() + marked.len());
    let mut from = 0;
    for at in marked {
        out.push_str(text.get(from..*at).unwrap_or_default());
        out.push('\\');
        from = *at;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}
