//! Quotes in running text: blockquotes and words in quotation marks that stand beside a reference.

use super::sources::{Reference, Sources, Stems, last_of, up_to};
use super::{Attributed, QUOTE_LIMIT_BYTES, QUOTE_WORDS, word_count};
use crate::brief::one_line;
use std::ops::Range;

/// How far from its quotation marks a reference may stand.
const REACH_BYTES: usize = 160;
/// How many places at the end of a blockquote are tried for the beginning of its attribution.
const NOTES_LIMIT: usize = 6;
/// The most single things (a blank, a colon, a `says`) between a reference and the quotation mark after it.
const STEPS_LIMIT: usize = 24;

/// What may stand between a quote and the reference after it.
const LEADING: &[&str] =
    &["see", "cf", "in", "from", "at", "per", "as", "says", "the", "file", "so", "aus", "in der", "dans"];
/// What may stand between a reference and the quote after it.
const SAYING: &[&str] = &[
    "says",
    "said",
    "say",
    "states",
    "stated",
    "reads",
    "notes",
    "requires",
    "demands",
    "writes",
    "warns",
    "claims",
    "promises",
    "that",
    "also",
    "explicitly",
    "clearly",
    "itself",
    "only",
    "literally",
    "verbatim",
    "line",
    "lines",
    "section",
    "page",
    "on",
    "at",
    "in",
    "it",
    "puts",
    "has",
    "defines",
    "sagt",
    "schreibt",
    "dit",
];
/// Words after which a reference and a comma introduce a quote.
const ACCORDING: &[&str] = &["to", "per", "in", "from", "by", "following", "laut", "in der", "selon"];

/// The attributed quotes of a text, in order.
pub(super) fn quotes(text: &str, sources: &Sources) -> Vec<Attributed> {
    let blocks = blockquotes(text, sources);
    let in_block = |at: usize| {
        let next = blocks.partition_point(|(range, _)| range.start <= at);
        next.checked_sub(1).is_some_and(|i| blocks[i].0.contains(&at))
    };
    let mut all: Vec<(usize, Attributed)> =
        inline(text, sources).into_iter().filter(|(at, _)| !in_block(*at)).collect();
    all.extend(blocks.into_iter().map(|(range, quote)| (range.start, quote)));
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, quote)| quote).collect()
}

fn attributed(text: &str, reference: &Reference, words: &str) -> Attributed {
    let source = text.get(reference.range.clone()).unwrap_or_default().to_owned();
    Attributed { source, materials: reference.materials.clone(), text: one_line(words) }
}

/// Blockquotes that name a material themselves, or whose neighbouring line does.
fn blockquotes(text: &str, sources: &Sources) -> Vec<(Range<usize>, Attributed)> {
    let mut lines: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        lines.push((start, line.trim_end()));
        start += line.len();
    }
    let is_quoted = |line: &str| line.trim_start().starts_with('>');
    let mut found = Vec::new();
    let mut i = 0;
    while i < lines.len() {
        if !is_quoted(lines[i].1) {
            i += 1;
            continue;
        }
        let end = lines[i..].iter().position(|(_, line)| !is_quoted(line)).map_or(lines.len(), |n| i + n);
        let own: Vec<&str> = lines[i..end].iter().map(|(_, line)| unquoted(line)).collect();
        let own = own.join("\n");
        let quote = inside_attribution(&own, sources).or_else(|| {
            let before = lines[..i].iter().rev().map(|(_, line)| *line).take(2).find(|line| !line.is_empty());
            let after = lines[end..].iter().map(|(_, line)| *line).take(2).find(|line| !line.is_empty());
            // A line that speaks of another seat introduces that seat's words.
            let beside =
                [before, after].into_iter().flatten().filter(|line| !is_quoted(line) && !names_a_speaker(line));
            let (line, reference) = beside.filter_map(|line| Some((line, sources.mention(line)?))).next()?;
            Some(attributed(line, &reference, &own))
        });
        if let Some(quote) = quote {
            let bytes = lines[i].0..lines.get(end).map_or(text.len(), |(start, _)| *start);
            found.push((bytes, quote));
        }
        i = end;
    }
    found
}

/// A quoted line without its marks.
fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|c: char| c == '>' || c.is_whitespace())
}

