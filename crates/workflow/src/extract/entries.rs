//! Entries of a knowledge file, in whichever form somebody wrote them: a heading, a bullet, a table's row.
//!
//! Promises: every entry is found once, also one without an id, so that it can be told; what stands in code, comments,
//! quotes, front matter, a sample or below another entry is none; the number of a place that nobody filled in stays taken.
//!
//! Pure; if the process dies here nothing is left.

use super::headings::names_kind;
use super::ids::{Head, Letters, head, ids_in, is_own};
use super::inline;
use super::labels;
use super::passages::{Line, Marker, bold_label, dedent, heading, indent, lines, marker, one_line, table_at};
use super::places::{Place, place};
use super::rating_names::{IMPACT, PROBABILITY, SCORE};
use super::says_nothing;
use super::sections::{is_registry, is_struck, lists, of_row, rates_risks, unstruck};
use super::statements::Statement;
use super::status::is_locked;
use crate::knowledge::Kind;
use forge_prose::blanks::find;
use forge_prose::titles::bare_title;
use std::borrow::Cow;

/// An entry: its id where it has one, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The id, as written; none where its writer gave it none.
    pub id: Option<String>,
    /// What it says.
    pub statement: Statement,
}

/// What a knowledge file has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Registry {
    /// Its entries, in its order.
    pub entries: Vec<Entry>,
    /// Ids of places that nobody filled in.
    pub places: Vec<String>,
}

/// The entries of a file whose body begins on a line.
pub fn registry(kind: Kind, text: &str, body_line: usize) -> Registry {
    let text = without_tags(text.trim_start_matches('\u{FEFF}'));
    let lines = lines(&text).all;
    let mut reader = Reader { kind, found: Registry::default(), open: None, above: Vec::new(), is_begun: false };
    let mut at = 0;
    while at < lines.len() {
        at = if lines[at].number < body_line { at + 1 } else { reader.step(&lines, at) };
    }
    reader.close();
    reader.found
}

/// A text with headings and bold words in Markdown where they are in HTML: `<h3>D1: Use Postgres</h3>`, `<b>Status:</b>`.
fn without_tags(text: &str) -> Cow<'_, str> {
    if !text.contains("</") {
        return Cow::Borrowed(text);
    }
    let plain = |line: &Line<'_>| {
        let mut line = if line.hidden { return line.text.to_owned() } else { line.text.to_owned() };
        for level in 1..=6 {
            let (open, close) = (format!("<h{level}"), format!("</h{level}>"));
            let inside = line.trim().strip_prefix(&open).and_then(|rest| rest.split_once('>')).map(|(_, rest)| rest);
            if let Some(title) = inside.and_then(|rest| rest.strip_suffix(&close)) {
                line = format!("{} {title}", "#".repeat(level));
            }
        }
        ["<b>", "</b>", "<strong>", "</strong>"].iter().fold(line, |line, tag| line.replace(tag, "**"))
    };
    Cow::Owned(lines(text).all.iter().map(plain).collect::<Vec<_>>().join("\n"))
}

/// Whether a table is about what assumptions turned out to be.
pub fn is_validation(header: &[String]) -> bool {
    header.iter().any(|column| column == "result")
}

/// A heading that is no entry.
#[derive(Debug)]
struct Above {
    level: usize,
    title: String,
    place: Place,
    /// Whether it is the file's own title, which says nothing about single entries.
    is_title: bool,
}

fn titles(above: &[Above]) -> Vec<String> {
    above.iter().rev().filter(|one| !one.is_title).map(|one| one.title.clone()).collect()
}

/// The level of an entry that begins with a line in bold.
const BOLD: usize = 7;

/// The form in which an entry is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// `## D1: Title`, of that level. A line in bold is below all levels.
    Heading(usize),
    /// `- D1: Title`, indented so far, with its content so far.
    Bullet(usize, usize),
}

#[derive(Debug)]
struct Open {
    id: Option<String>,
    title: String,
    form: Form,
    line: usize,
    below: Vec<String>,
    is_struck: bool,
    body: Vec<String>,
    /// Whether its last words lead to a list, as `Related:` and `### See also` do: what is listed then is only named.
    leads: bool,
}

struct Reader {
    kind: Kind,
    found: Registry,
    open: Option<Open>,
    above: Vec<Above>,
    is_begun: bool,
}

