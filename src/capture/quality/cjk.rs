//! The signs of Chinese, Japanese and Korean. These languages put no space between
//! words, or end them in particles; what tells a rule from a report are a few syllables, and how a sentence ends.

use super::passage::Passage;
use super::words::Phrases;
use crate::text::is_cjk;

/// The meaning of a language's syllables.
struct Language {
    /// Days, stages and waiting: they refuse whatever stands beside them.
    dated: Phrases,
    /// Work that was done.
    done: Phrases,
    /// Verbs of work at hand: they begin a Chinese note, and end a Japanese or Korean one.
    work: Phrases,
    /// Rules, limits, conditions, causes and preferences.
    general: Phrases,
    /// Choices, and statements about how things are.
    stated: Phrases,
}

static CHINESE: Language = Language {
    dated: Phrases::new(
        "
        今天, 昨天, 明天, 今早, 上周, 下周, 本周, 刚刚, 目前, 正在, 暂时, 暫時, 等待, 待定, 待办, 下一步, 接下来, 剩余, 剩下,
        尚未, 还没, 没过, 这几天, 最近, 仍然, 仍在, 遗留, 进行中, 不知道, 原因不明, 原因未知, 阻塞, 未做, 先用, 跑完回, 待补, 未修, 当前, 待用户, 本轮, 本次, 暂不
        ",
    ),
    done: Phrases::new("完成了, 修复了, 全部通过, 测试通过, 通过。, 成功, 已完成"),
    work: Phrases::new(
        "
        完成, 新增, 修复, 优化, 继续, 增加, 添加, 实现, 重构, 调整, 更新, 清理, 升级, 补充, 删除, 移除, 给, 剩, 状态, 建立, 修正, 優化, 验证
        ",
    ),
    general: Phrases::new(
        "
        必须, 必須, 必需, 不, 禁止, 一律, 统一, 始终, 总是, 永远, 每, 如果, 若, 因为, 由于, 所以, 因此, 避免, 防止, 以免, 只,
        仅, 默认, 会, 希望, 预设, 預設, 需, 应, 應, 请, 請, 勿, 都, 最多, 至少, 否则, 則, 则, 才, 优先, 刻意, 自动, 自動, 時,
        时, 后, 为主, 规则
        ",
    ),
    stated: Phrases::new(
        "
        是, 在, 由, 使用, 采用, 选用, 用于, 用於, 選擇, 选择, 改为, 决定, 決定, 放弃, 基于, 负责, 位于, 保留, 支持, 有, 走, 按, 通过, 属于, 包含, 包括,
        返回, 依赖, 依賴, 存储, 存放, 看, 为, 執行, 执行, 平台, 作为, 作為, 从, 读取, 独立
        ",
    ),
};

static JAPANESE: Language = Language {
    dated: Phrases::new(
        "
        現在, 今バージョン, いま, 今は, 今日, 昨日, 明日, 今週, 先週, 来週, とりあえず, まだ, 最近, 落ちて, できていない, 次は, 残り, 調査中, 編集中, 作業中,
        途中, 待って, 待ち, 予定, 未測定, 要確認, 保留, 審査中, 不明, 未実施, 未定, 今後の, 再検討, 動作確認が, 延期
        ",
    ),
    done: Phrases::new("ました, でした, 完了, 終わっ, 終わり, 終えた, 済み, 達成, 開始, 成功"),
    work: Phrases::new(
        "
        追加, 修正, 実装, 作成, 削除, 整理, 更新, 改善, 確認, 検討, 対応, 調査, 移行, 強化, 明確化, 統合, 変更, 直す, 導入, 発見
        ",
    ),
    general: Phrases::new(
        "
        必ず, 常に, べき, 禁止, のみ, だけ, 場合, とき, なら, こと, ください, しない, ない, ため, ので, から, 毎, ごと, 前に,
        後に, 以内, まで, たら, いけない, ように, 怠ると, 好む, 好み, 推奨, 厳守, 重要, 自動, 願い, 短く, すべて, 時には
        ",
    ),
    stated: Phrases::new("採用, 決め, 選ん, 選択, 利用, 使用, 使う, 管理, ではなく, 定義, にある, として, による, 正本"),
};

