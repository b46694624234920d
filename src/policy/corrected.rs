//! The memory that a user's correction, or a taking back, is about, and whether it says anything else: a memory goes out
//! of force only where nothing else is lost with it.
//!
//! The tables are closed classes of the languages that memories are written in. A word too many costs a question; a
//! word too few costs a memory.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::retold::facts;
use crate::text::{canonical, is_cjk, pattern};

/// A thing that a text names as what is used, and words of a text that says what to use.
const USED: &str = r"(?:^|[ \p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}])(?:use|uses|using|with|via|on|in|through|is|are|用|使用|は|是|은|는) *";
const USES: &str = "use|instead of|用|使|代わり|쓰|써|대신";

/// Verbs and other words that only say that a thing is used or is there.
const FRAME: &str = "use used using now any more run runs need";

/// The places at which a text goes on to another thing, or puts something beside what was said, and what stands there
/// instead: a line break takes the place of a joint, and parts the rest.
const JOINTS: [(&str, &str); 4] = [
    (
        r"([A-Za-z0-9\u{30a1}-\u{30fc}\u{4e00}-\u{9fff}])[とや]([A-Za-z0-9\u{30a1}-\u{30fc}\u{4e00}-\u{9fff}])",
        "$1\n$2",
    ),
    (
        r"(?i)\b(?:and|or|then|but|plus|und|oder|et|ou|y|и|или|그리고|및|또는)\b|[和与與及或跟、，；。]|[,;.!?](?:\s|$)",
        "\n",
    ),
    (
        r"ではなく|じゃなく|の代わりに| 말고 | 대신 |와 |과 |랑 |이고 ",
        "$0\n",
    ),
    (
        r"(?i)\b(?:not|never|instead|rather|over|statt|вместо|zamiast|istället|invece)\b",
        "\n$0",
    ),
];

/// Words that turn round what a text says of a thing: it is denied, avoided, replaced or over. Between spaces, of a
/// canonical text, where an apostrophe is a space ("don t", "n utilise").
const REVERSING: &str = "\
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
const REVERSING_PARTS: &str = "\
    不 没 沒 别 別 勿 禁 无 無 避免 代替 取代 替换 替換 替代 迁移 遷移 迁到 遷到 改用 改成 改为 改為 换成 換成 换到 換到 淘汰 废 廢 弃 棄 停用 \
    停止 曾 以前 之前 旧 舊 ない なく なし なかっ ません せず わず ずに やめ 禁止 廃止 代わり 避け 移行 切り替え 乗り換え 置き換え 非推奨 だめ \
    않 없 금지 대신 피하 피한 피해 옮겼 옮긴 바꿨 바뀌 바꾼 이전 대체 폐기 중단 말고 말아 마세요 마라 아니 지마 못하 ไม่ ห้าม อย่า";

/// Words that bind what a text says to a case or a time, and the same in scripts without spaces, and in Korean.
const CASES: &str = "if when whenever unless until till because since wenn falls bis weil solange si quand lorsque jusqu \
    cuando hasta porque quando até finché когда если пока";
const CASE_PARTS: &str = "如果 若 当 當 除非 直到 因为 因為 的时候 的時候 たら れば なら とき 場合 ので から 으면 하면 되면 때 까지";

/// The weight of a word: one between spaces is two, a pair of CJK letters one.
const WORD: usize = 2;

/// The weight of what may stand in a text besides the words of its object, where several words or its role tell that
/// the text is about it; and where a single word tells only that both hold that word.
const MOST_BESIDE: usize = 4 * WORD;
const MOST_BESIDE_A_WORD: usize = WORD;