impl Reader {
    /// Reads one line or one table, and says where the next begins.
    fn step(&mut self, lines: &[Line<'_>], at: usize) -> usize {
        let line = lines[at];
        let form = self.open.as_ref().map(|open| open.form);
        let blank = line.text.trim().is_empty();
        if let Some(level) = self.underlined(lines, at) {
            self.heading(level, line.text.trim().to_owned(), &line, &lines[at + 2..]);
            return at + 2;
        }
        if line.hidden && !line.nested && !blank && matches!(form, Some(Form::Bullet(..))) {
            self.close();
        } else if line.nested && !line.hidden && self.open.as_ref().is_some_and(|open| open.id.is_none()) {
            // Entries below an item that only groups them.
            match self.entry_item(line.text.trim_start()) {
                Some(_) => self.bullet(&line),
                None => self.keep(line.text),
            }
        } else if line.hidden || line.nested || blank {
            self.keep(line.text);
        } else if let Some((level, title)) = heading(line.text) {
            self.heading(level, title, &line, &lines[at + 1..]);
        } else if let Some(table) = table_at(lines, at)
            && (!matches!(form, Some(Form::Heading(_)))
                || is_registry(self.kind, &table.header)
                || is_validation(&table.header))
        {
            self.close();
            let found_out = self.kind == Kind::Assumption && is_validation(&table.header);
            for (row, cells) in table.rows.iter().filter(|_| !found_out) {
                self.row(&table.header, cells, lines[*row].number);
            }
            return table.end;
        } else {
            let after_blank = at == 0 || lines[at - 1].text.trim().is_empty();
            match form {
                None | Some(Form::Heading(BOLD)) if self.bold(&line) => {}
                Some(Form::Heading(_)) if !self.is_next(line.text) => self.keep(line.text),
                Some(Form::Bullet(mark, _)) if indent(line.text) > mark + 1 => self.keep(line.text),
                Some(Form::Bullet(..)) if marker(line.text).is_none() && !after_blank => self.keep(line.text),
                _ => self.bullet(&line),
            }
        }
        at + 1
    }

    /// The level of a heading that is one by the line below it. A line of `-` is a rule, unless what stands above it is known
    /// for a heading.
    fn underlined(&self, lines: &[Line<'_>], at: usize) -> Option<usize> {
        let (line, below) = (lines[at], lines.get(at + 1)?);
        let alone = at == 0 || lines[at - 1].text.trim().is_empty();
        let plain = line.text.starts_with(|c: char| c.is_alphanumeric()) && !line.text.contains('|');
        let marks = below.text.trim();
        let under = |mark: char| marks.len() >= 3 && marks.chars().all(|c| c == mark);
        let known =
            || place(self.kind, line.text) != Place::Other || head(self.kind, Letters::Own, line.text).is_some();
        match alone && plain && !line.hidden && !line.nested && !below.hidden {
            true if under('=') => Some(1),
            true if under('-') && known() => Some(2),
            _ => None,
        }
    }

    /// Begins the entry of a line such as `**D1: Title**`, if it is one.
    fn bold(&mut self, line: &Line<'_>) -> bool {
        let is_bold = line.text.starts_with("**") && !self.is_below(Place::Sample) && self.place() != Place::Aside;
        let head = head(self.kind, Letters::Own, line.text).filter(|head| is_bold && !head.rest.is_empty());
        let Some(head) = head else { return false };
        self.begin(Some(head.id), head.rest, Form::Heading(BOLD), line.number, false);
        true
    }

    fn place(&self) -> Place {
        self.above.last().map_or(Place::Other, |above| above.place)
    }

    fn is_below(&self, wanted: Place) -> bool {
        self.above.iter().any(|above| above.place == wanted)
    }

    /// Which letters an id may have here: below a heading that names the kind, any.
    fn letters(&self) -> Letters {
        let named = self.above.iter().any(|above| above.place == Place::Listing && !above.is_title);
        if named { Letters::Any } else { Letters::Own }
    }

    fn heading(&mut self, level: usize, title: String, line: &Line<'_>, below: &[Line<'_>]) {
        let deeper = matches!(&self.open, Some(Open { form: Form::Heading(own), id: Some(_), .. }) if level > *own);
        let above = self.above.iter().filter(|above| above.level < level);
        let listed = above.clone().any(|above| above.place == Place::Listing && !above.is_title);
        let sample = above.clone().any(|above| above.place == Place::Sample);
        let letters = if listed && !deeper { Letters::Any } else { Letters::Own };
        let found = head(self.kind, letters, &title).or_else(|| head(self.kind, letters, bare_title(&title)));
        match found {
            Some(_) if sample => self.close(),
            Some(head) => {
                self.above.retain(|above| above.level < level);
                self.begin(Some(head.id), head.rest, Form::Heading(level), line.number, is_struck(&title));
            }
            None if deeper => self.keep(line.text),
            None => {
                self.above.retain(|above| above.level < level);
                // Without an id it may be an entry all the same, or only group some.
                let place = place(self.kind, &title);
                let is_locked = self.kind == Kind::Decision && place == Place::Other && says_locked(below);
                let is_title = level == 1 && !self.is_begun;
                let is_rated = self.kind == Kind::Risk && place == Place::Other && !is_title && says_rated(below);
                match (listed || is_locked || is_rated) && !sample && !says_nothing(&title) {
                    true => self.begin(None, title.clone(), Form::Heading(level), line.number, false),
                    false => self.close(),
                }
                self.above.push(Above { level, title, place, is_title });
            }
        }
        self.is_begun = true;
    }

    fn row(&mut self, header: &[String], cells: &[String], line: usize) {
        let (written, statement) = of_row(self.kind, header, cells);
        let digits = || cells.first().filter(|cell| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit()));
        let id = written.clone().or_else(|| digits().map(|number| format!("{}{number}", self.kind.letter())));
        let is_aside = self.place() == Place::Aside && !(self.kind == Kind::Risk && rates_risks(header));
        let is_rated = self.kind == Kind::Risk && statement.is_a_rated_risk();
        let listing = (lists(self.kind, header) || is_rated) && !self.is_below(Place::Sample) && !is_aside;
        let statement = Statement { line, below: titles(&self.above), ..statement };
        let is_named = || is_registry(self.kind, header) || header.iter().any(|one| names_kind(self.kind, one));
        if listing && (id.is_some() || is_rated || is_named()) {
            self.push(Entry { id, statement });
        } else {
            // A bare number is an id only in a list of entries: a scale has numbers too.
            self.found.places.extend(written);
        }
    }

