//! The report as one HTML file: nothing is fetched, nothing runs, and it can be mailed, printed or read on a phone. The
//! first screen as everywhere else, then the two pictures, then the details. All words of people and models are escaped.

use super::details::{self, Body, Item, Labelled, Part, Table};
use super::picture::{self, escaped};
use super::summary::{self, Row};
use super::verdict::Account;
use forge_debate::brief::plain;
use forge_debate::verdict::Outcome;
use std::fmt::Write as _;

/// What a browser may do with the page: show it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const STYLE: &str = include_str!("html/style.css");
/// Columns that hold names of files and digests, by their heads.
const CODE_COLUMNS: [&str; 3] = ["File", "Digest", "Where it stands"];

/// Writes the page.
pub fn write(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let summary = summary::of(account);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        escaped(&summary::shortened(&plan.question, 120))
    );
    let _ = write!(
        out,
        "<header>\n<p class=\"kicker\">{} · {}@{} · {}</p>\n<h1>{}</h1>\n</header>\n<section class=\"verdict {}\">\n",
        escaped(&plan.id),
        escaped(plan.protocol.name),
        plan.protocol.version,
        escaped(&plan.created_at),
        escaped(&plan.question),
        tone(verdict.outcome())
    );
    for Row { label, text } in &summary.cautions {
        let _ = writeln!(out, "<p class=\"caution\"><strong>{label}</strong> {}</p>", escaped(text));
    }
    let _ = writeln!(
        out,
        "<p class=\"outcome\"><strong>{}</strong> <span>{}</span></p>",
        escaped(&summary.outcome),
        escaped(&summary.sentence)
    );
    if let Some(position) = &verdict.ruling.position() {
        let _ = writeln!(out, "<p class=\"position\">{}</p>", escaped(position));
    }
    out.push_str("<dl>\n");
    for row in &summary.rows {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", row.label, escaped(&row.dotted()));
    }
    for step in &summary.next {
        let _ = writeln!(out, "<dt>next</dt><dd class=\"next\">{}</dd>", escaped(step));
    }
    out.push_str("</dl>\n</section>\n");
    for part in details::of(account) {
        write_part(&mut out, account, &part);
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn tone(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Consensus | Outcome::Decided => "settled",
        Outcome::Contested | Outcome::Tradeoff => "open",
        Outcome::Blocked | Outcome::Insufficient => "halted",
    }
}

fn write_part(out: &mut String, account: &Account, part: &Part) {
    let _ = write!(out, "<section>\n<h2>{}</h2>\n", part.title);
    if let Some(picture) = part.picture {
        let drawn = picture::draw(account, picture);
        let _ = write!(out, "<figure>\n{drawn}</figure>\n<details>\n<summary>The same as a table</summary>\n");
    }
    match &part.body {
        Body::Lines(lines) => {
            for line in lines {
                let _ = writeln!(out, "<p>{}</p>", escaped(line));
            }
        }
        Body::List(items) | Body::Tree(items) => {
            out.push_str("<ul>\n");
            items.iter().for_each(|item| write_item(out, item));
            out.push_str("</ul>\n");
        }
        Body::Table(table) => write_table(out, table),
        Body::Labelled(lines) => lines.iter().for_each(|line| write_labelled(out, line)),
        Body::Words(words) => {
            for (who, text) in words {
                let _ =
                    write!(out, "<figure class=\"words\">\n<figcaption>{}</figcaption>\n<blockquote>", escaped(who));
                for line in plain(text).lines() {
                    let _ = write!(out, "<p>{}</p>", escaped(line));
                }
                out.push_str("</blockquote>\n</figure>\n");
            }
        }
    }
    if !part.legend.is_empty() {
        let _ = writeln!(out, "<p class=\"legend\">{}</p>", escaped(part.legend));
    }
    if part.picture.is_some() {
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

fn write_item(out: &mut String, Item { about, text, under }: &Item) {
    out.push_str("<li>");
    if !about.is_empty() {
        let _ = write!(out, "<strong>{}</strong> ", escaped(about));
    }
    out.push_str(&escaped(text));
    if !under.is_empty() {
        out.push_str("<ul>");
        for text in under {
            let _ = write!(out, "<li>{}</li>", escaped(text));
        }
        out.push_str("</ul>");
    }
    out.push_str("</li>\n");
}

fn write_labelled(out: &mut String, Labelled { label, text, items, table }: &Labelled) {
    let _ = writeln!(out, "<p><strong>{label}:</strong> {}</p>", escaped(text));
    if !items.is_empty() {
        out.push_str("<ul>\n");
        for item in items {
            let _ = writeln!(out, "<li>{}</li>", escaped(item));
        }
        out.push_str("</ul>\n");
    }
    table.iter().for_each(|table| write_table(out, table));
}

fn write_table(out: &mut String, table: &Table) {
    out.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
    for name in &table.head {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (name, text) in table.head.iter().zip(row) {
            let text = escaped(text);
            let class = match text.as_str() {
                "does not hold" | "disagrees" => " class=\"bad\"",
                text if text.starts_with("NOT FOUND") => " class=\"bad\"",
                _ => "",
            };
            match CODE_COLUMNS.contains(&name.as_str()) {
                true => {
                    let _ = write!(out, "<td{class}><code>{text}</code></td>");
                }
                false => {
                    let _ = write!(out, "<td{class}>{text}</td>");
                }
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}
