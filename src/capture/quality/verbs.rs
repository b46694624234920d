//! English verbs, as far as the language of a project needs them, and their forms.

use super::words::Words;

/// Verbs of work at hand: as an order they ask for something once, as a past form they tell of a session.
static WORK: Words = Words::new(
    "
    add adjust analyze apply automate backfill benchmark build change check clean clear clone close commit
    compare complete configure confirm connect consider continue convert copy correct cover create debug delete
    deploy develop document draft edit enable enhance establish evaluate expand explore extend extract finalize
    finish fix identify implement improve inspect install integrate introduce investigate look merge migrate monitor
    move optimize patch plan port prepare profile prove pull push rebase rebuild reduce refactor refine release
    remove rename repair replace reproduce research resolve restore restructure revert review rework rewrite
    save scaffold set setup show simplify split stub submit switch sync tag trace update upgrade upload verify
    wait wire wrap write
    ",
);

/// Verbs whose form in `-s` is a noun as often: only an object behind it shows the verb.
static NOUNS: Words = Words::new(
    "
    access address batch block branch break build bump bundle cache call change charge check commit copy cost
    count crash default design document drop edit fail filter fix flag flow force format group guard hash hit
    hook host import include index install issue join label leak link list load lock log map mark mask match
    model name need note number offer order pack page parse patch place plan point poll port post prefix present
    process profile prompt pull push query queue quote record reference release render report request review
    route scale scan schedule search seed shard share ship sign sort split stage state stop stream structure
    style sync tag talk target test trace track transfer transform trim update upgrade upload value visit watch
    ",
);

/// The other verbs that an order, a rule or a statement is made of.
static OTHER: Words = Words::new(
    "
    accept act adopt align allow answer append approve ask associate attach authenticate auto-version avoid back
    base be become belong bring calculate carry choose collect come communicate compile compute consist contact
    contain cross defer define delay deny depend derive describe detect determine differ disable disallow
    discover dislike display distinguish double-check duplicate emit encode encrypt end enforce ensure exclude
    exist exit expect expire explain export expose favor fetch find fire follow forward generate get give go
    handle hang happen hold ignore impose inherit inject insert insist invalidate invoke keep kick know lead
    leave let like limit lint listen live lose maintain make manage mean mention mount normalize open overlap
    override overwrite own pass persist pick prefer preserve prevent print produce propagate propose protect
    provide publish purge put read receive redirect refer reflect refuse regenerate register reject rely remain
    repeat represent require reset resize respond restart resume retain retry return reuse revoke run secure see
    select send separate serialise serialize serve skip spawn speak start stay stick store supply support
    survive take terminate throw timeout treat trigger understand use validate want work
    ",
);

/// Past forms that do not end in `-ed`.
static IRREGULAR_PAST: Words = Words::new(
    "
    was were did had took went ran wrote rewrote came gave saw broke chose got began spent made said told met kept held
    became brought fell forgot grew knew lost paid sent showed spoke stood thought rose drew stuck found slept
    bought built rebuilt meant led heard hit
    ",
);

/// Participles that are no past form either.
static IRREGULAR_PARTICIPLES: Words = Words::new(
    "
    been done gone written rewritten given taken seen run set put read split cut shut chosen broken known shown frozen
    hidden overridden
    ",
);

/// Words in `-ed` that are no past form.
static NOT_PAST: Words = Words::new(
    "need feed seed speed embed exceed proceed succeed based limited named unused required supported nested",
);

/// `use`, `store`: a form that an order begins with.
pub(super) fn is_base(word: &str) -> bool {
    OTHER.contains(word) || NOUNS.contains(word) || WORK.contains(word)
}

/// `fix`, `rename`: an order for work at hand.
pub(super) fn is_work(word: &str) -> bool {
    WORK.contains(word)
}

/// `uses`, `stores`; of a verb that is known.
pub(super) fn is_third_person(word: &str) -> bool {
    stem(word, is_base)
}

/// `tests`, `builds`: a verb or a plural.
pub(super) fn is_noun_too(word: &str) -> bool {
    stem(word, |stem| NOUNS.contains(stem))
}

/// True when the word without its `-s` belongs to a class of verbs.
fn stem(word: &str, is_verb: impl Fn(&str) -> bool) -> bool {
    let Some(stem) = word.strip_suffix('s') else {
        return false;
    };
    is_verb(stem)
        || stem.strip_suffix('e').is_some_and(&is_verb)
        || stem
            .strip_suffix("ie")
            .is_some_and(|stem| is_verb(&format!("{stem}y")))
}

/// `took`, `wrote`, `fixed`: a past form; one in `-ed` may be a participle.
pub(super) fn is_past(word: &str) -> bool {
    let regular = word.len() > 4 && word.ends_with("ed") && !word.ends_with("-based");
    (regular && !NOT_PAST.contains(word)) || IRREGULAR_PAST.contains(word)
}

/// `used`, `written`.
pub(super) fn is_participle(word: &str) -> bool {
    IRREGULAR_PARTICIPLES.contains(word)
        || IRREGULAR_PAST.contains(word)
        || (word.len() > 4 && word.ends_with("ed") && !word.ends_with("-based"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_derived() {
        for word in ["uses", "stores", "carries", "crashes", "applies", "fixes"] {
            assert!(is_third_person(word), "{word}");
        }
        for word in ["status", "alias", "class", "use", "improvements"] {
            assert!(!is_third_person(word), "{word}");
        }
        assert!(is_past("implemented") && is_past("wrote") && !is_past("need") && !is_past("text-based"));
        assert!(is_participle("written") && is_participle("stored") && !is_participle("store"));
    }
}
