//! `verdict.md`: the verdict for people. One screen first (what lowers its worth, the outcome, the votes, whether it
//! holds, what to do next), then everything else. Self-contained: pictures are tables here.

use super::details::{self, Body, Item, Labelled, Part, Table};
use super::outcome;
use super::summary::{self, Row, one_line};
use super::verdict::Account;
use forge_debate::hidden::{strip_ansi, without_unseen};
use forge_debate::plan::Plan;
use forge_debate::verdict::Outcome;
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
            let word = account.verdict.outcome().word().to_uppercase();
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

/// Whether a text begins as a report on this debate does, and has the table of how it ended.
pub fn is_ours(plan: &Plan, text: &str) -> bool {
    let title = format!("# {}\n\n", harmless(&one_line(&plan.question)));
    text.starts_with(&title) && text.contains("\n| | |\n|---|---|\n")
}

/// The outcome in a sentence.
pub fn headline(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let chosen = verdict.options().iter().map(|id| harmless(&one_line(&plan.option_name(id)))).collect::<Vec<_>>();
    let chosen = if chosen.is_empty() { "The position stands".to_owned() } else { chosen.join(" + ") };
    let rounds = format!("{} round{}", verdict.ruling.rounds, if verdict.ruling.rounds == 1 { "" } else { "s" });
    let confidence = verdict.confidence().word();
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
        let text = verdict.ruling.position().map(|text| harmless(&one_line(text)));
        text.map(|text| format!("\n\n**{title}:** {text}")).unwrap_or_default()
    };
    match verdict.outcome() {
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
                for line in harmless_block(text).lines() {
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

/// Somebody's words on a line, without markup that a viewer would act on: no HTML, no picture that is fetched, no link,
/// nothing that reaches into the words after it. What is code stays code, and everything reads as it was written.
///
/// The words are not parsed: what a parser passes over (a comment, a tag's attribute) is markup again as soon as what stands
/// around it is escaped. Every character that could open something is escaped, wherever it stands.
pub(super) fn harmless(text: &str) -> String {
    let text = seen(text).replace('\n', " ");
    let opens_block = text.trim_start().starts_with(['#', '>', '~'])
        || ["- ", "+ ", "* "].iter().any(|mark| text.trim_start().starts_with(mark));
    let mut out = String::with_capacity(text.len() + 8);
    let words = if opens_block { text.trim_start() } else { &text };
    if opens_block {
        out.push('\\');
    }
    escape_line(words, &mut out);
    out
}

/// The same for words that are quoted as they stand, over several lines. A fence that is closed stays one, without the
/// language's name: viewers draw pictures of some.
pub(super) fn harmless_block(text: &str) -> String {
    let text = seen(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text.as_str();
    // Fences that are open to the end: their sign, and how long they are at least. They are looked for once.
    let mut open = [('`', usize::MAX), ('~', usize::MAX)];
    while !rest.is_empty() {
        let mark = mark_of_fence(rest);
        let known = open.iter_mut().find(|(sign, least)| mark.starts_with(*sign) && mark.len() < *least);
        if let Some((_, least)) = known {
            if let Some(code) = fenced(rest, mark) {
                out.push_str(mark);
                out.push_str(code);
                rest = &rest[rest.find('\n').unwrap_or(rest.len()) + code.len()..];
                continue;
            }
            *least = mark.len();
        }
        let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        escape_line(&rest[..end], &mut out);
        rest = &rest[end..];
    }
    out
}

/// A text without what steers a terminal and what nobody sees: it could stand between two characters that mean something
/// together, and be gone later.
fn seen(text: &str) -> String {
    without_unseen(&strip_ansi(text))
}

/// The marks of the fence with which a text begins; empty if it begins with none. Only a fence that is not indented is one:
/// it can belong to no list that ends before it does.
fn mark_of_fence(text: &str) -> &str {
    let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~')).unwrap_or('`');
    let mark = &text[..text.len() - text.trim_start_matches(sign).len()];
    let info = text[mark.len()..].lines().next().unwrap_or_default();
    if mark.len() < 3 || info.contains('`') { "" } else { mark }
}

/// The code in the fence with which a text begins, from the end of its first line to the end of its last one.
fn fenced<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let first = text.find('\n')?;
    let mut end = first + 1;
    for line in text[first + 1..].split_inclusive('\n') {
        end += line.len();
        let marks = line.trim();
        if marks.len() >= mark.len() && marks.trim_start_matches(&mark[..1]).is_empty() {
            // Whether an indented one closes it depends on what stands around: it is taken for none.
            return (line.trim_end_matches([' ', '\t', '\n']) == marks).then_some(&text[first..end]);
        }
    }
    None
}

/// A line with every character that may open something made a mere character; code that is closed on it stays code.
fn escape_line(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(['<', '[', '`', '~', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(length) = code_length(rest) {
            out.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        let run = if rest.starts_with('`') { rest.len() - rest.trim_start_matches('`').len() } else { 1 };
        // A backslash before a letter is one already, and one or two `~` open no code.
        let is_plain = (rest.starts_with('\\') && rest[1..].starts_with(|c: char| c.is_alphanumeric()))
            || (rest.starts_with('~') && !rest.starts_with("~~~"));
        for mark in rest[..run].chars() {
            out.extend((!is_plain).then_some('\\'));
            out.push(mark);
        }
        rest = &rest[run..];
    }
    out.push_str(rest);
}

/// How long the code is with which a text begins, marks included. None with a `\` or `|` in it: in a cell of a table these
/// would end it.
fn code_length(text: &str) -> Option<usize> {
    let marks = text.len() - text.trim_start_matches('`').len();
    if marks == 0 {
        return None;
    }
    let mut at = marks;
    loop {
        at += text[at..].find('`')?;
        let run = text[at..].len() - text[at..].trim_start_matches('`').len();
        if run == marks {
            return (!text[marks..at].contains(['\\', '|'])).then_some(at + run);
        }
        at += run;
    }
}
