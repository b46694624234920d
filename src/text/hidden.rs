//! Characters that nobody sees: they turn the order of a line around, part a word that reads as one, or carry words of
//! their own to a model (tag characters, variation selectors).

use std::borrow::Cow;

use super::{is_cjk, is_line_break, is_punctuation};

/// The flags of England, Scotland and Wales: a black flag with the letters of the country as tags. No other tags are
/// in use.
const FLAGS: [&str; 3] = [
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// The hidden characters of a text that nothing beside them needs, each with its place in bytes. Needed are: a joiner
/// between two parts of an emoji, and the mark after an emoji that says how it is drawn; the tags of a flag; a joiner,
/// a non-joiner or a zero-width space after a letter of a script that is shaped or parted by them, such as Persian,
/// Hindi or Thai; a mark of direction before a letter of a right-to-left script, or after such a letter and its
/// punctuation; a variation selector after a Han character; a Mongolian or Hangul filler beside its own letters. The
/// second of two in a row is needed in emoji alone.
pub fn strays(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut before = None;
    // The last letter before a place, and that place.
    let (mut letter, mut known) = (None, 0);
    let mut flag_end = 0;
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, c) = chars.next()?;
            let after = chars.peek().map(|(_, c)| *c);
            if c == '\u{1f3f4}' {
                let flag = FLAGS.iter().find(|flag| text[at..].starts_with(**flag));
                flag_end = at + flag.map_or(0, |flag| flag.len());
            }
            if at >= flag_end && is_hidden(c) {
                let is_letter = |c: &char| !is_hidden(*c) && !is_punctuation(*c);
                letter = text[known..at].chars().rfind(is_letter).or(letter);
                known = at;
                if !is_needed(before, letter, c, after) {
                    return Some((at, c));
                }
            }
            before = Some(c);
        }
    })
}

/// The text without its [`strays`]; borrowed where it has none.
pub fn without_strays(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut rest = 0;
    let mut shown = String::new();
    for (at, c) in strays(text) {
        shown.push_str(&text[rest..at]);
        rest = at + c.len_utf8();
    }
    if rest == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[rest..]);
    Cow::Owned(shown)
}

/// A text on one line in which nothing hides: control characters, the ends of lines and [`strays`] are spelled out, as
/// `\n` or `\u{200b}`.
pub fn spelled_out(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut strays = strays(text).map(|(at, _)| at).peekable();
    for (at, c) in text.char_indices() {
        if strays.next_if_eq(&at).is_some() || c.is_control() || is_line_break(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// True for a character that nobody sees: Unicode's default ignorables and the controls of direction and of annotations;
/// control characters are not among them.
pub const fn is_hidden(c: char) -> bool {
    c > '\u{a0}'
        && matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Tells whether a hidden character is needed by its neighbours. `letter` is the last character before it that is neither
/// hidden nor punctuation.
fn is_needed(before: Option<char>, letter: Option<char>, c: char, after: Option<char>) -> bool {
    let follows = |is: fn(char) -> bool| before.is_some_and(is);
    let precedes = |is: fn(char) -> bool| after.is_some_and(is);
    if before.is_some_and(is_hidden) {
        return before == Some('\u{fe0f}') && c == '\u{200d}' && precedes(is_emoji);
    }
    match c {
        '\u{200d}' if follows(is_emoji) => precedes(is_emoji),
        '\u{200b}'..='\u{200d}' => follows(has_joiners),
        '\u{61c}' | '\u{200e}' | '\u{200f}' => {
            letter.is_some_and(is_right_to_left) || precedes(is_right_to_left)
        }
        '\u{fe0e}' | '\u{fe0f}' if follows(is_emoji) => true,
        '\u{fe0f}' if follows(is_key) => after == Some('\u{20e3}'),
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => follows(is_cjk),
        '\u{180b}'..='\u{180f}' => follows(is_mongolian),
        '\u{115f}' | '\u{1160}' => follows(is_jamo) || precedes(is_jamo),
        _ => false,
    }
}

/// A letter or a mark of a script in which joiners change the shape of what is beside them, or part words that are
/// written without spaces: Arabic and its kin, the scripts of India and of South East Asia, Mongolian, Adlam.
const fn has_joiners(c: char) -> bool {
    matches!(
        c,
        '\u{620}'..='\u{65f}'
            | '\u{66e}'..='\u{6d5}'
            | '\u{6e5}'..='\u{8ff}'
            | '\u{900}'..='\u{109f}'
            | '\u{1780}'..='\u{17b3}'
            | '\u{17b6}'..='\u{17ff}'
            | '\u{1820}'..='\u{18aa}'
            | '\u{1900}'..='\u{1cff}'
            | '\u{a800}'..='\u{aadf}'
            | '\u{abc0}'..='\u{abff}'
            | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}'
            | '\u{10a00}'..='\u{10fff}'
            | '\u{11000}'..='\u{11fff}'
            | '\u{1e900}'..='\u{1e95f}'
    )
}

/// A letter or a mark of Hebrew, Arabic, Syriac and the other scripts that are written from the right.
fn is_right_to_left(c: char) -> bool {
    let is_in_block = matches!(
        c,
        '\u{590}'..='\u{8ff}'
            | '\u{fb1d}'..='\u{fdff}'
            | '\u{fe70}'..='\u{fefc}'
            | '\u{10800}'..='\u{10fff}'
            | '\u{1e800}'..='\u{1efff}'
    );
    is_in_block && c.is_alphabetic()
}

/// A sign that is drawn as a picture, or has such a form.
const fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
            | '\u{2300}'..='\u{23ff}'
            | '\u{24c2}'
            | '\u{25a0}'..='\u{27bf}'
            | '\u{2934}'..='\u{2935}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{3030}'
            | '\u{303d}'
            | '\u{3297}'
            | '\u{3299}'
            | '\u{1f000}'..='\u{1faff}'
    )
}

const fn is_key(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*')
}

const fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

/// A part of a Hangul syllable that is no filler.
const fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115e}' | '\u{1161}'..='\u{11ff}')
}