/// A blockquote's words and the material that it names at its end (`— spec.md`, `(spec.md)`) or beginning (`spec.md:`).
fn inside_attribution(own: &str, sources: &Sources) -> Option<Attributed> {
    let tail = last_of(own, REACH_BYTES);
    let offset = own.len() - tail.len();
    let mut opens: Vec<usize> =
        ["—", "–", "--", "(", "[", "\n"].iter().flat_map(|mark| tail.match_indices(mark)).map(|(at, _)| at).collect();
    opens.sort_unstable();
    let trailing = opens.into_iter().rev().take(NOTES_LIMIT).find_map(|at| {
        let around = |c: char| c.is_whitespace() || "—–-()[]`*.".contains(c);
        let note = tail[at..].trim_matches(around);
        let reference = sources.whole(note).or_else(|| sources.mention(note))?;
        let is_short = reference.range.start <= "see section 12 of ".len();
        is_short.then(|| attributed(note, &reference, &own[..offset + at]))
    });
    trailing.or_else(|| {
        let head = own.trim_start_matches(|c: char| c.is_whitespace() || "*`_[(".contains(c));
        let reference = sources.starts(head, Stems::Distinctive)?;
        let rest = head[reference.range.end..]
            .trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace() || ":-–—,*`_)]#L".contains(c));
        let rest = SAYING.iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
        Some(attributed(head, &reference, rest.trim_start_matches([':', ' ', '\n'])))
    })
}

/// Whether a line names another seat the way briefs do: `S2`, `Speaker 2`.
fn names_a_speaker(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let numbered = word.strip_prefix('S').is_some_and(is_number);
        if numbered || (word.eq_ignore_ascii_case("speaker") && words.peek().is_some_and(|next| is_number(next))) {
            return true;
        }
    }
    false
}

/// The marks that can begin a quote that this one ends.
fn openers(close: char) -> &'static [char] {
    match close {
        '"' => &['"', '“', '„'],
        '”' => &['“', '„', '”'],
        '“' => &['„'],
        '»' => &['«'],
        '«' => &['»'],
        _ => &[],
    }
}

/// Words in quotation marks beside a reference.
fn inline(text: &str, sources: &Sources) -> Vec<(usize, Attributed)> {
    let mut found: Vec<(usize, Attributed)> = Vec::new();
    // Where the words of the quotes taken so far end: what ends one quote does not begin the next.
    let mut taken = 0;
    for (at, mark) in text.char_indices().filter(|(_, c)| !openers(*c).is_empty() || *c == '„') {
        let (before, after) = (&text[..at], &text[at + mark.len_utf8()..]);
        if at >= taken
            && can_close(mark, before, after)
            && let Some((reference, place)) = reference_after(before, after, sources)
        {
            let span = last_of(before, QUOTE_LIMIT_BYTES);
            let span = span.rfind("\n\n").map_or(span, |blank| &span[blank..]);
            if let Some((open, words)) = span.rfind(openers(mark)).map(|i| (before.len() - span.len() + i, &span[i..]))
            {
                let words = words.trim_start_matches(openers(mark));
                if open >= taken && word_count(words) >= QUOTE_WORDS {
                    found.push((open, attributed(place, &reference, &unmarked(words))));
                    taken = at + mark.len_utf8();
                    continue;
                }
            }
        }
        if at >= taken
            && can_open(mark, before, after)
            && let Some((reference, place)) = reference_before(before, sources)
        {
            let span = up_to(after, QUOTE_LIMIT_BYTES);
            let span = span.find("\n\n").map_or(span, |blank| &span[..blank]);
            let end = span.char_indices().find(|(_, c)| openers(*c).contains(&mark));
            if let Some((words, behind)) = end.map(|(end, close)| (&span[..end], &after[end + close.len_utf8()..]))
                && word_count(words) >= QUOTE_WORDS
                // A reference after the quote says more than one before it.
                && reference_after(words, behind, sources).is_none()
            {
                found.push((at, attributed(place, &reference, &unmarked(words))));
                taken = text.len() - behind.len();
            }
        }
    }
    found
}

/// Quoted words without the marks of a blockquote that they stand in.
fn unmarked(words: &str) -> String {
    words.lines().map(unquoted).collect::<Vec<_>>().join("\n")
}