static KOREAN: Language = Language {
    dated: Phrases::new(
        "
        현재, 지금, 아직, 오늘, 어제, 내일, 이번 주, 지난주, 다음 주, 다음 작업, 다음 단계, 대기, 예정, 기다리, 요즘, 최근, 해 보았, 중이다,
        중입니다, 미시작, 미완, 미정, 원인을, 원인 모, 임시로, 나중에, 원인은
        ",
    ),
    done: Phrases::new("완료, 통과, 마쳤, 끝났, 끝냈, 확인은"),
    work: Phrases::new("추가, 수정, 구현, 작성, 삭제, 정리, 확인, 검토, 개선, 생성, 적용"),
    general: Phrases::new(
        "
        필수, 금지, 항상, 반드시, 절대, 지 않, 말 것, 하지 말, 경우, 때, 전에, 뒤에, 최대, 최소, 매일, 매주, 마다, 우선, 유지,
        해야, 위해, 세요, 달라, 줘, 선호, 대신, 에서만, 으로만, 로 응답, 없이, 수 없
        ",
    ),
    stated: Phrases::new("사용, 쓴다, 쓰기로, 결정, 선택, 채택, 에서"),
};

/// The endings of a Japanese or Korean statement about how things are.
const STATEMENT_ENDS: [char; 11] = ['る', 'う', 'す', 'く', 'つ', 'む', 'ぐ', 'い', 'だ', '다', '요'];
/// The endings that make a verb of the name of a work.
const VERB_ENDS: [&str; 5] = ["する", "した", "하기", "한다", "함"];

/// The signs of a Chinese, Japanese or Korean text.
pub(super) fn signs(passage: &Passage<'_>) -> Vec<&'static str> {
    let prose = passage.prose.as_str();
    let language = language(prose);
    let bare = bare(passage.sentences().next().unwrap_or(""));
    // 已 tells what was done, but not in 已取消的订单.
    let done = prose
        .split('已')
        .skip(1)
        .any(|after| !after.chars().take(5).any(|c| c == '的'));
    let signs = [
        (language.dated.is_in(prose), "<cjk dated>"),
        (language.done.is_in(prose) || done, "<cjk done>"),
        (language.general.is_in(prose), "<cjk general>"),
        (language.stated.is_in(prose), "<cjk stated>"),
        (language.work.is_in(prose), "<cjk work inside>"),
        (is_work(language, bare), "<cjk work>"),
        (is_past(passage), "<cjk past>"),
        (bare.ends_with(STATEMENT_ENDS), "<cjk statement>"),
        (prose.chars().filter(|c| is_cjk(*c)).count() < 15, "<cjk short>"),
    ];
    let shown = signs.into_iter().filter(|(shown, _)| *shown);
    shown.map(|(_, sign)| sign).collect()
}

fn language(prose: &str) -> &'static Language {
    if prose.contains(|c| matches!(c, '가'..='힣')) {
        &KOREAN
    } else if prose.contains(|c| matches!(c, 'ぁ'..='ヺ')) {
        &JAPANESE
    } else {
        &CHINESE
    }
}

/// A sentence without the signs and brackets at its end.
fn bare(sentence: &str) -> &str {
    let trimmed = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !"()（）".contains(c));
    let open = trimmed
        .ends_with([')', '）'])
        .then(|| trimmed.rfind(['(', '（']))
        .flatten();
    let text = open.map_or(trimmed, |open| &trimmed[..open]);
    text.trim_end_matches(|c: char| !c.is_alphanumeric())
}

/// True when a note asks for work at hand, or tells of it.
fn is_work(language: &Language, bare: &str) -> bool {
    let ended = VERB_ENDS.iter().find_map(|end| bare.strip_suffix(end));
    language.work.begin(bare) || language.work.end(ended.unwrap_or(bare))
}

/// True when a sentence ends in a past form: 了, た, or a Korean syllable with ㅆ before 다.
fn is_past(passage: &Passage<'_>) -> bool {
    passage.sentences().any(|sentence| {
        let bare = bare(sentence);
        let korean = bare.strip_suffix("습니다").or_else(|| bare.strip_suffix('다'));
        let stem = korean.and_then(|stem| stem.chars().next_back());
        let past =
            |c: char| matches!(c, '가'..='힣') && (u32::from(c) - 0xac00) % 28 == 20 && !"있겠".contains(c);
        bare.ends_with(['了', 'た']) || stem.is_some_and(past)
    })
}