/// Says whether anything of a text can be seen.
pub fn can_be_seen(text: &str) -> bool {
    text.contains(|c: char| !c.is_whitespace() && !c.is_control() && !is_hidden(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_script_or_an_emoji_needs_is_no_stray() {
        for text in [
            "می\u{200c}خواهم",
            "خانه\u{200c}ها",
            "क्\u{200d}ष क्\u{200c}ष",
            "ന്\u{200d} എന്ന",
            "ශ්\u{200d}රී",
            "ภาษา\u{200b}ไทย",
            "ភាសា\u{200b}ខ្មែរ",
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
            "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
            "\u{1f44d}\u{1f3fd} \u{2764}\u{fe0f}\u{200d}\u{1f525}",
            "1\u{fe0f}\u{20e3} \u{a9}\u{fe0e} \u{2714}\u{fe0f}",
            "葛\u{e0100}城 辻\u{fe00}",
            "ᠮᠣᠩᠭᠣᠯ\u{180e}ᠠ",
            "\u{115f}\u{1161}",
            "flags: \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} \u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}!",
            "שלום!\u{200f} C++ \u{200e}עם",
            "שָׁלוֹם\u{200f} 5",
            "العربية\u{61c}- ABC (\u{200f}نص)\u{200e}",
            "plain ASCII, é, ノート, עברית",
        ] {
            assert_eq!(without_strays(text), text);
        }
    }

    #[test]
    fn what_stands_alone_is_a_stray() {
        for (text, shown) in [
            ("re\u{200b}mem\u{200d}ber \u{200c}it", "remember it"),
            ("a\u{202e}b\u{2066}c\u{200f}d\u{61c}e\u{206a}f", "abcdef"),
            ("note\u{e0068}\u{e0069}\u{e007f}", "note"),
            ("\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}", "\u{1f3f4}"),
            // No flag: another country, a flag without its end, and its tags without it.
            (
                "\u{1f3f4}\u{e0075}\u{e0073}\u{e0063}\u{e0061}\u{e007f}",
                "\u{1f3f4}",
            ),
            (
                "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}.",
                "\u{1f3f4}.",
            ),
            ("x\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}", "x"),
            // More after a flag
            (
                "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}\u{e0068}\u{200d}\u{e007f}",
                "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
            ),
            ("pass\u{200f}word\u{200e}: \u{61c}x", "password: x"),
            ("א\u{200f}\u{200f}\u{200e}ב", "א\u{200f}ב"),
            ("א\u{202b}ב\u{2067}ג", "אבג"),
            ("א 5\u{200f} a", "א 5 a"),
            ("\u{feff}a\u{ad}b\u{2060}c\u{3164}d\u{ffa0}e\u{34f}f", "abcdef"),
            ("x\u{fe00}y\u{fe0f}1\u{fe0f}z\u{e0101}", "xy1z"),
            ("\u{1f600}\u{fe0f}\u{fe01}\u{e0150}\u{e0151}", "\u{1f600}\u{fe0f}"),
            ("می\u{200c}\u{200d}\u{200c}خ", "می\u{200c}خ"),
            ("\u{1f468}\u{200d}x \u{1f468}\u{200d}", "\u{1f468}x \u{1f468}"),
            ("\u{200d}\u{1f468}", "\u{1f468}"),
            ("a\u{180b}b\u{1160}c\u{fff9}d", "abcd"),
        ] {
            assert_eq!(without_strays(text), shown, "{text:?}");
        }
    }

    proptest! {
        /// No run of hidden characters is kept, so that none carries words.
        #[test]
        fn of_hidden_characters_in_a_row_one_is_kept_at_most(
            text in "(\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}|[a1!葛خन\u{1f3f4}\u{1f468}\u{200b}-\u{200f}\u{202e}\u{fe00}\u{fe0f}\u{e0041}\u{e0100}\u{180b}\u{1820}\u{115f}\u{1100}]){0,40}"
        ) {
            let shown = FLAGS.iter().fold(without_strays(&text).into_owned(), |shown, flag| shown.replace(flag, "F"));
            let shown: Vec<char> = shown.chars().collect();
            // An emoji may bear the mark of its form and a joiner after it.
            let is_pair = |pair: &[char]| pair == ['\u{fe0f}', '\u{200d}'];
            let bad = shown.windows(2).any(|pair| pair.iter().all(|c| is_hidden(*c)) && !is_pair(pair));
            prop_assert!(!bad, "{shown:?}");
            let rest = |text: &str| text.chars().filter(|c| !is_hidden(*c)).collect::<String>();
            prop_assert_eq!(rest(&without_strays(&text)), rest(&text));
        }
    }
}