/// Guillemets may have blanks inside; other marks hug their words.
fn can_close(mark: char, before: &str, after: &str) -> bool {
    let hugs = !before.ends_with(char::is_whitespace) && !after.starts_with(char::is_alphanumeric);
    !openers(mark).is_empty() && (hugs || matches!(mark, '»' | '«'))
}

fn can_open(mark: char, before: &str, after: &str) -> bool {
    let hugs = !after.starts_with(char::is_whitespace) && !before.ends_with(char::is_alphanumeric);
    matches!(mark, '"' | '“' | '„' | '”' | '«' | '»') && (hugs || matches!(mark, '»' | '«'))
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '_' | '`')
}

/// The reference right after a closing mark, with the text that its place counts in.
fn reference_after<'t>(quoted: &str, after: &'t str, sources: &Sources) -> Option<(Reference, &'t str)> {
    let near = up_to(after, REACH_BYTES);
    let near = near.find("\n\n").map_or(near, |blank| &near[..blank]);
    let unstopped = near.trim_start_matches(|c: char| is_decoration(c) || ".,;:!?".contains(c));
    let stops = ['.', '!', '?'];
    let stop = quoted.ends_with(stops) || near[..near.len() - unstopped.len()].contains(stops);
    if let Some(inside) = unstopped.strip_prefix(['(', '[']) {
        let inside = inside.find([')', ']']).map_or(inside, |end| &inside[..end]);
        let inside = inside.trim_start_matches(is_decoration);
        return sources.whole(inside).or_else(|| sources.mention(inside)).map(|reference| (reference, inside));
    }
    let undashed = unstopped.trim_start_matches(['—', '–', '-']);
    let dashed = undashed.len() < unstopped.len();
    // After a full stop a bare name begins the next sentence.
    if stop && !dashed {
        return None;
    }
    let mut rest = undashed.trim_start_matches(is_decoration);
    for _ in 0..STEPS_LIMIT {
        let Some(shorter) = LEADING.iter().find_map(|word| without_first(rest, word)) else { break };
        rest = shorter.trim_start_matches(|c: char| is_decoration(c) || c == '.');
    }
    let line = rest.lines().next().unwrap_or_default().trim_end_matches(|c: char| is_decoration(c) || c == '.');
    let whole = dashed.then(|| sources.whole(line)).flatten();
    whole.or_else(|| sources.starts(rest, Stems::Distinctive)).map(|reference| (reference, rest))
}

/// The reference right before an opening mark, with the text that its place counts in.
fn reference_before<'t>(before: &'t str, sources: &Sources) -> Option<(Reference, &'t str)> {
    let near = last_of(before, REACH_BYTES);
    let near = near.rfind("\n\n").map_or(near, |blank| &near[blank..]);
    let mut rest = near;
    let mut only_comma = false;
    let mut said = false;
    for _ in 0..STEPS_LIMIT {
        if let Some(reference) = sources.ends(rest, Stems::Distinctive) {
            let lead = rest[..reference.range.start].trim_end_matches(is_decoration);
            let accorded = ACCORDING.iter().any(|word| without_last(lead, word).is_some());
            return (said || !only_comma || accorded).then_some((reference, rest));
        }
        if let Some(shorter) = SAYING.iter().find_map(|word| without_last(rest, word)) {
            (rest, said) = (shorter, true);
        } else if let Some(shorter) = rest.strip_suffix(',') {
            (rest, only_comma) = (shorter, true);
        } else if let Some(shorter) = rest.strip_suffix(|c: char| {
            is_decoration(c) || c.is_ascii_digit() || matches!(c, ':' | '-' | '–' | '—' | '#' | 'L' | '§')
        }) {
            rest = shorter;
        } else {
            return None;
        }
    }
    None
}

/// The text after its first word, if that is the one.
fn without_first<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.get(word.len()..)?;
    (text[..word.len()].eq_ignore_ascii_case(word) && !rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// The text before its last word, if that is the one.
fn without_last<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = text.len().checked_sub(word.len())?;
    let (rest, last) = (text.get(..start)?, text.get(start..)?);
    (last.eq_ignore_ascii_case(word) && !rest.ends_with(char::is_alphanumeric)).then_some(rest)
}
