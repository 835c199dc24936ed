//! `docs/seeds.md` and the tests name each other: every row a test, a reason or what is open, and every tagged test its rows.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What a tag begins with in Rust, and in a scenario.
const MARKS: [&str; 2] = ["// seed: ", "# seed: "];

/// A row and a test that shows it.
type Pair = (String, String);

struct Row {
    id: String,
    line: usize,
    statement: String,
    place: String,
    tests: Vec<String>,
    /// What stands beside the tests: a reason with its link, or what is open.
    rest: String,
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn docs() -> PathBuf {
    crates().parent().unwrap().join("docs")
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(docs().join("seeds.md")).unwrap();
    let lines = text.lines().enumerate().filter(|(_, line)| line.starts_with("| S"));
    lines.map(|(at, line)| row(at + 1, line)).collect()
}

/// The tests come first in the last cell, each in backticks; a `; ` parts them from the rest.
fn row(line: usize, text: &str) -> Row {
    let cells: Vec<&str> = text.trim_matches('|').split('|').map(str::trim).collect();
    let [id, statement, place, shown] = cells.as_slice() else { panic!("seeds.md:{line}: four cells: {text}") };
    let (tests, rest) = match shown.starts_with('`') {
        true => shown.split_once("; ").unwrap_or((shown, "")),
        false => ("", *shown),
    };
    let tests =
        tests.split(", ").filter(|name| !name.is_empty()).map(|name| name.trim_matches('`').to_owned()).collect();
    let [id, statement, place, rest] = [*id, *statement, *place, rest].map(str::to_owned);
    Row { id, line, statement, place, tests, rest }
}

/// The addresses of a cell's links.
fn links(cell: &str) -> Vec<&str> {
    cell.split("](").skip(1).filter_map(|after| after.split_once(')')).map(|(address, _)| address).collect()
}

/// Every tag, with the test that it stands above.
fn tags() -> BTreeSet<Pair> {
    let mut found = BTreeSet::new();
    let mut files = Vec::new();
    collect(&crates(), &mut files);
    for (path, text) in files {
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        let mark = MARKS[usize::from(path.extension().is_some_and(|extension| extension == "txt"))];
        for (at, ids) in lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.strip_prefix(mark)?))) {
            let place = format!("{}:{}", path.display(), at + 1);
            let test = if mark == MARKS[1] { scenario(&path) } else { below(&lines[at + 1..]) };
            let test = test.unwrap_or_else(|| panic!("{place}: a tag stands right above #[test]"));
            for id in ids.split(", ") {
                assert!(found.insert((id.to_owned(), test.clone())), "{place}: {id} twice above {test}");
            }
        }
    }
    found
}

/// The name of the test whose attribute comes first.
fn below(lines: &[&str]) -> Option<String> {
    let [attribute, rest @ ..] = lines else { return None };
    let is_test = attribute.starts_with("#[test]") || attribute.starts_with("#[tokio::test");
    let function = rest.iter().find(|line| !line.starts_with("#["))?;
    let name = function.trim_start_matches("async ").strip_prefix("fn ")?.split('(').next()?;
    is_test.then(|| name.to_owned())
}

/// A scenario is played by a test of its own name.
fn scenario(path: &Path) -> Option<String> {
    Some(path.file_stem()?.to_str()?.replace('-', "_"))
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_scenario = path.extension().is_some_and(|extension| extension == "txt") && folder.ends_with("scenarios");
        if path.is_dir() {
            collect(&path, files);
        } else if is_scenario || path.extension().is_some_and(|extension| extension == "rs") {
            files.push((path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Headings tell how many statements a seed has, so that the last one cannot get lost either.
#[test]
fn every_statement_has_a_number_and_the_numbers_have_no_gaps() {
    let text = fs::read_to_string(docs().join("seeds.md")).unwrap();
    let mut expected = Vec::new();
    for seed in ["S0", "S1", "S2", "S3", "S4"] {
        let heading = text.lines().find(|line| line.starts_with(&format!("## {seed}: "))).unwrap();
        let count = heading.rsplit_once('(').and_then(|(_, count)| count.trim_end_matches(')').parse::<usize>().ok());
        let count = count.unwrap_or_else(|| panic!("{heading}: ends with the number of its statements in brackets"));
        expected.extend((1..=count).map(|number| format!("{seed}-{number}")));
    }
    let ids: Vec<String> = rows().into_iter().map(|row| row.id).collect();
    assert_eq!(ids, expected);
}

#[test]
fn every_row_names_a_test_a_reason_or_what_is_open() {
    for row in rows() {
        let at = format!("docs/seeds.md:{}: {}", row.line, row.id);
        assert!(!row.statement.is_empty(), "{at} states nothing");
        let is_open = row.rest.strip_prefix("open: ").is_some_and(|what| !what.is_empty());
        let reasons = links(&row.rest);
        assert!(!row.tests.is_empty() || is_open || !reasons.is_empty(), "{at} names nothing that shows it");
        for address in reasons.into_iter().chain(links(&row.place)) {
            assert!(docs().join(address).is_file(), "{at}: there is no docs/{address}");
        }
        for path in row.place.split('`').skip(1).step_by(2) {
            let is_ours = path.split('/').next().is_some_and(|room| crates().join(room).is_dir()) && path.contains('/');
            assert!(!is_ours || crates().join(path).exists(), "{at}: there is no crates/{path}");
        }
    }
}

#[test]
fn rows_and_tests_name_each_other() {
    let rows = rows();
    let named: BTreeSet<Pair> =
        rows.iter().flat_map(|row| row.tests.iter().map(|test| (row.id.clone(), test.clone()))).collect();
    let tagged = tags();
    let list = |pairs: Vec<&Pair>| pairs.iter().map(|(id, test)| format!("  {id} {test}\n")).collect::<String>();
    let (no_tag, no_row) = (list(named.difference(&tagged).collect()), list(tagged.difference(&named).collect()));
    assert!(no_tag.is_empty(), "docs/seeds.md names these tests, and they carry no such tag:\n{no_tag}");
    assert!(no_row.is_empty(), "these tests carry a tag, and docs/seeds.md does not name them there:\n{no_row}");
}
