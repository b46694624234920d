//! Words that turn round what a text says of a thing: it is denied, avoided, replaced or over. And words that bind a text
//! to a case.
//!
//! The tables are closed classes of the languages that memories are written in. A word too many costs a question; a
//! word too few costs a memory.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words between spaces, of a canonical text, where an apostrophe is a space ("don t", "n utilise").
const WORDS: &str = "\
    not no never none nobody nothing neither nor without cannot cant dont t avoid avoids avoided avoiding stop stops \
    stopped stopping refrain replace replaces replaced replacing instead rather than versus vs unlike except moved \
    migrate migrated migrating switched drop drops dropped remove removes removed delete deleted deprecate deprecated \
    ban bans banned forbid forbids forbidden prohibit prohibited refuse refuses refused reject rejects rejected disallow \
    disallowed disable disabled retire retired gone obsolete outdated unsupported discontinued abandoned ditch ditched \
    sunset legacy old former formerly previously history historical longer anymore rid away over phased superseded \
    nicht kein keine keinen keinem keiner keines nie niemals ohne statt anstatt anstelle vermeide vermeiden verboten \
    ersetzt ersetze ersetzen abgeschafft veraltet früher \
    ne n pas jamais sans aucun aucune éviter évite évitez lieu plutôt interdit interdite remplacer remplace remplacé \
    nunca jamás sin ni evitar evita evite vez lugar prohibido reemplazar sustituir não jamais sem proibido substituir \
    non mai senza evitare invece vietato niet geen nooit zonder vermijd vermijden vervangen inte ikke ej aldrig aldri \
    ingen inga utan uten uden undvik istället nie nigdy bez unikaj zamiast nikdy místo nu niciodată fără nem ne soha \
    nélkül helyett ei älä koskaan ilman sijaan değil asla yok hiç yerine \
    не нет никогда без вместо нельзя избегать избегайте запрещено ні ніколи замість δεν μην όχι ποτέ χωρίς αντί \
    لا لن لم ليس بدون ممنوع بدلا تجنب לא אין בלי אל नहीं मत बिना không đừng chưa thay tidak jangan bukan tanpa";

/// The same in scripts without spaces, and in Korean, where they cling to other words.
const PARTS: &str = "\
    不 没 沒 别 別 勿 禁 无 無 避免 代替 取代 替换 替換 替代 迁移 遷移 迁到 遷到 改用 改成 改为 改為 换成 換成 换到 換到 淘汰 废 廢 弃 棄 停用 \
    停止 曾 以前 之前 旧 舊 ない なく なし なかっ ません せず わず ずに やめ 禁止 廃止 代わり 避け 移行 切り替え 乗り換え 置き換え 非推奨 だめ \
    않 없 금지 대신 피하 피한 피해 옮겼 옮긴 바꿨 바뀌 바꾼 이전 대체 폐기 중단 말고 말아 마세요 마라 아니 지마 못하 ไม่ ห้าม อย่า";

/// Korean words that deny where they stand alone.
const KOREAN: [&str; 4] = ["안", "못", "말", "마"];

/// Words that bind what a text says to a case or a time.
const CASES: &str = "if when whenever unless until till because since wenn falls bis weil solange si quand lorsque jusqu \
    cuando hasta porque quando até finché когда если пока";

/// The same in scripts without spaces, and in Korean.
const CASE_PARTS: &str = "如果 若 当 當 除非 直到 因为 因為 的时候 的時候 たら れば なら とき 場合 ので から 으면 하면 되면 때 까지";

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

/// Says whether a word of a canonical text turns round what stands beside it.
pub(super) fn reverses(word: &str) -> bool {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(WORDS));
    SET.contains(word) || KOREAN.contains(&word) || holds_one_of(word, PARTS)
}

/// Says whether a canonical text holds a word that turns something round. "Used to" does, and "is used to" does not.
pub(super) fn is_reversed(canonical: &str) -> bool {
    let words: Vec<&str> = canonical.split(' ').collect();
    let is_past = |at: usize| {
        !at.checked_sub(1)
            .is_some_and(|at| ["is", "are", "be"].contains(&words[at]))
    };
    let used_to = words
        .windows(2)
        .enumerate()
        .any(|(at, two)| two == ["used", "to"] && is_past(at));
    used_to || words.iter().any(|word| reverses(word))
}

/// Says whether what a canonical text says holds in one case alone.
pub(super) fn is_conditional(canonical: &str) -> bool {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| set(CASES));
    canonical
        .split(' ')
        .any(|word| SET.contains(word) || holds_one_of(word, CASE_PARTS))
}

fn holds_one_of(word: &str, parts: &str) -> bool {
    !word.is_ascii() && parts.split_whitespace().any(|part| word.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::canonical;

    #[test]
    fn a_denial_is_known_in_many_languages() {
        for text in [
            "Never use npm",
            "Don’t use npm",
            "We used to use Kafka",
            "pnpm statt npm",
            "N'utilisez pas npm",
            "No usar npm",
            "Не использовать npm",
            "لا تستخدم npm",
            "避免使用 npm",
            "npmは使わないこと",
            "npm 말고 pnpm",
            "npm 안 쓴다",
        ] {
            assert!(is_reversed(&canonical(text)), "{text}");
        }
        for text in [
            "Use npm",
            "curl is used to check health",
            "用 npm",
            "必ずnpmを使う",
            "패키지는 npm을 쓴다",
            "Nous utilisons npm",
        ] {
            assert!(!is_reversed(&canonical(text)), "{text}");
        }
    }

    #[test]
    fn a_case_is_known() {
        for text in [
            "If Redis is down, retry",
            "如果 Kafka 挂了",
            "落ちたら切り替わる",
            "멈추면 되살린다 그 때",
        ] {
            assert!(is_conditional(&canonical(text)), "{text}");
        }
        assert!(!is_conditional(&canonical("Redis holds the queue")));
    }
}
