//! English verbs, as far as the language of a project needs them.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::words::Words;

/// Verbs whose past form tells of work that was done in a session.
static WORK: Words = Words::new(
    "
    add adjust apply archive attempt automate backfill backport benchmark bump change check clean clear
    close commit complete configure confirm connect convert correct cover create debug delete deploy
    deprecate document edit enable disable execute expand explore extend extract finalise finalize
    finish fix format gather handle identify implement improve inline inspect install integrate
    introduce investigate isolate land launch log merge migrate mock modify move optimise optimize patch
    polish port prepare profile prototype pull push re-run rebase rebuild reduce refactor refine release
    remove rename reorganise reorganize repair replace reproduce resolve restore restructure revert
    review rework rewrite run save scaffold simplify solve split squash start stub submit switch sync
    tag test tidy trace translate tune update upgrade upload validate verify wire wrap write build
    ",
);

/// Verbs that a rule, a preference or a design begins with or is made of, besides those of work.
static OTHER: Words = Words::new(
    "
    accept access act agree aggregate allow announce answer append approve ask assert assign assume
    attach authenticate avoid await base batch become begin behave belong bind block break bring bundle
    cache calculate call cancel cap capture carry catch charge choose cite collect come communicate
    compare compile compress compute consider consist consult consume contain contact copy count declare
    default defer define deliver demand depend derive describe detect determine discard discuss display
    drop dedupe deduplicate emit encode encrypt end enforce ensure escape evict exclude exit expect
    expire explain export expose fail fall favor favour fetch filter find flush follow forbid forward
    free generate get give go group grow guard guarantee happen hash hide hold host ignore import
    include increment index inform inherit inject insert invalidate invoke issue join keep know label
    lead leave let limit link list listen live load lock look lose maintain make manage map mark match
    mean measure mention mirror model mount name need normalise normalize note notify number omit open
    order override own pack paginate parse pass pay persist pick pin place point poll prefer prefix
    present preserve prevent print prioritise prioritize process produce propose protect provide proxy
    publish purge put queue quote raise read receive record redact redirect refer refresh refuse
    register reject rely remember render repeat reply report request require rerun reset respect respond
    restart restrict retain retry return reuse roll rotate round route sanitise sanitize scale scan
    schedule search seed see select send separate serialise serialize serve set share ship show sign
    skip sleep sort speak specify stage stand state stay stick stop store stream strip structure style
    subscribe suggest summarise summarize support suppress survive take talk target tell throttle throw
    track transform treat trigger trim trust try turn understand use version wait want warn watch win
    work yield rank reference honour honor hard-code hardcode double-check bear like love hate dislike
    insist appreciate enjoy value care disallow mind acknowledge address adopt align arrange associate
    attend back balance cascade close cost cross cut deal deny design differ distinguish divide
    duplicate emulate exceed exist feed fill fit flow force gate govern hook identify indent infer
    isolate last layer lint mutate nest observe offer operate outlive page partition permit prohibit
    propagate query recompute recover reflect reload remain reserve reside resume revalidate revoke
    satisfy seal secure settle shard shut sit spawn spell spread succeed supply synchronise synchronize
    terminate tolerate transfer travel validate vary visit weigh whitelist opt phrase pair ping escalate
    decline
    ",
);

/// Past forms that are no other word, nor a participle in `-ed`.
static IRREGULAR_PAST: Words = Words::new(
    "
    was were did had took went ran wrote rewrote came gave saw broke chose got began spent made said
    told met kept held became brought caught fell felt forgot grew knew lost paid sent showed spoke
    stood threw thought understood won drew drove flew stuck found shut taught slept sat dealt sold
    bought rebuilt built meant led left heard laid dug
    ",
);

/// Participles that do not end in `-ed`.
static IRREGULAR_PARTICIPLES: Words = Words::new(
    "
    written rewritten built rebuilt done made kept held taken given sent found run set put read split
    cut shut chosen broken begun drawn driven known shown seen spent told understood thrown frozen
    hidden forgotten bound forbidden led left lost met paid sold bought brought caught stuck gone come
    become overridden overwritten undone spread reset let hit fed dealt meant woken torn
    ",
);

/// Past forms that tell of a choice: what was chosen holds.
static CHOICE: Words = Words::new(
    "
    decided chose chosen agreed settled opted adopted picked selected standardised standardized
    concluded ruled
    ",
);

/// Past forms that tell of a wish: what was wished for holds.
static WISH: Words = Words::new(
    "
    asked requested insisted preferred wanted wished required demanded instructed told corrected
    complained objected forbade said stated specified emphasised emphasized stressed
    ",
);

/// Past forms that tell of a state that holds: `was deprecated`, `has been frozen`.
static STATE: Words = Words::new(
    "
    deprecated discontinued frozen retired superseded archived designed forked named founded intended
    meant inherited dropped licensed vendored derived rejected dismissed
    ",
);