/// The way in which a person says that something no longer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLonger<'a> {
    /// It is taken back, and nothing takes its place.
    TakenBack,
    /// It is gone; this text says so, and says what there is instead.
    Denied(&'a str),
    /// This text says something else, and only puts the old beside it.
    Contrasted(&'a str),
}

/// The one text that has all words of `object`, which names what no longer holds; `None` where no text has them, or
/// several have, or where more than that would be lost with the text. Where the new text only stands beside the old and
/// the object is a single word, which other facts may hold too, a third of the other words of the text must stand in the
/// new one, or both must be about what is used; and where several texts have the words, no other may share half as many
/// words with the new one.
pub fn corrected(object: &str, how: NoLonger<'_>, texts: &[&str]) -> Option<usize> {
    static USE: LazyLock<Regex> = LazyLock::new(|| pattern(USES));
    let object = canonical(object);
    let named = named(&object);
    let new = match how {
        NoLonger::TakenBack => String::new(),
        NoLonger::Denied(new) | NoLonger::Contrasted(new) => canonical(new),
    };
    let said = facts(&new);
    let is_beside = matches!(how, NoLonger::Contrasted(_));
    let is_plain = named.len() > 1 || !is_beside;
    let canonical: Vec<String> = texts.iter().map(|text| canonical(text)).collect();
    let is_used = |at: usize| named.iter().all(|word| is_used(&canonical[at], word));
    // The number of the other words of a text, and of those of them that stand in the new one.
    let others = |at: usize| {
        let words = facts(&canonical[at]);
        let others = words.difference(&named).filter(|word| is_telling(word));
        others.fold((0, 0), |(count, shared), word| {
            (count + 1, shared + usize::from(is_beside && said.contains(word)))
        })
    };
    let shared = |at: usize| match others(at) {
        (0, _) => usize::MAX,
        (_, shared) => shared,
    };
    let is_close = |at: usize| shared(at) > 0 && 3 * others(at).1 >= others(at).0;
    let holds = |at: &usize| !named.is_empty() && named.is_subset(&facts(&canonical[*at]));
    let all: Vec<usize> = (0..texts.len()).filter(holds).collect();
    let at = match all.as_slice() {
        &[one] => (is_plain || is_close(one) || (USE.is_match(&new) && is_used(one))).then_some(one),
        several => {
            let best = several.iter().copied().max_by_key(|&at| shared(at))?;
            let is_far = |&at: &usize| at == best || shared(at) < shared(best).div_ceil(2);
            (is_close(best) && several.iter().all(is_far)).then_some(best)
        }
    }?;
    let text = Text::of(texts[at]);
    let beside: Vec<&str> = telling(&canonical[at]).difference(&named).copied().collect();
    let is_sure = is_used(at) || telling(&object).len() > 1;
    let most = if is_sure { MOST_BESIDE } else { MOST_BESIDE_A_WORD };
    let is_bound = is_reversed(&object) || is_conditional(&canonical[at]);
    let is_short = !is_bound && beside.iter().map(|word| weight(word)).sum::<usize>() <= most;
    let is_free = match how {
        NoLonger::TakenBack if beside.is_empty() => is_reversed(&canonical[at]) == is_reversed(&object),
        NoLonger::TakenBack if !is_short => false,
        _ => text.says_only(&named, &said),
    };
    is_free.then_some(at)
}

/// Things of which one takes the place of another where all else that is said is the same; in lower case.
const VALUES: &str = r"(?P<indent>(?:\d+ ?)?\bspaces?\b|\btabs?\b|スペース ?\d*|空格|タブ|制表符)|(?P<day>\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|[月火水木金土日]曜日?|[월화수목금토일]요일|(?:周|星期|禮拜)[一二三四五六日天])|(?P<language>\b(?:english|german|french|spanish|japanese|chinese|korean|italian|portuguese|russian|dutch|polish|deutsch|englisch|français|anglais|español|inglés)\b|[英中日韩韓法德俄][文语語]|(?:日本|中国|韓国|フランス|ドイツ)語|英語|(?:영|한국|일본|중국|독일)어)|(?P<tool>\b(?:npm|pnpm|yarn|bun|single|double)\b)|(?P<amount>[a-z0-9_.-]*\d[a-z0-9_.-]* (?:ms|s|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|months?|kb|mb|gb|kib|mib|gib)\b)|(?P<number>[a-z0-9_.-]*\d[a-z0-9_.-]*)|(?P<database>\b(?:sqlite|postgres(?:ql)?|mysql|mariadb|mongodb)\b)";

/// A thing of which there is one, with the name that it has there, and words that tell of it and do not name it.
const ROLE: &str = r"^(.+\b(?:tenant|editor|branch|level|shell|runner|framework|database|registry|region|host|formatter|linter|time ?zone|namespace|cluster|theme|provider|bucket)(?: (?:in|for|of|on) \w+)? is|my (?:editor|shell|time ?zone|keyboard|role) is) ([^ ]+)$";
const TELLING: &str = r"^(?:\w{3,}(?:ed|able|ible|ing|ful|less|ous|ive|only)|slow|fast|old|new|down|up|broken|empty|full|small|big|large|public|private|internal|external|local|remote|stable|flaky|free|fine|optional)$";

/// Words that say nothing beside their absence, and those that say that a thing is used, since now or all along.
const FILLERS: &str = r"\b(?:(?:moved|switched|migrated|upgraded|changed) to|use|from now on|from here on|going forward|now|always|please|the|an?|our|that|we|instead)\b|现在|現在|今は|今後は?|これからは|이제는?|지금은?|앞으로는?|[请請都改]|[,.;:!。、,!]";

/// Words of a text that holds beside others, and values that name what the text is about.
const BESIDE: &str = r"\b(?:supports?|speaks?|knows?|translated|also|and|or|both|never|not|no|don't|except|only|unless|if|when)\b|run on \u{2}|^(?:(?:on|in|every|each) )?[\u{2}\u{3}] \w{4,}|支持|支援|対応|지원|和|或|不|ない|않|[\u{1}-\u{5}] (?:is|are|means|must|has|have|can|was|handles?|serves?)\b";

/// The one text that says what the new one says but for a value (another number, day, language, tool or name), or the contrary
/// of it; `None` where both may hold.
pub fn outdated(new: &str, texts: &[&str]) -> Option<usize> {
    static BOUNDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            "\\b(?:minimum|maximum|limit|default)\\b|^\u{2} is \\w+ day$|^\u{5}(?: \u{5})* is (?:current|latest) |^(?:node|python|ruby|java|php|go|rust|django|rails|react|typescript|version) \u{5}(?: \u{5})* (?:is|or)\\b",
        )
    });
    static HOLDS_BESIDE: LazyLock<Regex> = LazyLock::new(|| pattern(BESIDE));
    let new = Framed::of(new);
    let may_hold = HOLDS_BESIDE.is_match(&new.frame) && !BOUNDS.is_match(&new.frame);
    let is_outdated = |at: &usize| {
        let old = Framed::of(texts[*at]);
        let others = new
            .values
            .iter()
            .zip(&old.values)
            .filter(|(value, old)| value != old);
        let differ = (others.count(), new.denies != old.denies);
        let is_named = || {
            let at = new
                .values
                .iter()
                .zip(&old.values)
                .position(|(value, old)| value != old);
            at.is_some_and(|at| new.is_named_by(at))
        };
        new.frame.replace(' ', "") == old.frame.replace(' ', "")
            && (differ == (0, true) || differ == (1, false) && !new.denies && !is_named())
    };
    let mut found = (0..texts.len()).filter(|at| !may_hold && is_outdated(at));
    found.next().filter(|_| found.next().is_none())
}