    fn bullet(&mut self, line: &Line<'_>) {
        self.close();
        if self.is_below(Place::Sample) || self.place() == Place::Aside {
            return;
        }
        if let Some((item, head)) = self.entry_item(if line.nested { line.text.trim_start() } else { line.text }) {
            let by = indent(line.text) - indent(line.text.trim_start());
            let item = if line.nested { Marker { indent: by, offset: item.offset + by, ..item } } else { item };
            let struck = is_struck(item.content);
            self.begin(Some(head.id), head.rest, Form::Bullet(item.indent, item.offset), line.number, struck);
        } else if let Some(item) = marker(line.text).filter(|item| {
            let is_locked = self.kind == Kind::Decision && without_lock(item.content).is_some();
            item.indent < 4 && (self.place() == Place::Listing || is_locked)
        }) {
            let form = Form::Bullet(item.indent, item.offset);
            self.begin(None, unboxed(item.content).to_owned(), form, line.number, false);
        }
    }

    /// A list item that begins an entry.
    fn entry_item<'t>(&self, line: &'t str) -> Option<(Marker<'t>, Head)> {
        let item = marker(line).filter(|item| item.indent < 4)?;
        let head = head(self.kind, self.letters(), unboxed(item.content))?;
        (head.is_marked && !head.rest.is_empty()).then_some((item, head))
    }

    /// Whether a line below a heading's entry begins another.
    fn is_next(&self, line: &str) -> bool {
        let leads = self.open.as_ref().is_some_and(|open| open.leads);
        let own = |(_, head): (Marker<'_>, Head)| is_own(self.kind, &head.id);
        !leads && indent(line) == 0 && self.entry_item(line).is_some_and(own)
    }

    fn begin(&mut self, id: Option<String>, title: String, form: Form, line: usize, is_struck: bool) {
        self.close();
        let below = titles(&self.above);
        self.open = Some(Open { id, title, form, line, below, is_struck, body: Vec::new(), leads: false });
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
        let mut fields = labels::fields(&body.join("\n"));
        fields.extend(inline);
        if let Some(bare) = without_lock(&title).filter(|_| self.kind == Kind::Decision) {
            title = bare;
            fields.push(("locked".to_owned(), "yes".to_owned()));
        }
        // `## D1: Storage` and below it `**Use Postgres**`: that is what it says.
        let word = self.kind.word();
        let is_said = fields.iter().any(|(name, _)| name == word);
        if matches!(open.form, Form::Heading(_)) && !is_said && (self.kind == Kind::Decision || is_open(&title)) {
            fields.extend(in_bold(body).map(|text| (word.to_owned(), text)));
        }
        let grouped = open.id.is_none() && matches!(open.form, Form::Heading(_));
        if grouped && !fields.iter().any(|(name, _)| is_telling(self.kind, name)) {
            return;
        }
        let text = unstruck(if open.is_struck { "~~id~~" } else { "" }, title, &mut fields);
        let statement = Statement { text, fields, below: open.below, line: open.line };
        self.push(Entry { id: open.id, statement });
    }

    /// Keeps an entry; of one that says nothing only its id.
    fn push(&mut self, mut entry: Entry) {
        let statement = &mut entry.statement;
        if is_open(&statement.text) {
            let told = statement.get(&["title", "description", "statement", "what", self.kind.word()]);
            statement.text = told.filter(|told| !is_open(told)).map_or_else(|| statement.text.clone(), str::to_owned);
        }
        let left_open = entry.id.is_none() && !find(&statement.text).is_empty();
        if left_open || is_open(&statement.text) && statement.source().is_none() {
            self.found.places.extend(entry.id);
        } else {
            self.found.entries.push(entry);
        }
    }
}