/// Past forms that tell of an origin, where its terms follow: `was written for PHP 5`.
static ORIGIN: Words = Words::new(
    "
    written built created made drawn generated introduced modelled modeled optimised optimized
    ",
);

/// Past forms that tell of a standstill: a status, and no work.
static STANDSTILL: Words = Words::new(
    "
    blocked paused stuck delayed postponed suspended held stopped waited
    ",
);

static BASES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| WORK.iter().chain(OTHER.iter()).collect());
static THIRD_PERSONS: LazyLock<HashSet<String>> =
    LazyLock::new(|| BASES.iter().map(|base| third_person(base)).collect());
static WORK_PARTICIPLES: LazyLock<HashSet<String>> =
    LazyLock::new(|| work_participles().into_iter().collect());

/// `use`, `store`: what an order begins with.
pub(super) fn is_base(word: &str) -> bool {
    BASES.contains(word)
}

/// `uses`, `stores`.
pub(super) fn is_third_person(word: &str) -> bool {
    THIRD_PERSONS.contains(word)
}

/// `took`, `wrote`.
pub(super) fn is_irregular_past(word: &str) -> bool {
    IRREGULAR_PAST.contains(word)
}

/// `used`, `written`: a participle, or a past form in `-ed`.
pub(super) fn is_participle(word: &str) -> bool {
    is_regular_past(word) || IRREGULAR_PARTICIPLES.contains(word)
}

/// Ends in `-ed` as a past form does.
pub(super) fn is_regular_past(word: &str) -> bool {
    static OTHERWISE: Words = Words::new(
        "
        need feed seed speed embed indeed exceed proceed succeed hundred red bed shed breed bleed unused
        shared named supposed based sacred naked unlimited agreed-upon so-called weighted unsigned signed
        typed untyped nested hosted self-hosted file-based
        ",
    );
    word.len() > 4 && word.ends_with("ed") && !OTHERWISE.contains(word) && !word.ends_with("-based")
}

/// `implemented`, `fixed`: work that was done.
pub(super) fn is_work_done(word: &str) -> bool {
    WORK_PARTICIPLES.contains(word)
}

/// `decided`, `chose`.
pub(super) fn is_choice(word: &str) -> bool {
    CHOICE.contains(word)
}

/// `asked`, `requested`.
pub(super) fn is_wish(word: &str) -> bool {
    WISH.contains(word)
}

/// `deprecated`, `frozen`.
pub(super) fn is_state(word: &str) -> bool {
    STATE.contains(word)
}

/// `written`, `generated`.
pub(super) fn is_origin(word: &str) -> bool {
    ORIGIN.contains(word)
}

/// `blocked`, `paused`.
pub(super) fn is_standstill(word: &str) -> bool {
    STANDSTILL.contains(word)
}

/// Every verb of work as an order has it.
pub(super) fn work_bases() -> Vec<String> {
    WORK.iter().map(str::to_owned).collect()
}

/// Every form in which work that was done is told.
pub(super) fn work_participles() -> Vec<String> {
    const IRREGULAR: &[(&str, &[&str])] = &[
        ("rewrite", &["rewrote", "rewritten"]),
        ("write", &["wrote", "written"]),
        ("build", &["built"]),
        ("rebuild", &["rebuilt"]),
        ("run", &["ran"]),
        ("re-run", &["re-ran"]),
        ("split", &["split"]),
    ];
    WORK.iter()
        .flat_map(|base| match IRREGULAR.iter().find(|(verb, _)| *verb == base) {
            Some((_, forms)) => forms.iter().map(|form| (*form).to_owned()).collect(),
            None => vec![past(base)],
        })
        .collect()
}

/// The regular past form.
fn past(base: &str) -> String {
    static DOUBLED: Words = Words::new(
        "
        commit submit debug log tag stub scan ship drop stop skip wrap plan map pin
        ",
    );
    if let Some(stem) = base
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']))
    {
        format!("{stem}ied")
    } else if base.ends_with('e') {
        format!("{base}d")
    } else if DOUBLED.contains(base) {
        format!("{base}{}ed", &base[base.len() - 1..])
    } else {
        format!("{base}ed")
    }
}

/// The third person.
fn third_person(base: &str) -> String {
    if let Some(stem) = base
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']))
    {
        format!("{stem}ies")
    } else if ["s", "sh", "ch", "x", "z", "o"]
        .iter()
        .any(|end| base.ends_with(end))
    {
        format!("{base}es")
    } else {
        format!("{base}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_made_from_bases() {
        for word in [
            "fixed",
            "applied",
            "committed",
            "moved",
            "rewrote",
            "written",
            "split",
            "deployed",
        ] {
            assert!(is_work_done(word), "{word}");
        }
        for word in ["uses", "carries", "matches", "goes", "stays"] {
            assert!(is_third_person(word), "{word}");
        }
        assert!(is_base("prefer") && !is_base("prefers"));
        assert!(is_regular_past("opened") && !is_regular_past("need"));
        assert!(is_participle("written") && is_irregular_past("took"));
    }
}
