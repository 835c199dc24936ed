//! Entries of a knowledge file, in whichever form somebody wrote them: a heading, a bullet, a table's row.
//!
//! Promises: every entry with an id is found once, also one that holds only a place, so that its number stays taken; what
//! stands in code, comments, quotes, front matter or below another entry is none.
//!
//! Pure; if the process dies here nothing is left.

use super::writing::is_ours;
use crate::document::{Document, Front};
use forge_workflow::extract::inline;
use forge_workflow::extract::passages::{
    Line, Marker, bold_label, dedent, heading, indent, key, label, lines, marker, one_line, table_at,
};
use forge_workflow::extract::statements::{Head, Statement, head, is_kill_switch, is_part, of_row};
use forge_workflow::knowledge::Kind;

/// The keys that an entry's lines may have without a mark before them.
const KEYS: &[&str] = &[
    "status",
    "state",
    "phase",
    "debate",
    "debate id",
    "date",
    "decided by",
    "by",
    "rationale",
    "why",
    "reason",
    "supersedes",
    "superseded by",
    "kill switch",
    "kill switch criteria",
    "source",
    "rests on",
    "origin",
    "violation",
    "violation triggers",
    "locked by",
    "validate by",
    "validation due by",
    "due",
    "risk if invalid",
    "if wrong",
    "probability",
    "likelihood",
    "impact",
    "severity",
    "score",
    "owner",
    "mitigation",
    "title",
    "description",
];

/// An entry: its id, and what it says.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) statement: Statement,
}

/// The entries of a file, in its order.
pub(super) fn entries(kind: Kind, text: &str) -> Vec<Entry> {
    let lines = lines(text).all;
    let body_line = body_line(text);
    let mut reader = Reader { kind, found: Vec::new(), open: None };
    let mut at = 0;
    while at < lines.len() {
        at = if lines[at].number < body_line { at + 1 } else { reader.step(&lines, at) };
    }
    reader.close();
    reader.found
}

/// Whether a table is about what assumptions turned out to be.
pub(super) fn is_validation(header: &[String]) -> bool {
    header.iter().any(|column| column == "result")
}

/// The line after the front matter.
pub(super) fn body_line(text: &str) -> usize {
    if !text.trim_start_matches('\u{FEFF}').starts_with("---") {
        return 1;
    }
    let document = Document::parse(text);
    if matches!(document.front, Front::Fields(_)) { document.body_line } else { 1 }
}

/// The form in which an entry is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// `## D1: Title`, of that level.
    Heading(usize),
    /// `- D1: Title`, indented so far, with its content so far.
    Bullet(usize, usize),
}

#[derive(Debug)]
struct Open {
    id: String,
    title: String,
    form: Form,
    body: Vec<String>,
    /// Whether its last words lead to a list, as `Related:` and `### See also` do: what is listed then is only named.
    leads: bool,
}

struct Reader {
    kind: Kind,
    found: Vec<Entry>,
    open: Option<Open>,
}

