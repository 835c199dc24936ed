//! Characters that a reader takes for a letter, digit or sign of a key.

/// Small letters of other alphabets that look like the Latin ones, in pairs.
const ALIKE: &[(char, char)] = &[
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('п', 'n'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('г', 'r'),
    ('ѕ', 's'),
    ('т', 't'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('А', 'A'),
    ('В', 'B'),
    ('С', 'C'),
    ('Е', 'E'),
    ('Н', 'H'),
    ('І', 'I'),
    ('Ј', 'J'),
    ('К', 'K'),
    ('М', 'M'),
    ('О', 'O'),
    ('Р', 'P'),
    ('Ѕ', 'S'),
    ('Т', 'T'),
    ('Х', 'X'),
    ('У', 'Y'),
    ('З', '3'),
    ('α', 'a'),
    ('ε', 'e'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
    ('γ', 'y'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ζ', 'Z'),
    ('Η', 'H'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Υ', 'Y'),
    ('Χ', 'X'),
];
/// How many such letters may stand together between plain ones.
const TOGETHER: usize = 8;

/// What a character looks like: a hyphen, an underscore, a letter or a digit. Nothing where it looks like none of them.
pub(super) fn plain(c: char) -> Option<char> {
    let letter = |from: u32| {
        let n = (u32::from(c) - from) % 52;
        char::from_u32(if n < 26 { 0x41 + n } else { 0x61 + n - 26 })
    };
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{2E3A}' | '\u{2E3B}' => {
            Some('-')
        }
        '\u{2017}' | '\u{203F}' | '\u{FE4D}'..='\u{FE4F}' => Some('_'),
        // The alphabets of mathematics, and letters in circles.
        '\u{1D400}'..='\u{1D6A3}' => letter(0x1D400),
        '\u{1D7CE}'..='\u{1D7FF}' => char::from_digit((u32::from(c) - 0x1D7CE) % 10, 10),
        '\u{24B6}'..='\u{24E9}' => letter(0x24B6),
        '\u{391}'..='\u{3C9}' | '\u{400}'..='\u{527}' => ALIKE.iter().find(|(alike, _)| *alike == c).map(|pair| pair.1),
        _ => None,
    }
}

/// The same for a character that stands in a word of plain letters, signs and others that look like them.
pub(super) fn plain_in_word(text: &str, at: usize, c: char) -> Option<char> {
    let read = plain(c)?;
    // Nobody writes words in these alphabets.
    if read.is_ascii_alphanumeric() && matches!(c, '\u{1D400}'..='\u{1D7FF}' | '\u{24B6}'..='\u{24E9}') {
        return Some(read);
    }
    let is_plain = |c: char| c.is_ascii_graphic();
    let meets = |mut chars: &mut dyn Iterator<Item = char>| {
        (&mut chars).take(TOGETHER).find(|c| plain(*c).is_none()).is_some_and(is_plain)
    };
    let before = meets(&mut text[..at].chars().rev());
    let after = || meets(&mut text[at + c.len_utf8()..].chars());
    let is_sign = matches!(read, '-' | '_');
    (if is_sign { before && after() } else { before || after() }).then_some(read)
}