/// A text with a sign for each value, without what says nothing, and its values; `denies`: it says that this is not to be.
struct Framed {
    frame: String,
    values: Vec<String>,
    denies: bool,
}

impl Framed {
    /// Says whether this value is a number that names what the text is about.
    fn is_named_by(&self, at: usize) -> bool {
        let mut signs = self.frame.match_indices(|sign| matches!(sign, '\u{1}'..='\u{8}'));
        let sign = signs.nth(at).filter(|(_, sign)| *sign == "\u{5}");
        sign.is_some_and(|(place, _)| {
            super::subject::is_named_by(&self.values[at], &self.frame[..place], &self.frame[place + 1..])
        })
    }

    fn of(text: &str) -> Self {
        static VALUE: LazyLock<Regex> = LazyLock::new(|| pattern(VALUES));
        static FILLER: LazyLock<Regex> = LazyLock::new(|| pattern(FILLERS));
        static NAMED: LazyLock<[Regex; 2]> = LazyLock::new(|| [pattern(ROLE), pattern(TELLING)]);
        let text = FILLER.replace_all(&text.to_lowercase(), " ").into_owned();
        let mut values = Vec::new();
        let frame = VALUE.replace_all(&text, |found: &regex::Captures<'_>| {
            values.push(found[0].trim_end_matches('s').to_owned());
            let class = (1..found.len()).find(|group| found.get(*group).is_some());
            let sign =
                ['\u{1}', '\u{2}', '\u{3}', '\u{4}', '\u{6}', '\u{5}', '\u{7}'].get(class.unwrap_or(1) - 1);
            sign.copied().unwrap_or_default().to_string()
        });
        let words: Vec<&str> = frame.split_whitespace().collect();
        let frame = words.join(" ");
        let denial = ["never ", "don't ", "do not "];
        let kept = denial
            .iter()
            .find_map(|no| frame.strip_prefix(no))
            .map(str::to_owned);
        let denies = kept.is_some();
        let frame = kept.unwrap_or(frame);
        let [role, telling] = &*NAMED;
        let named = role.captures(&frame).filter(|named| !telling.is_match(&named[2]));
        let named = named.map(|named| {
            values.push(named[2].to_owned());
            format!("{} \u{8}", &named[1])
        });
        Self {
            frame: named.unwrap_or(frame),
            values,
            denies,
        }
    }
}

