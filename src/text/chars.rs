//! Classes of characters, exactly as the rules name them.

use unicode_general_category::{GeneralCategory, get_general_category};

/// White space as ECMAScript's `\s` has it: Unicode's, with U+FEFF and without U+0085.
pub const fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// True for a character that ends a line for some reader: the control characters that do, and Unicode's two separators.
pub const fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Unicode's category P. Symbols (category S, such as `` ` + = < > $ ^ | ~``) are not in it.
pub fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation() && !matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~');
    }
    if matches!(c, '\u{2010}'..='\u{2027}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}') {
        return true;
    }
    // Most characters are letters, and the standard library knows that sooner.
    !c.is_alphanumeric()
        && matches!(
            get_general_category(c),
            GeneralCategory::ConnectorPunctuation
                | GeneralCategory::DashPunctuation
                | GeneralCategory::OpenPunctuation
                | GeneralCategory::ClosePunctuation
                | GeneralCategory::InitialPunctuation
                | GeneralCategory::FinalPunctuation
                | GeneralCategory::OtherPunctuation
        )
}

/// A letter of a script that is written without spaces between words, or (Korean) with endings that carry the
/// meaning: Han, kana, bopomofo, hangul.
pub const fn is_cjk(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{11ff}'
            | '\u{2e80}'..='\u{2fdf}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3021}'..='\u{3029}'
            | '\u{3031}'..='\u{3035}'
            | '\u{3038}'..='\u{303b}'
            | '\u{3041}'..='\u{309f}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{30fc}'..='\u{31bf}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7ff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{1aff0}'..='\u{1b16f}'
            | '\u{20000}'..='\u{323af}'
    )
}

/// A letter of a script that is written without spaces between words: those above, and Thai, Lao, Myanmar and Khmer
/// with their marks.
pub const fn is_unspaced(c: char) -> bool {
    // Most texts have none of them.
    c >= '\u{e01}'
        && (is_cjk(c)
            || matches!(c, '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{1000}'..='\u{103f}' | '\u{1780}'..='\u{17d3}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_is_that_of_ecmascript() {
        for c in ['\u{feff}', '\u{2028}', '\u{a0}', '\u{3000}', '\u{b}'] {
            assert!(is_space(c), "{c:?}");
        }
        for c in ['\u{85}', '\u{200b}', '\u{180e}', '\0', 'a'] {
            assert!(!is_space(c), "{c:?}");
        }
    }

    #[test]
    fn symbols_are_no_punctuation() {
        assert!(
            "_-–()[]{}«»“”'\"!#%&*,./:;?@\\。、「」・؟।"
                .chars()
                .all(is_punctuation)
        );
        assert!(!"`+=<>$^|~€★♥⁄°©ฯ".chars().any(is_punctuation));
    }

    #[test]
    fn what_is_known_beforehand_is_what_unicode_says() {
        let is_known = |c: &char| c.is_ascii() || ('\u{2000}'..'\u{3100}').contains(c);
        for c in (char::MIN..=char::MAX).filter(is_known) {
            let category = get_general_category(c).abbreviation();
            assert_eq!(is_punctuation(c), category.starts_with('P'), "{c:?}");
        }
    }

    #[test]
    fn cjk_is_letters_not_their_punctuation() {
        assert!("設不ないコー々한ㄅ".chars().all(is_cjk));
        assert!(!"aé。「・、１".chars().any(is_cjk));
    }
}
