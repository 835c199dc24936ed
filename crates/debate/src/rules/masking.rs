//! A speaker that says who it is stays anonymous to its peers: where it plainly introduces itself (`As the risk judge, ...`,
//! `I am GPT-5.`), they read its label. Nothing is guessed, any other form stays, and the record keeps every word.

use crate::model::plan::SeatId;
use crate::rules::family::FAMILIES;

/// With one of these a seat's name can mean nothing but the seat: `risk judge`.
const TITLES: &[&str] = &["judge", "seat", "panelist", "debater", "challenger", "persona"];
/// After one of these a speaker may name itself.
const OPENINGS: &[&str] = &["As ", "Speaking as ", "I am ", "I'm ", "I’m "];
/// The most characters of a name.
const NAME_LIMIT: usize = 100;

/// The text with `label` wherever the speaker introduces itself by its seat or as a model.
pub(crate) fn unnamed(text: &str, speaker: &SeatId, label: &str) -> String {
    let seat: Vec<&str> = speaker.as_str().split(['-', '_', '.']).collect();
    let text = &without_titles(text, &seat, label);
    let (mut out, mut done, mut before) = (String::with_capacity(text.len()), 0, ' ');
    for (at, c) in text.char_indices() {
        let is_inside = before.is_alphanumeric() || matches!(before, '-' | '_' | '\'' | '’');
        before = c;
        if at < done || is_inside {
            continue;
        }
        let opening = OPENINGS.iter().find(|words| text[at..].starts_with(**words));
        let start = at + opening.map_or(0, |words| words.len());
        let article = ["the ", "The ", "a ", "an "].iter().find(|word| text[start..].starts_with(**word));
        let name = &text[start + article.map_or(0, |word| word.len())..];
        // Without an opening only a titled seat counts, and most words are neither.
        let may_be_seat = seat.first().is_none_or(|first| {
            name.as_bytes().get(..first.len()).is_some_and(|start| start.eq_ignore_ascii_case(first.as_bytes()))
        });
        if opening.is_none() && !may_be_seat {
            continue;
        }
        let words = words_of(name.char_indices().nth(NAME_LIMIT).map_or(name, |(end, _)| &name[..end]));
        let is_seat = words.len() >= seat.len() && seat.iter().zip(&words).all(|(a, (b, _))| a.eq_ignore_ascii_case(b));
        let titled = words.get(seat.len()).filter(|(word, _)| is_seat && TITLES.contains(&&*word.to_lowercase()));
        let plain = words.get(seat.len() - 1).filter(|_| is_seat);
        let goes_on = |word: &str| is_model(word) || word.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
        let model = words.iter().take_while(|(word, _)| is_model(words[0].0) && goes_on(word)).last();
        let is_given = |(_, end): &&(&str, usize)| match opening {
            None => false,
            Some(&"As ") => [", I ", ", I'", ", my ", ", let me "].iter().any(|me| name[*end..].starts_with(me)),
            Some(_) => name[*end..].is_empty() || name[*end..].starts_with([',', '.', ';', ':', '!', '\n']),
        };
        if let Some((_, end)) = titled.or_else(|| plain.into_iter().chain(model).find(is_given)) {
            out.push_str(&text[done..start]);
            out.push_str(label);
            done = text.len() - name.len() + end;
        }
    }
    out + &text[done..]
}

/// The text with `label` where a heading begins with the seat's name: `## CFO - Independent Position`.
fn without_titles(text: &str, seat: &[&str], label: &str) -> String {
    let retitled = |line: &str| {
        let title = line.trim_start_matches('#');
        let marks = line.len() - title.len();
        let name = title.trim_start();
        let words = words_of(name);
        let is_seat = words.len() >= seat.len() && seat.iter().zip(&words).all(|(a, (b, _))| a.eq_ignore_ascii_case(b));
        let end = words.get(seat.len() - 1).map_or(0, |(_, end)| *end);
        let after = name.get(end..).unwrap_or_default().trim_start();
        let ends = after.trim().is_empty() || after.starts_with(['-', '–', '—', ':', '\'', '’', '(']);
        let is_title = (1..=6).contains(&marks) && is_seat && ends;
        is_title.then(|| format!("{} {label}{}", &line[..marks], name.get(end..).unwrap_or_default()))
    };
    text.split_inclusive('\n').map(|line| retitled(line).unwrap_or_else(|| line.to_owned())).collect()
}

/// The words that a text begins with, each joined by a blank or a hyphen, and where they end. `4.1` is one.
fn words_of(text: &str) -> Vec<(&str, usize)> {
    let (mut words, mut at) = (Vec::new(), 0);
    for part in text.split_inclusive([' ', '-', '\n', ',', ';', ':', '!', '?', ')', '*', '\'', '’']) {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        words.push((word, at + word.len()));
        at += part.len();
        if !part[word.len()..].chars().all(|c| matches!(c, ' ' | '-')) {
            break;
        }
    }
    words
}

fn is_model(word: &str) -> bool {
    let mut names = FAMILIES.iter().flat_map(|family| family.models.iter().chain(&family.called));
    let word = word.to_lowercase();
    names.any(|name| word.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)))
}