/// The texts that share words with `object`, those with the most of them first, and no more than `most`.
pub fn resembling(object: &str, texts: &[&str], most: usize) -> Vec<usize> {
    let object = canonical(object);
    let object = named(&object);
    let shared = |text: &&str| facts(&canonical(text)).intersection(&object).count();
    let mut alike: Vec<(usize, usize)> = texts.iter().map(shared).enumerate().collect();
    alike.retain(|(_, shared)| *shared > 0);
    alike.sort_by_key(|&(at, shared)| (std::cmp::Reverse(shared), at));
    alike.into_iter().take(most).map(|(at, _)| at).collect()
}

/// A text in its parts (a clause, or a thing of a list), as canonical texts, and whether each turns round what it says.
struct Text {
    parts: Vec<(String, bool)>,
}

impl Text {
    fn of(text: &str) -> Self {
        static PARTED: LazyLock<[(Regex, &str); 4]> =
            LazyLock::new(|| JOINTS.map(|(joint, with)| (pattern(joint), with)));
        let parted = PARTED.iter().fold(text.to_owned(), |text, (joint, with)| {
            joint.replace_all(&text, *with).into_owned()
        });
        let parts = parted.lines().map(canonical).filter(|part| !part.is_empty());
        let parts = parts.map(|part| {
            let is_reversed = is_reversed(&part);
            (part, is_reversed)
        });
        Self {
            parts: parts.collect(),
        }
    }

    /// Says whether the text asserts `object`, and nothing of its own that the words of the `new` text leave out: no part
    /// of two words or more, and no other thing of a list.
    fn says_only(&self, object: &HashSet<&str>, new: &HashSet<&str>) -> bool {
        let has_it = |part: &str| !facts(part).is_disjoint(object);
        let left_out = |part: &str| {
            let own = telling(part);
            let own = own
                .iter()
                .filter(|word| !object.contains(*word) && !new.contains(*word));
            own.map(|word| weight(word)).sum::<usize>()
        };
        let (turned, said): (Vec<_>, Vec<_>) = self.parts.iter().partition(|part| part.1);
        let says_more = |part: &&(String, bool)| !has_it(&part.0) && left_out(&part.0) >= 2 * WORD;
        let is_thing = |part: &str| telling(part).len() == 1 && left_out(part) > 0 && !has_it(part);
        let is_listed = |two: &[(String, bool)]| {
            let [(left, false), (right, false)] = two else {
                return false;
            };
            let (last, first) = (left.rsplit(' ').next(), right.split(' ').next());
            last.is_some_and(has_it) && is_thing(right) || first.is_some_and(has_it) && is_thing(left)
        };
        let is_there = || said.iter().any(|part| object.is_subset(&facts(&part.0)));
        (turned.is_empty() || is_there())
            && turned.iter().all(|part| left_out(&part.0) == 0)
            && !said.iter().any(says_more)
            && !self.parts.windows(2).any(is_listed)
    }
}

/// True when a canonical text names a word as the thing that is used.
fn is_used(canonical: &str, word: &str) -> bool {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("{USED}$")));
    let mut places = canonical.match_indices(word);
    places.any(|(at, _)| BEFORE.is_match(&canonical[..at]))
}

/// The words that name the object: a single CJK letter says nothing, unless nothing else is there.
fn named(canonical: &str) -> HashSet<&str> {
    let words = facts(canonical);
    let telling: HashSet<&str> = words.iter().copied().filter(|word| is_telling(word)).collect();
    if telling.is_empty() { words } else { telling }
}

/// True for a word that names a thing, not for a letter of CJK or a pair with a particle in it.
fn is_telling(word: &str) -> bool {
    let is_particle = |c| "はがをにのでと은는을를是的".contains(c);
    !word.contains(is_cjk) || (word.chars().nth(1).is_some() && !word.contains(is_particle))
}

