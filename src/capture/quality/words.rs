//! The vocabulary: classes of words, which are found by the word, and phrases, which are found in a text.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;

use crate::text::is_cjk;

/// The classes of words. `work` are the verbs of work at hand.
const CLASSES: &str = "\
modal verb: must mustn't should shouldn't shall need needs required requires mandatory forbidden muss müssen soll
    sollen sollte darf dürfen doit doivent debe deben deve devem должен должны нужно нельзя
now: now still yet already just temporarily previously newly ongoing upcoming later soon eventually noch bereits jetzt
    schon encore ahora actual todavía ya ainda agora já пока уже ещё временно
stage: done finished complete completed fixed merged implemented tested verified resolved passing passed failing
    failed working works ready blocked waiting pending broken green red stable functional operational closed open
    missing remaining paused active started progress place uncommitted unpushed pushed untested partial partially
    unavailable unreachable offline slow cold stuck degraded dirty stale out indisponible fertig erledigt grün rot
    offen abgeschlossen terminé fini fait vert verts hecho terminado listo completo completado pendiente pronto feito
    concluída concluídas aprovados готово готова завершён завершено активна обновлен met gone down disabled queued
    skipped succeeded happy
deployment: deployed released rolled shipped live production prod staging testflight store demo canary
pipeline: ci pipeline build builds workflow actions jenkins job lint typecheck checks
plan: next todo to-do plan planned plans planning scheduled will future roadmap phase sprint milestone step backlog
    followup follow-up consider considering investigate potential possibly maybe improvements improvement enhance
    enhanced enhancement priority nächste schritt prochaine étape próximo próximos paso siguiente планируется
    следующий
trouble: fails fail failing crash crashes hangs hang breaks break broken flaky wrong silently error errors leak race
    loses throws
can: can may can't cannot could might kann peut puede pode может
is: is are isn't aren't be ist sind est sont es son é são está están estão
was: was were wasn't weren't did didn't had been wurde wurden war waren été fue fueron foi был была были было
determiner: the a an this that these those every each any no both our my your its his her their all some der die das
    le la les el
have: has have hasn't haven't hat haben ont avons ha han hemos
work: add adjust analyze apply automate backfill benchmark build change check clean clear clone close commit compare
    complete configure confirm connect consider continue convert copy correct cover create debug delete deploy develop
    document draft edit enable enhance establish evaluate expand explore extend extract finalize finish fix identify
    implement improve inspect install integrate introduce investigate look merge migrate monitor move optimize patch
    plan port prepare profile prove pull push rebase rebuild reduce refactor refine release remove rename repair
    replace reproduce research resolve restore restructure revert review rework rewrite save scaffold set setup show
    simplify split stub submit switch sync tag trace update upgrade upload verify wait wire wrap write
other verb: accept access act address adopt align allow answer append approve ask associate attach authenticate
    auto-version avoid back base batch be become belong block branch break bring build bump bundle cache calculate
    call carry change charge check choose collect come commit communicate compile compute consist contact contain copy
    cost count crash cross default defer define delay deny depend derive describe design detect determine differ
    disable disallow discover dislike display distinguish document double-check drop duplicate edit emit encode
    encrypt end enforce ensure exclude exist exit expect expire explain export expose fail favor fetch filter find
    fire fix flag flow follow force format forward generate get give go group guard handle hang happen hash hit hold
    hook host ignore import impose include index inherit inject insert insist install invalidate invoke issue join
    keep kick know label lead leak leave let like limit link lint list listen live load lock log lose maintain make
    manage map mark mask match mean mention model mount name need normalize note number offer open order overlap
    override overwrite own pack page parse pass patch persist pick place plan point poll port post prefer prefix
    present preserve prevent print process produce profile prompt propagate propose protect provide publish pull purge
    push put query queue quote read receive record redirect refer reference reflect refuse regenerate register reject
    release rely remain render repeat report represent request require reset resize respond restart resume retain
    retry return reuse review revoke route run scale scan schedule search secure see seed select send separate
    serialise serialize serve shard share ship sign skip sort spawn speak split stage start state stay stick stop
    store stream structure style supply support survive sync tag take talk target terminate test throw timeout trace
    track transfer transform treat trigger trim understand update upgrade upload use validate value visit want watch
    work
