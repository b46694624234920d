//! The stem of an English word, after M. F. Porter (1980): what `connected`, `connecting` and `connection` share.

/// Endings of step 2, with what takes their place where the stem has a measure over 0. Here as below an ending stands
/// before those that it ends with.
const STEP_2: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

/// The same of step 3.
const STEP_3: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

/// Endings of step 4, which go where the stem has a measure over 1.
const STEP_4: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
];

/// Makes a word of lower case letters its stem.
pub(super) fn stem(word: &mut String) {
    if word.len() < 3 || !word.bytes().all(|c| c.is_ascii_lowercase()) {
        return;
    }
    plural(word);
    past(word);
    if word.ends_with('y') && has_vowel(&word[..word.len() - 1]) {
        exchange(word, 1, "i");
    }
    for endings in [STEP_2, STEP_3] {
        if let Some((ending, instead)) = endings.iter().find(|(ending, _)| ends(word, ending))
            && measure(&word[..word.len() - ending.len()]) > 0
        {
            exchange(word, ending.len(), instead);
        }
    }
    let longest = STEP_4
        .iter()
        .find(|ending| ends(word, ending))
        .map(|ending| ending.len());
    let ion = (word.ends_with("sion") || word.ends_with("tion")).then_some(3);
    if let Some(length) = longest.or(ion)
        && measure(&word[..word.len() - length]) > 1
    {
        exchange(word, length, "");
    }
    if word.ends_with('e') {
        let before = &word[..word.len() - 1];
        let measured = measure(before);
        if measured > 1 || measured == 1 && !ends_short(before) {
            exchange(word, 1, "");
        }
    }
    if word.ends_with("ll") && measure(word) > 1 {
        exchange(word, 1, "");
    }
}

/// Says whether a word ends so. Most do not even have the last letter.
fn ends(word: &str, ending: &str) -> bool {
    word.as_bytes().last() == ending.as_bytes().last() && word.ends_with(ending)
}

fn plural(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        exchange(word, 2, "");
    } else if word.ends_with('s') && !word.ends_with("ss") {
        exchange(word, 1, "");
    }
}

fn past(word: &mut String) {
    if word.ends_with("eed") {
        if measure(&word[..word.len() - 3]) > 0 {
            exchange(word, 1, "");
        }
        return;
    }
    let ending = ["ed", "ing"].into_iter().find(|ending| word.ends_with(ending));
    let Some(length) = ending.map(str::len) else {
        return;
    };
    if !has_vowel(&word[..word.len() - length]) {
        return;
    }
    exchange(word, length, "");
    if ["at", "bl", "iz"].iter().any(|ending| word.ends_with(ending)) {
        word.push('e');
    } else if ends_double(word) && !word.ends_with(['l', 's', 'z']) {
        exchange(word, 1, "");
    } else if measure(word) == 1 && ends_short(word) {
        word.push('e');
    }
}

fn exchange(word: &mut String, length: usize, instead: &str) {
    word.truncate(word.len() - length);
    word.push_str(instead);
}

/// True for a vowel; `y` is one after a consonant.
fn is_vowel(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => at > 0 && !is_vowel(word, at - 1),
        _ => false,
    }
}

fn has_vowel(word: &str) -> bool {
    (0..word.len()).any(|at| is_vowel(word.as_bytes(), at))
}

/// The number of times that a consonant follows a vowel.
fn measure(word: &str) -> usize {
    let word = word.as_bytes();
    let mut before = false;
    let mut count = 0;
    for at in 0..word.len() {
        // The same as `is_vowel`, without going back through a run of `y`.
        let vowel = match word[at] {
            b'y' => at > 0 && !before,
            _ => is_vowel(word, at),
        };
        count += usize::from(before && !vowel);
        before = vowel;
    }
    count
}

fn ends_double(word: &str) -> bool {
    let word = word.as_bytes();
    let length = word.len();
    length > 1 && word[length - 1] == word[length - 2] && !is_vowel(word, length - 1)
}

/// True for a stem that ends with consonant, vowel, consonant, the last of which is no w, x or y.
fn ends_short(word: &str) -> bool {
    let bytes = word.as_bytes();
    let length = bytes.len();
    length > 2
        && !is_vowel(bytes, length - 3)
        && is_vowel(bytes, length - 2)
        && !is_vowel(bytes, length - 1)
        && !word.ends_with(['w', 'x', 'y'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let of = |word: &str| {
            let mut word = word.to_owned();
            stem(&mut word);
            word
        };
        for (forms, expected) in [
            ("connect connected connecting connection connections", "connect"),
            ("caresses caress", "caress"),
            ("ponies", "poni"),
            ("hopping hop hops", "hop"),
            ("relational relate relates related", "relat"),
            ("generalizations generalization general", "gener"),
            ("happy happiness", "happi"),
            ("filing file files", "file"),
            ("falling fall", "fall"),
            ("controlling control controls", "control"),
            ("adjustable adjustment adjust", "adjust"),
            ("agreed agree", "agre"),
            ("sky", "sky"),
        ] {
            for form in forms.split(' ') {
                assert_eq!(of(form), expected, "{form}");
            }
        }
        for odd in ["", "a", "as", "yyyy", "café", "c++", "s", "ing"] {
            let _ = of(odd);
        }
    }

    #[test]
    fn a_word_of_any_length_takes_its_length() {
        for piece in ["y", "ab", "e"] {
            let make = |bytes| crate::model::repeated(piece, bytes);
            crate::model::takes_its_length(piece, make, |word| stem(&mut word.clone()));
        }
    }
}
