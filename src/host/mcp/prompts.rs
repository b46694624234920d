//! The prompts, which a client shows to the person as commands: each is a request to the model, with the person's words.

use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde::Deserialize;

/// A prompt of `templates/mcp-prompts.json`.
#[derive(Deserialize)]
struct Template {
    #[serde(flatten)]
    prompt: Prompt,
    argument: PromptArgument,
    /// The words before those of the person.
    text: String,
}

fn templates() -> Vec<Template> {
    serde_json::from_str(include_str!("../../../templates/mcp-prompts.json"))
        .expect("because the prompts are part of the program, and a test reads them")
}

/// All prompts, with the argument that each has.
pub(super) fn list() -> Vec<Prompt> {
    let with_argument = |template: Template| {
        let mut prompt = template.prompt;
        prompt.arguments = Some(vec![template.argument]);
        prompt
    };
    templates().into_iter().map(with_argument).collect()
}

/// A prompt with the person's words.
pub(super) fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    let found = templates()
        .into_iter()
        .find(|template| template.prompt.name == name);
    let Some(Template { argument, text, .. }) = found else {
        let name = name.escape_debug();
        return Err(ErrorData::invalid_params(format!("no prompt `{name}`"), None));
    };
    let words = arguments.and_then(|arguments| arguments.get(&argument.name)?.as_str());
    let words = words.unwrap_or_default().trim();
    if words.is_empty() && argument.required == Some(true) {
        let why = format!("`{}` is missing", argument.name);
        return Err(ErrorData::invalid_params(why, None));
    }
    let message = PromptMessage::new_text(Role::User, format!("{text} {words}").trim_end());
    Ok(GetPromptResult::new(vec![message]))
}
