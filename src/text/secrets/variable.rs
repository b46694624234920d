//! Names of a program, where a value would stand.

use super::labels::Value;

/// What the names of variables end with, or begin with, that hold a secret.
const NOUNS: &str = "
    password passwords passwd pass passphrase pwd pw secret secrets token tokens key keys credential credentials cred
    creds auth authorization jwt cookie hash path file header headers field input value env var config param
    params response request session
";

/// The words of the names of other variables are no shorter.
const SHORTEST_WORD: usize = 4;

/// Whether it is the name of a variable or a type that holds a secret: `hashedPassword`, `_api_key`,
/// `KafkaV12Credentials`. In quotes only what no person chose is a name.
pub(super) fn is_variable(value: &str, want: Value, is_quoted: bool) -> bool {
    let is_chosen = want == Value::Chosen;
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let is_version =
        !is_chosen && !is_quoted && digits <= 3 && value.starts_with(|c: char| c.is_ascii_uppercase());
    let is_name = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && (digits == 0 || is_version);
    if !is_name || (is_quoted && is_chosen) {
        return false;
    }
    let parts = parts(value);
    let is_noun = |part: &String| NOUNS.split_whitespace().any(|noun| noun == part);
    // What is drawn at random has no words in it.
    let are_words =
        digits == 0 && !is_chosen && !is_quoted && parts.iter().all(|part| part.len() >= SHORTEST_WORD);
    parts.len() >= 2 && (are_words || parts.iter().any(is_noun))
}

/// The words of a name, in lower case: at underscores and capitals.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if c == '_' || (was_small && c.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        if c.is_ascii_alphanumeric() {
            parts
                .last_mut()
                .expect("because it begins with a part")
                .push(c.to_ascii_lowercase());
        }
        was_small = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    parts.retain(|part| !part.is_empty());
    parts
}
