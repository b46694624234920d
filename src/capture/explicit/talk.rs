//! Lines that look like a correction and are talk: questions, conditions and clauses about something else. A wrong
//! memory out of force costs more than ten that stay, so that in doubt a line is talk.

use std::sync::LazyLock;

use regex::Regex;

use super::language::{compile, one_of};

/// Words that begin a question or a condition in English, also without a question mark.
const ASKING: &str = r"(?:why|what|which|how|where|who|whose|when|whether|if|unless|is|are|was|were|does|did|has|had|can|could|would|should|will|shall|might|(?:is|are|was|were|does|did|has|had|do|have|can|could|would|should|wo)n'?t (?:we|you|i|it|they|he|she|this|that|there|the|our)|(?:do|have) (?:we|you|i|they|the|our|people)|(?:i )?wonder(?:ing)?)\b";

static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    compile(&one_of(&[
        // English
        format!(
            r"^(?:[a-z' ]{{1,12}}[,.:!] ?|(?:so|and|but|ok|okay|actually|wait|hey|no|also|then) )*{ASKING}"
        )
        .as_str(),
        format!(r"[,;] (?:so |and |but )?{ASKING}").as_str(),
        r"[,;] (?:right|correct|yes|no|huh|eh|true|ok|okay)[.! ]*$",
        // Chinese
        r"[吗嗎哪谁誰啥]|什么|什麼|怎么|怎麼|怎样|怎樣|为何|為何|多少|是否|是不是|有没有|有沒有|能不能|要不要|可不可以|几[时点]|(?:[呢么麼]|了吧|没有|沒有)[。! ]*$",
        r"如果|假如|要是|万一|萬一|的(?:话|話|时候|時候|时|時|情况|情況|原因|理由|后果|後果)(?:$|[^一-鿿]|[,;。]|[会會])",
        // Japanese
        r"なぜ|何故|なんで|かどうか|どう(?:[^ぞかもし]|し[^て]|して[^も]|して$|$)|何(?:が|を|で|の|時|故|です|だ|か|$)|なに[がを]|いつ(?:[^も]|$)|どこ|どれ|どの|どんな|誰|だれ|いくつ",
        r"(?:か(?:な|ね|い)?|の|のか|っけ|だろう?|でしょう?)[。! ]*$|場合|もし|(?:ない|なく|た|る)(?:のは|のが|のに|ので|なら|時|とき|けど|と、|から、)|(?:たら|れば|ければ)、?",
        // Korean
        r"왜|어떻게|언제(?:[^나]|$)|어디|무엇|뭐|뭘|누가|누구|어느|어떤|무슨|몇",
        r"(?:[^니]까|[^라이]니까|[나냐니지죠]|[는은을]가|[는은]지|던가|려나|면|때|경우|는데|지만|어서|아서|해서|려고|다던데)요?[.! ]*$|(?:[^지]만약|(?:으|하|쓰|되|돼|다|라)면) ",
    ]))
});

/// A noun that a clause describes ("用中文写的那个提交").
static DESCRIBES: LazyLock<Regex> = LazyLock::new(|| compile("的(?:那|这|這)(?:一)?[个個次条條份些段种種]"));

/// True for a folded line that asks something or only supposes it.
pub(super) fn asks(text: &str) -> bool {
    text.contains('?') || ASKS.is_match(text)
}

/// True for a folded line that describes a thing by a clause.
pub(super) fn describes(text: &str) -> bool {
    DESCRIBES.is_match(text)
}