/// The words that tell something: no frame, no word that turns something round, no single letter or particle of CJK.
fn telling(canonical: &str) -> HashSet<&str> {
    let is_framed = |word: &str| FRAME.split(' ').any(|framed| framed == word) || is_reversed(word);
    let words = facts(canonical).into_iter();
    words
        .filter(|word| is_telling(word) && !is_framed(word))
        .collect()
}

fn weight(word: &str) -> usize {
    if word.contains(is_cjk) { 1 } else { WORD }
}

/// True when a canonical text holds a word that turns something round. "Used to" does, and "is used to" does not.
fn is_reversed(canonical: &str) -> bool {
    static REVERSED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            "(?:^| )(?:{}|안|못|말|마)(?: |$)|{}",
            REVERSING.split_whitespace().collect::<Vec<_>>().join("|"),
            REVERSING_PARTS.split_whitespace().collect::<Vec<_>>().join("|"),
        ))
    });
    static PAST: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:\b(?:is|are|be) )?\bused to\b"));
    let mut past = PAST.find_iter(canonical);
    REVERSED.is_match(canonical) || past.any(|found| found.as_str().starts_with("used"))
}

/// True when what a canonical text says holds in one case alone.
fn is_conditional(canonical: &str) -> bool {
    static BOUND: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            "(?:^| )(?:{})(?: |$)|{}",
            CASES.replace(' ', "|"),
            CASE_PARTS.replace(' ', "|")
        ))
    });
    BOUND.is_match(canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_with_all_words_is_meant() {
        let texts = ["no deploys on Fridays", "we deploy on Thursdays"];
        assert_eq!(
            corrected("we deploy on thursdays", NoLonger::TakenBack, &texts),
            Some(1)
        );
        assert_eq!(
            corrected("we deploy", NoLonger::TakenBack, &texts),
            None,
            "several"
        );
        assert_eq!(corrected("we ship on mondays", NoLonger::TakenBack, &texts), None);
        assert_eq!(
            corrected("it", NoLonger::TakenBack, &texts),
            None,
            "no word names a thing"
        );
        assert_eq!(
            corrected(
                "한글 주석",
                NoLonger::TakenBack,
                &["주석은 한글로 단다", "커밋 메시지는 한글"]
            ),
            Some(0)
        );
        assert_eq!(
            corrected(
                "用 tailwind",
                NoLonger::TakenBack,
                &["樣式用 Tailwind", "圖示用 Lucide"]
            ),
            Some(0)
        );
    }

    #[test]
    fn those_with_the_most_words_resemble_it_most() {
        let texts = [
            "deploys run at night",
            "the linter is clippy",
            "no deploys on Fridays",
        ];
        assert_eq!(resembling("deploys on fridays", &texts, 5), [2, 0]);
        assert_eq!(resembling("deploys on fridays", &texts, 1), [2]);
        assert_eq!(resembling("the parser", &texts, 5), Vec::<usize>::new());
        assert_eq!(resembling("", &texts, 5), Vec::<usize>::new());
    }

    #[test]
    fn a_single_word_needs_more_than_itself() {
        let new = "we indent with tabs now, not spaces";
        assert_eq!(
            corrected("spaces", NoLonger::Contrasted(new), &["indent with spaces"]),
            Some(0)
        );
        assert_eq!(
            corrected(
                "spaces",
                NoLonger::Contrasted(new),
                &["file names contain no spaces"]
            ),
            None
        );
        let new = "deploy from `release`, not from `main`";
        assert_eq!(
            corrected(
                "from `main`",
                NoLonger::Contrasted(new),
                &["PRs go to `main`", "deploy from `main`"]
            ),
            Some(1)
        );
        let new = "use bun, not pnpm";
        let used = ["use pnpm for installs and scripts"];
        assert_eq!(
            corrected("pnpm", NoLonger::Contrasted(new), &used),
            Some(0),
            "both say what is used"
        );
        assert_eq!(
            corrected("pnpm", NoLonger::Contrasted(new), &["the pnpm store is shared"]),
            None
        );
        let two = ["deploy from main", "deploy from main at night"];
        assert_eq!(
            corrected("from main", NoLonger::Contrasted("deploy from release"), &two),
            None
        );
    }

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
