//! English verbs, as far as the language of a project needs them, and their forms.

use super::words::Words;

/// Verbs of work at hand: as an order they ask for something once, as a past form they tell of a session.
static WORK: Words = Words::new(
    "
    add adjust analyse analyze apply assess attempt automate backfill backport benchmark build change check clean
    clear close commit compare complete configure confirm connect consider continue convert correct cover create
    debug delete deploy develop document draft edit enable enhance evaluate examine execute expand experiment
    explore extend extract finalise finalize finish fix gather identify implement improve increase inspect install
    integrate introduce investigate land launch merge migrate mock modify move optimise optimize patch plan
    polish port prepare profile prototype prove pull push re-run rebase rebuild reduce refactor refine release
    remove rename reorganise reorganize repair replace reproduce research resolve restore restructure revert
    review rework rewrite save scaffold set setup show simplify solve split stub submit switch sync tag tidy trace
    transition translate tune update upgrade upload verify wait wire wrap write clone copy decouple establish look
    ",
);

/// The other verbs that an order, a rule or a statement is made of.
static OTHER: Words = Words::new(
    "
    accept access act address adopt agree aggregate align allow announce answer append appreciate approve arrange
    ask assert assign associate assume attach authenticate auto-version avoid await back balance base batch bear
    be become begin behave belong bind block branch break bring bump bundle cache calculate call cancel cap capture
    care carry catch charge choose cite clone collect combine come communicate compile compress compute consist
    consult consume contain contact cost count crash create cross cut deal declare decline default defer define
    delay deliver demand deny depend derive describe design detect determine differ disable disallow discard
    discover discuss display distinguish divide double drain drop duplicate emit emulate encode encounter encrypt
    end enforce ensure escalate escape evict exceed exclude exist exit expect expire explain export expose fail
    fall favor favour fetch fill filter find fit flag flow flush follow forbid force format forward free generate
    get give go govern group grow guarantee guard handle hang happen hash hate hide hit hold honor honour hook host
    ignore impact impose import include indent index infer inform inherit inject insert insist invalidate invoke
    isolate issue join keep kick kill know label last lead leak leave let like limit link lint list listen live load
    lock log lose love maintain make manage map mark mask match mean measure mention mind mirror model mount mutate
    name need nest normalise normalize note notify number observe offer omit open operate order outlive overlap
    override overwrite own pack page paginate parse partition pass pay permit persist phrase pick pin place point
    poll post prefer prefix present preserve prevent print process produce prohibit prompt propagate propose
    protect provide proxy publish purge put query queue quote raise read receive recompute record recover redact
    redirect refer reference reflect refresh refuse regenerate register reject reload rely remain remember render
    repeat reply report represent request require reserve reset reside resize respect respond restart restrict
    resume retain retry return reuse revalidate revoke roll rotate round route run sanitise sanitize satisfy scale
    scan schedule seal search secure see seed seek select sell send separate serialise serialize serve settle shard
    share ship shut sign sit skip sleep sort spawn speak specify spell stage stand start state stay stick stop store
    stream strip structure style subscribe subtract succeed suggest summarise summarize supply support suppress
    survive synchronise synchronize take talk target tell terminate test throttle throw timeout tolerate track
    transfer transform travel treat trigger trim trust try turn understand use validate value vary visit want warn
    watch weigh whitelist win work yield acknowledge attend disappear dislike enjoy fire happen strip swallow
    truncate rewrite hard-code hardcode double-check opt crawl dispatch erase hurt interpret interfere shadow shift
    ",
);

/// Forms of verbs that are nouns as often: only an object behind them shows the verb.
static NOUNS: Words = Words::new(
    "
    access accesses address addresses batches blocks branches breaks builds bumps bundles caches calls causes changes
    charges checks commits copies costs counts defaults designs documents drops edits errors filters fixes flags flows
    forces formats groups guards hashes hits hooks hosts imports includes indexes installs issues joins keys labels
    leaks links lists loads locks logs maps marks masks matches models names needs notes numbers offers orders packs
    pages parses patches places plans points polls ports posts prefixes presents processes profiles prompts pulls
    pushes queries queues quotes records references releases renders reports requests results reviews routes scales
    scans schedules searches seeds shards shares ships signs sorts splits stages states steps stops streams structures
    styles syncs tags talks targets tests times tokens traces tracks transfers transforms trims types updates upgrades
    uploads values views visits watches crashes fails
    ",
);

/// Past forms that do not end in `-ed`, and no other word.
static IRREGULAR_PAST: Words = Words::new(
    "
    was were did had took went ran wrote rewrote came gave saw broke chose got began spent made said told met kept
    held became brought caught fell felt forgot grew knew lost paid sent showed spoke stood threw thought understood
    won rose drew drove flew stuck found shut taught slept sat dealt sold bought rebuilt built meant led heard laid dug hit
    ",
);

/// Participles that do not end in `-ed`.
static IRREGULAR_PARTICIPLES: Words = Words::new(
    "
    been written rewritten rebuilt built done made kept held taken given sent found run set put read split cut shut
    chosen broken begun drawn driven known shown seen spent told understood thrown frozen hidden forgotten bound
    forbidden led left lost met paid sold bought brought caught stuck gone come become overridden overwritten undone
    ",
);

/// Words in `-ed` that are no past form.
static NOT_PAST: Words = Words::new(
    "
    need feed seed speed embed indeed exceed proceed succeed hundred shed breed bleed unused shared named based
    limited unlimited weighted unsigned signed typed nested hosted self-hosted file-based distributed layered
    required supported expected allowed related dedicated advanced embedded
    ",
);

/// `use`, `store`: a form that an order begins with.
pub(super) fn is_base(word: &str) -> bool {
    OTHER.contains(word) || WORK.contains(word)
}

/// `fix`, `rename`: an order for work at hand.
pub(super) fn is_work(word: &str) -> bool {
    WORK.contains(word)
}

/// `fixed`, `renamed`, `wrote`: work that was done.
pub(super) fn is_work_done(word: &str) -> bool {
    let Some(stem) = word.strip_suffix("ed") else {
        return [
            "wrote", "written", "ran", "built", "rebuilt", "rewrote", "did", "made",
        ]
        .contains(&word);
    };
    let doubled = stem.len().checked_sub(1).and_then(|end| stem.get(..end));
    is_work(stem)
        || is_work(&format!("{stem}e"))
        || doubled.is_some_and(is_work)
        || doubled.is_some_and(|stem| is_work(&format!("{stem}y")))
}

/// `uses`, `stores`; of a verb that is known.
pub(super) fn is_third_person(word: &str) -> bool {
    let Some(stem) = word.strip_suffix('s') else {
        return false;
    };
    is_base(stem)
        || stem.strip_suffix('e').is_some_and(is_base)
        || stem
            .strip_suffix("ie")
            .is_some_and(|stem| is_base(&format!("{stem}y")))
}

/// `tests`, `builds`: a verb or a plural.
pub(super) fn is_noun_too(word: &str) -> bool {
    NOUNS.contains(word)
}

/// `took`, `wrote`, `fixed`: a past form; one in `-ed` may be a participle.
pub(super) fn is_past(word: &str) -> bool {
    let regular =
        word.len() > 4 && (word.ends_with("ed") || word.ends_with("’d")) && !word.ends_with("-based");
    (regular && !NOT_PAST.contains(word)) || IRREGULAR_PAST.contains(word)
}

/// `used`, `written`.
pub(super) fn is_participle(word: &str) -> bool {
    IRREGULAR_PARTICIPLES.contains(word) || (word.len() > 4 && word.ends_with("ed"))
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
