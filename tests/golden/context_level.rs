//! `context_level.jsonl`: the level of a conversation's context, its trend, and when it is worth a word.

use mdmem::policy::{Level, LevelRules};
use mdmem::session::{ContextMeter, TokenLimits, TokenUsage};
use serde_json::{Map, Value, json};

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let percent = |at: usize| u32::try_from(case["levels"][at].as_u64().unwrap()).unwrap();
    let rules = LevelRules {
        percent: [percent(0), percent(1), percent(2)],
        advise: Level::parse(case["advise"].as_str().ok_or("a case has a level of advice")?),
    };
    let mut meter = ContextMeter::default();
    let events = case["events"].as_array().ok_or("a case has events")?;
    let own = events.iter().map(|event| {
        let advice = happened(&mut meter, event, &rules);
        let mut own = Map::new();
        own.insert("advice".into(), json!(advice.map(Level::as_str)));
        if let Some(figures) = meter.figures(&rules) {
            own.insert("used".into(), json!(figures.used));
            own.insert("usable".into(), json!(figures.usable));
            own.insert("level".into(), json!(figures.level.as_str()));
            let trend = figures.per_turn.zip(figures.turns_left);
            if let Some((per_turn, left)) = trend {
                own.insert("perTurn".into(), json!(per_turn));
                own.insert("turnsLeft".into(), json!(left));
            }
        }
        Value::Object(own)
    });
    let own: Vec<Value> = own.collect();
    let wanted = case["expect"].as_array().ok_or("a case has expectations")?;
    let differs = own.iter().zip(wanted).position(|(own, wanted)| own != wanted);
    match differs {
        None => Ok(()),
        Some(at) => Err(format!(
            "{} at {at}: {}, not {}",
            case["name"], own[at], wanted[at]
        )),
    }
}

fn happened(meter: &mut ContextMeter, event: &Value, rules: &LevelRules) -> Option<Level> {
    if event.get("turn").is_some() {
        meter.begin_turn();
    } else if event.get("compacted").is_some() {
        meter.compacted();
    } else {
        let (usage, limit) = (&event["usage"], &event["limit"]);
        let figure = |name: &str| usage[name].as_i64().unwrap_or(0);
        let usage = TokenUsage {
            total: usage["total"].as_i64(),
            input: figure("input"),
            output: figure("output"),
            cache_read: figure("cacheRead"),
            cache_write: figure("cacheWrite"),
        };
        let limits = TokenLimits {
            context: limit["context"].as_u64().unwrap_or(0),
            input: limit["input"].as_u64(),
            output: limit["output"].as_u64().unwrap_or(0),
            reserved: limit["reserved"].as_u64(),
            compacts: limit["compacts"].as_bool().unwrap_or(true),
        };
        return meter.answered(event["model"].as_str().unwrap_or(""), &usage, limits, rules);
    }
    None
}