/// Whether what stands below a heading says that it is locked: `**Status:** locked`.
fn says_locked(below: &[Line<'_>]) -> bool {
    let own = below.iter().take_while(|line| line.hidden || heading(line.text).is_none());
    own.filter(|line| !line.hidden).any(|line| {
        let text = marker(line.text).map_or(line.text, |item| item.content);
        let bare = text.replace(['*', '_', '`'], "").to_lowercase();
        let Some((label, value)) = bare.split_once(':') else { return false };
        match label.trim() {
            "status" | "state" => is_locked(value),
            "locked" => ["yes", "true"].contains(&value.trim()),
            _ => false,
        }
    })
}

/// Whether what stands below a heading rates it: `- Probability: High` and `- Impact: Low`.
fn says_rated(below: &[Line<'_>]) -> bool {
    let own = below.iter().take_while(|line| line.hidden || heading(line.text).is_none());
    let body: Vec<&str> = own.map(|line| line.text).collect();
    let statement =
        Statement { text: "risk".to_owned(), fields: labels::fields(&body.join("\n")), ..Statement::default() };
    statement.is_a_rated_risk()
}

/// A title without the mark that says that it is locked: `(locked): Use Postgres`, `Use Postgres — locked`.
fn without_lock(title: &str) -> Option<String> {
    const MARKS: &[&str] = &["(locked)", "[locked]", "— locked", "– locked", "- locked", "🔒"];
    let bare = title.trim().trim_end_matches('.');
    let lower = bare.to_ascii_lowercase();
    MARKS.iter().find_map(|mark| {
        let rest = match (lower.starts_with(mark), lower.ends_with(mark)) {
            (true, _) => &bare[mark.len()..],
            (_, true) => &bare[..bare.len() - mark.len()],
            _ => return None,
        };
        let rest = rest.trim_matches([' ', ':', '*']);
        (!rest.is_empty()).then(|| rest.to_owned())
    })
}

/// The first line of a body, where all of it is in bold and no label.
fn in_bold(body: &[String]) -> Option<String> {
    let line = body.iter().map(|line| line.trim()).find(|line| !line.is_empty())?;
    let bold = line.trim_end_matches('.').strip_prefix("**")?.strip_suffix("**")?.trim();
    let is_label = bold.ends_with(':') || bold.contains("**") || bold_label(line).is_some();
    (!is_label && !is_open(bold)).then(|| bold.to_owned())
}

/// Whether a text only holds a place, or only names an entry.
fn is_open(text: &str) -> bool {
    const STOCK: &[&str] = &["title", "decision title", "short title", "decision", "risk", "constraint", "assumption"];
    let names_one = || ids_in(text).first().is_some_and(|id| id == text.trim());
    says_nothing(text) || STOCK.contains(&text.trim().to_lowercase().as_str()) || names_one()
}

/// Whether a value says that what has it is an entry of the kind.
fn is_telling(kind: Kind, name: &str) -> bool {
    let names: &[&str] = match kind {
        Kind::Decision => &["status", "state", "locked", "decision", "rationale", "supersedes", "debate"],
        Kind::Constraint => &["source", "rests on", "violation", "locked by", "derived from"],
        Kind::Assumption => &["status", "validate by", "risk if invalid", "validation method"],
        Kind::Risk => &["mitigation", "owner"],
    };
    let is_rating = || [&PROBABILITY, &IMPACT, &SCORE].iter().any(|all| all.contains(&name));
    names.contains(&name) || (kind == Kind::Risk && is_rating())
}

/// An item's content without its box.
fn unboxed(content: &str) -> &str {
    super::criteria::boxed(content).map_or(content, |(_, text)| text)
}