impl Reader {
    /// Reads one line or one table, and says where the next begins.
    fn step(&mut self, lines: &[Line<'_>], at: usize) -> usize {
        let line = lines[at];
        let form = self.open.as_ref().map(|open| open.form);
        let blank = line.text.trim().is_empty();
        if line.hidden && !line.nested && !blank && matches!(form, Some(Form::Bullet(..))) {
            self.close();
        } else if line.hidden || line.nested || blank {
            self.keep(line.text);
        } else if let Some((level, title)) = heading(line.text) {
            self.heading(level, &title, &line);
        } else if let Some(table) = table_at(lines, at)
            && (!matches!(form, Some(Form::Heading(_)))
                || is_ours(self.kind, &table.header)
                || is_validation(&table.header))
        {
            self.close();
            let rows = table.rows.iter().filter(|_| !(self.kind == Kind::Assumption && is_validation(&table.header)));
            for (_, cells) in rows {
                if let (Some(id), statement) = of_row(self.kind, &table.header, cells) {
                    self.found.push(Entry { id, statement });
                }
            }
            return table.end;
        } else {
            let after_blank = at == 0 || lines[at - 1].text.trim().is_empty();
            match form {
                Some(Form::Heading(_)) if !self.is_next(line.text) => self.keep(line.text),
                Some(Form::Bullet(mark, _)) if indent(line.text) > mark + 1 => self.keep(line.text),
                Some(Form::Bullet(..)) if marker(line.text).is_none() && !after_blank => self.keep(line.text),
                _ => self.bullet(&line),
            }
        }
        at + 1
    }

    fn heading(&mut self, level: usize, title: &str, line: &Line<'_>) {
        let deeper = matches!(&self.open, Some(Open { form: Form::Heading(own), .. }) if level > *own);
        match head(self.kind, title) {
            Some(head) => self.begin(head.id, head.rest, Form::Heading(level)),
            None if deeper => self.keep(line.text),
            None => self.close(),
        }
    }

    fn bullet(&mut self, line: &Line<'_>) {
        self.close();
        if let Some((item, head)) = self.entry_item(line.text) {
            self.begin(head.id, head.rest, Form::Bullet(item.indent, item.offset));
        }
    }

    /// A list item that begins an entry.
    fn entry_item<'t>(&self, line: &'t str) -> Option<(Marker<'t>, Head)> {
        let item = marker(line).filter(|item| item.indent < 4)?;
        let unboxed = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| item.content.strip_prefix(mark));
        let head = head(self.kind, unboxed.unwrap_or(item.content))?;
        (head.is_marked && !head.rest.is_empty()).then_some((item, head))
    }

    /// Whether a line below a heading's entry begins another.
    fn is_next(&self, line: &str) -> bool {
        let leads = self.open.as_ref().is_some_and(|open| open.leads);
        !leads && indent(line) == 0 && self.entry_item(line).is_some()
    }

    fn begin(&mut self, id: String, title: String, form: Form) {
        self.close();
        self.open = Some(Open { id, title, form, body: Vec::new(), leads: false });
    }

    fn keep(&mut self, line: &str) {
        if let Some(open) = &mut self.open {
            let columns = match open.form {
                Form::Heading(_) => 0,
                Form::Bullet(_, offset) => offset,
            };
            if !line.trim().is_empty() && indent(line) == 0 && marker(line).is_none() {
                open.leads = heading(line).is_some() || line.trim_end_matches([' ', '*']).ends_with(':');
            }
            open.body.push(dedent(line, columns).to_owned());
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let mut title = open.title;
        let mut inline = Vec::new();
        let mut body = open.body.as_slice();
        if matches!(open.form, Form::Bullet(..)) {
            let ends = |line: &String| line.trim().is_empty() || marker(line).is_some() || bold_label(line).is_some();
            let wrapped = body.iter().take_while(|line| !ends(line)).count();
            title = one_line(&format!("{title} {}", body[..wrapped].join(" ")));
            title = inline::fields(self.kind, &title, &mut inline);
            body = &body[wrapped..];
        }
        let mut statement = Statement { text: title, fields: fields(&body.join("\n")) };
        statement.fields.extend(inline);
        if statement.text.is_empty() {
            statement.text =
                statement.get(&["title", "description", "statement", "what"]).unwrap_or_default().to_owned();
        }
        self.found.push(Entry { id: open.id, statement });
    }
}

/// How a value was opened, and so what belongs to it.
#[derive(Debug, Clone, Copy)]
enum Opened {
    /// By a list item: what is indented so far below it.
    Item(usize),
    /// By a label or a heading: what follows up to the next.
    Label,
}

/// The values in an entry's lines: `- Key: value`, `**Key:** value`, `Key: value`, or what stands below a heading.
fn fields(body: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut opened: Option<Opened> = None;
    let mut after_blank = true;
    for line in lines(body).all {
        let blank = line.text.trim().is_empty();
        let inside = match opened {
            Some(Opened::Item(columns)) if blank || indent(line.text) >= columns => Some(columns),
            Some(Opened::Label) if blank => Some(0),
            _ => None,
        };
        let item = marker(line.text).filter(|item| item.indent < 4);
        let is_key = |name: &String| KEYS.contains(&name.as_str());
        // What is indented below a criterion says more about it, whatever it is called.
        let in_kill_switch = found.last().is_some_and(|(name, _)| is_kill_switch(name));
        let is_below = matches!(opened, Some(Opened::Label))
            && marker(line.text)
                .is_some_and(|item| line.nested || (in_kill_switch && (item.indent >= 2 || is_part(item.content))));
        let begun = if inside.is_some() || is_below || line.hidden || blank {
            None
        } else if let Some((_, title)) = heading(line.text) {
            Some((key(&title), String::new(), Opened::Label))
        } else if let Some(item) = item {
            let own = |(name, _): &(String, String)| !matches!(opened, Some(Opened::Label)) || is_key(name);
            label(item.content).filter(own).map(|(name, value)| (name, value, Opened::Item(item.indent + 2)))
        } else {
            let plain = || label(line.text).filter(|(name, _)| is_key(name));
            bold_label(line.text).or_else(plain).map(|(name, value)| (name, value, Opened::Label))
        };
        let belongs = !line.hidden
            && match opened {
                Some(Opened::Item(_)) => item.is_none() && !after_blank,
                Some(Opened::Label) => true,
                None => false,
            };
        if let Some((name, value, how)) = begun {
            found.push((name, value));
            opened = Some(how);
        } else if let Some((_, value)) = found.last_mut().filter(|_| inside.is_some() || belongs) {
            value.push('\n');
            value.push_str(dedent(line.text, inside.unwrap_or(0)));
        } else if !line.hidden {
            opened = None;
        }
        after_blank = blank;
    }
    found
}
