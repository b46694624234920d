//! `deployment_snapshot`: what runs where, in which version, just now.

use super::english::Mood;
use super::general;
use super::passage::Passage;
use super::table::Table;
use crate::capture::Rejection;

static TOLD: Table = Table::new(&[
    r"\bwent live\b|\b(?:is|are|has gone|have gone|goes) live (?:on|in|at|since|now|with|as of)\b|\b(?:is|are) (?:now )?live$",
    r"\b(?:was|were|has been|have been|got|is now|are now|just|been) (?:\w+ )?(?:deployed|rolled out|shipped|published|promoted|rolled back|pushed to (?:prod|production|staging)|released)\b",
    r"\b%environment% (?:is |are |has been |was |now |currently |still |already )*(?:running|runs|on|at|serves|serving|uses|using|has|got|received) (?:the |still |now )*%version%",
    r"\b%version% (?:is|are|runs?|was|has been|went|sits|stays|landed|lives|on) (?:now |currently |already |still |running |only |live |deployed |out )*(?:on|in|to|at)? ?(?:the )?%environment%\b",
    r"\b%version%.{0,30}\b(?:is|are) (?:now |still |currently )?in review\b|\b(?:reached|hit|arrived (?:in|on)|landed (?:in|on)) (?:the )?%environment%\b",
    r"\b(?:rollout|deploy|deployment|release|rollback) (?:to \w+ |of [\w.]+ |v?[\d.]+ )?(?:is|was|has) (?:\w+ )?(?:done|complete[d]?|finished|under way|underway|in progress|started|running|at \d+|paused|halted)\b",
    r"\brolled out to \d+ ?(?:%|percent)|\bat \d+ ?(?:%|percent) (?:rollout|of (?:traffic|users))",
    r"(?:版本|\bv?\d+\.\d+(?:\.\d+)?).{0,20}(?:已经|已|刚刚|刚|今天|昨天|上午|下午|今早).{0,8}(?:上线|上線|部署|发布|發布|发版|推到)|(?:已经|已|刚刚|刚)(?:上线|上線|部署|发布|發布)(?:到|至|了|$|[，。])",
    r"(?:生产|生產|线上|線上|预发|預發|测试|測試)(?:环境|環境)?(?:上)?(?:目前|现在|現在|当前)?(?:正在)?(?:运行|運行|跑)(?:的是|着|著)?.{0,8}v?\d",
    r"(?:本番|ステージング|検証|プロダクション)(?:環境)?(?:に|へ|で).{0,20}(?:デプロイ|リリース|公開|反映|展開)(?:しました|した|済み|されました|された|しています)",
    r"(?:バージョン ?v?\d|v?\d+\.\d+).{0,24}(?:稼働|公開|リリース|デプロイ|で動|が動|で運用)(?:しました|いて|い|した|している|しています|中|されました|済み)",
    r"(?:운영|프로덕션|스테이징|상용|실서버|본서버).{0,24}(?:배포|반영|출시|릴리스)(?:했|됐|되었|완료|하였|됨|를 마)",
    r"(?:버전|v?\d+\.\d+).{0,20}(?:배포|출시|릴리스)(?:했|됐|되었|완료|하였|됨)|(?:버전|v?\d+\.\d+).{0,12}(?:돌고|실행되고|실행 중|구동 중)",
    r"\b(?:wurde|wurden) .{0,40}\b(?:ausgerollt|deployt|veröffentlicht|ausgeliefert)\b|\b(?:a|ont) été (?:déployée?s?|mise?s? en production|publiée?s?)\b|\b(?:se desplegó|fue desplegad[oa]|ha sido desplegad[oa])\b",
]);

/// Verbs of bringing something out: where a clause begins with one in the past, it tells of a deployment.
const BROUGHT_OUT: &[&str] = &[
    "deployed",
    "released",
    "shipped",
    "rolled",
    "published",
    "promoted",
    "launched",
];

/// What is said of a year is history.
static HISTORY: Table = Table::new(&[
    r"\b(?:in|since|until|as of) (?:(?:early|late|spring|summer|autumn|fall|winter|q\d|\w+) )?(?:19|20)\d\d\b",
]);

/// Whether a text tells of a deployment.
pub(super) fn reason(passage: &Passage<'_>) -> Option<Rejection> {
    let told = passage.says_of_one_case(&TOLD) && !passage.says(&HISTORY);
    let began = passage.readings().any(|reading| {
        reading.mood == Mood::Past
            && reading.verb_at == 0
            && BROUGHT_OUT.contains(&reading.verb())
            && !general::is(reading.clause)
    });
    (told || began).then_some(Rejection::DeploymentSnapshot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> bool {
        reason(&Passage::new(text)).is_some()
    }

    #[test]
    fn deployments_are_found() {
        for text in [
            "Version 4.2.0 went live on production at 14:30.",
            "Staging has been running release candidate 3 since this morning.",
            "Build 918 was deployed to the beta track this morning.",
            "v2.14.1 is on staging",
            "Production runs v2.3.1 at the moment",
            "Deployed the new importer to the demo cluster",
            "The rollout of 3.2 is at 25 percent",
            "新版本 3.2.1 昨天下午已经上线。",
            "生产环境目前运行的是 v2.3.1。",
            "本番環境にバージョン2.1をデプロイしました。",
            "운영 서버에 2.4.0 버전을 배포했다.",
        ] {
            assert!(found(text), "{text}");
        }
    }

    #[test]
    fn statements_about_them_are_none() {
        for text in [
            "A deployment to production needs the approval of two people.",
            "Workers are deployed per region and never read another region's queue.",
            "Production runs on three ARM machines in Frankfurt.",
            "Released versions are immutable.",
            "Every release is deployed to staging before it goes to production.",
            "The first version was released in 2019 under the MIT licence.",
            "发布前必须先在预发环境验证。",
            "本番環境へのデプロイは二人の承認が必要。",
        ] {
            assert!(!found(text), "{text}");
        }
    }
}
