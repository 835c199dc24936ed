//! What changed between two texts, line by line.

use std::fmt::Write as _;

/// More pairs of lines than this are not compared: what lies between the first and the last difference then counts as replaced.
const PAIRS_LIMIT: usize = 4_000_000;

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is in both texts.
    Kept,
    /// It is in the first text only.
    Removed,
    /// It is in the second text only.
    Added,
}

/// The lines of both texts with their ends, in an order in which those that are in both stand once.
pub fn lines<'t>(before: &'t str, now: &'t str) -> Vec<(Change, &'t str)> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), now.split_inclusive('\n').collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut all: Vec<(Change, &str)> = old[..head].iter().map(|line| (Change::Kept, *line)).collect();
    all.extend(compared(old_middle, new_middle));
    all.extend(old[old.len() - tail..].iter().map(|line| (Change::Kept, *line)));
    all
}

/// By the longest sequence of lines that is in both.
fn compared<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(Change, &'t str)> {
    let width = new.len() + 1;
    let is_too_much = old.len().saturating_mul(new.len()) > PAIRS_LIMIT;
    // How many lines are in both from line `i` of the one and line `j` of the other on.
    let mut common = vec![0u32; if is_too_much { 0 } else { (old.len() + 1) * width }];
    for i in (0..old.len()).rev().filter(|_| !is_too_much) {
        for j in (0..new.len()).rev() {
            common[i * width + j] = match old[i] == new[j] {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let at = |i: usize, j: usize| common.get(i * width + j).copied().unwrap_or(0);
    let (mut i, mut j, mut all) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if !is_too_much && i < old.len() && j < new.len() && old[i] == new[j] {
            all.push((Change::Kept, old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || at(i + 1, j) >= at(i, j + 1)) {
            all.push((Change::Removed, old[i]));
            i += 1;
        } else {
            all.push((Change::Added, new[j]));
            j += 1;
        }
    }
    all
}

/// The changes as a unified diff, each with so many lines around it; empty where there are none.
pub fn unified(before: &str, now: &str, context: usize, names: [&str; 2]) -> String {
    let all = lines(before, now);
    let changes: Vec<usize> = (0..all.len()).filter(|at| all[*at].0 != Change::Kept).collect();
    let Some(first) = changes.first() else { return String::new() };
    let mut text = format!("--- {}\n+++ {}\n", names[0], names[1]);
    let (mut from, mut last) = (*first, *first);
    for next in changes.iter().skip(1).copied().chain([usize::MAX]) {
        if next.saturating_sub(last) > 2 * context + 1 {
            hunk(&mut text, &all, from.saturating_sub(context), (last + context + 1).min(all.len()));
            from = next;
        }
        last = next;
    }
    text
}

fn hunk(text: &mut String, all: &[(Change, &str)], from: usize, to: usize) {
    let count = |range: &[(Change, &str)], other: Change| range.iter().filter(|(change, _)| *change != other).count();
    let range = |other: Change| match (count(&all[..from], other), count(&all[from..to], other)) {
        (start, 1) => (start + 1).to_string(),
        (start, 0) => format!("{start},0"),
        (start, length) => format!("{},{length}", start + 1),
    };
    let _ = writeln!(text, "@@ -{} +{} @@", range(Change::Added), range(Change::Removed));
    for (change, line) in &all[from..to] {
        let mark = match change {
            Change::Kept => ' ',
            Change::Removed => '-',
            Change::Added => '+',
        };
        let _ = writeln!(text, "{mark}{}", line.trim_end_matches('\n'));
        if !line.ends_with('\n') {
            text.push_str("\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_change_stands_between_the_lines_around_it() {
        let (before, now) = ("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nC\nd\ne\nf\ng\nh\ni");
        let wanted =
            "--- old\n+++ new\n@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n@@ -8 +8,2 @@\n h\n+i\n\\ No newline at end of file\n";
        assert_eq!(unified(before, now, 1, ["old", "new"]), wanted);
        assert_eq!(unified(before, now, 3, ["o", "n"]).matches("@@ -").count(), 1);
        assert_eq!(unified(before, before, 1, ["o", "n"]), "");
        assert_eq!(unified("", "x\n", 1, ["o", "n"]), "--- o\n+++ n\n@@ -0,0 +1 @@\n+x\n");
    }

    proptest! {
        /// Both texts can be made again, whatever they are; what is in both is not told as changed where a text only grew.
        #[test]
        fn both_texts_stand_in_it(old in "([ab]\n|c){0,12}", new in "([ab]\n|c){0,12}", added in "d\n") {
            let all = lines(&old, &new);
            let without = |other: Change| all.iter().filter(|(change, _)| *change != other).map(|(_, line)| *line).collect::<String>();
            prop_assert_eq!(without(Change::Added), old.clone());
            prop_assert_eq!(without(Change::Removed), new);
            let grown = format!("{added}{old}");
            prop_assert_eq!(lines(&old, &grown).iter().filter(|(change, _)| *change != Change::Kept).count(), 1);
        }
    }
}