keyword: fn def async await public private protected export const let var func fun class interface struct impl type
    enum import void static resource function trait int string bool extends override mod namespace extern val internal
statement: select insert update delete return if for use package module final get post put patch
prose: the is are must should when each every never always and with after before their use a
of a commit: commit commits head main rebase landed merged pushed rebased cherry-picked hash merge as fixed
before an order: a always please first then and also now just immediately silently quietly simply kindly must should
    shall have need to remember make sure be do you will it is required important that before after each every immer
    bitte zuerst dann und toujours d'abord puis et veuillez siempre primero luego y por favor - * > note: important:
    rule:
";

/// The classes of each word.
static WORDS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut words: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut class = "";
    for line in CLASSES.lines() {
        let (name, list) = line.split_once(':').unwrap_or((class, line));
        class = name;
        for word in list.split_whitespace() {
            words.entry(word).or_default().push(class);
        }
    }
    words
});

/// The classes of a word in lower case.
pub(super) fn classes(word: &str) -> &'static [&'static str] {
    WORDS.get(word).map_or(&[], Vec::as_slice)
}

/// True when a word is of a class.
pub(super) fn is(word: &str, class: &str) -> bool {
    classes(word).contains(&class)
}

/// Phrases with commas or line breaks between them, which are found as whole words. A `*` leaves a phrase's end open,
/// `^` stands for the beginning of a text. Languages without spaces have no whole words: there any place counts.
pub(super) struct Phrases {
    list: &'static str,
    finder: OnceLock<(AhoCorasick, Vec<&'static str>)>,
}

impl Phrases {
    pub(super) const fn new(list: &'static str) -> Self {
        Self {
            list,
            finder: OnceLock::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// True when a phrase stands in the text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.places(text).next().is_some()
    }

    /// Gives the beginning and the end of each phrase in the text.
    pub(super) fn places(&self, text: &str) -> impl Iterator<Item = (usize, usize)> {
        let (finder, phrases) = self.finder.get_or_init(|| {
            let bare = |phrase: &'static str| phrase.trim_start_matches('^').trim_end_matches('*');
            let finder = AhoCorasick::new(self.all().map(bare));
            (
                finder.expect("because the phrases are constants"),
                self.all().collect(),
            )
        });
        finder.find_overlapping_iter(text).filter_map(move |found| {
            let (begin, end) = (found.start(), found.end());
            let phrase = phrases[found.pattern().as_usize()];
            let parts =
                |before: &str, after: &str| !(before.ends_with(is_part) && after.starts_with(is_part));
            let begins = if phrase.starts_with('^') {
                begin == 0
            } else {
                parts(&text[..begin], &text[begin..])
            };
            let ends = phrase.ends_with('*') || parts(&text[..end], &text[end..]);
            (begins && ends).then_some((begin, end))
        })
    }

    /// True when a text ends in a phrase.
    pub(super) fn end(&self, text: &str) -> bool {
        self.all().any(|phrase| text.ends_with(phrase))
    }

    /// True when a text begins with a phrase.
    pub(super) fn begin(&self, text: &str) -> bool {
        self.all().any(|phrase| text.starts_with(phrase))
    }

    fn all(&self) -> impl Iterator<Item = &'static str> + use<> {
        let phrases = self.list.split([',', '\n']).map(str::trim);
        phrases.filter(|phrase| !phrase.is_empty())
    }
}

/// True when a character is part of a word that has ends.
fn is_part(c: char) -> bool {
    (c.is_alphanumeric() && !is_cjk(c)) || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words() {
        let phrases = Phrases::new("rule, polic*, ^system:, 规则");
        for text in ["the rule.", "policies", "system: x", "看规则吧"] {
            assert!(phrases.is_in(text), "{text}");
        }
        for text in ["rules", "my policy's", "a system: x"] {
            assert_eq!(phrases.is_in(text), text.contains("polic"), "{text}");
        }
        assert!(
            !Phrases::new("").is_in("x")
                && Phrases::new("る, た").end("する")
                && !Phrases::new("た").begin("する")
        );
    }

    #[test]
    fn a_word_may_be_of_several_classes() {
        assert!(is("must", "modal verb") && is("must", "prose") && !is("xyz", "prose"));
    }
}
