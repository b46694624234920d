//! The hooks of agents: a process for each event, the event as JSON on standard input, the answer in the host's form.
//!
//! `input` reads the event, `tool_use` has the hosts' names of tools, `transcript` the form of the file in which Claude
//! Code keeps a conversation. The facts about the hosts, with their sources, are in `tests/claude_code/README.md` and
//! `tests/agents/README.md`.

mod input;
mod tool_use;
mod transcript;

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use input::{Input, TooLong};
use serde_json::json;

use crate::host::hook_event::{HookEvent, HookHost};
use crate::host::told::{told, unheard};
use crate::service::{
    Background, ClaudeCode, Context, Conversations, EngineLog, MOST_OF_A_HOOK, PromptServer, PromptTiming,
    ServedPrompt, ServiceError, SessionBeginning, SessionRequest, has_request, learn_on_close,
};
use crate::sys::Deadline;

/// The most that stands before a memory that was rendered anew, and between that and what was heard.
const RENEWED: usize = 300;
/// The time that an event may wait for others. At the end of a session the host waits for 1.5 s in all.
const TIME: Duration = Duration::from_millis(800);
/// The part of it that the end of a session waits for a summary. The host writes its transcript every 100 ms.
const SUMMARY_TIME: Duration = Duration::from_millis(600);

/// Answers the event on standard input; `None` where there is nothing to say. Trouble goes to the log alone, unless it
/// costs a request.
pub(crate) fn answer_stdin(
    context: &Context,
    log: &EngineLog,
    host: HookHost,
    event: HookEvent,
) -> Option<String> {
    let name = host.name();
    let warn = |error: &dyn Display| tracing::warn!("the hook {event:?} of {name} failed: {error}");
    let told = match Input::read(std::io::stdin()) {
        Ok(input) => Told { host, event, input },
        Err(error) => {
            warn(&error);
            let heard = json!({ "systemMessage": format!("mdmem did not read this message: {error}") });
            let is_lost = event == HookEvent::UserPromptSubmit && error.is::<TooLong>();
            return is_lost.then(|| heard.to_string());
        }
    };
    hear(context, log, &told).unwrap_or_else(|error| {
        warn(&error);
        unheard_request(&told, &error)
    })
}

/// The answer to a message that nobody could hear, where it has a request: without the store's place, as where the
/// registry cannot be read, nothing knows where the request would have to wait.
fn unheard_request(told: &Told, error: &ServiceError) -> Option<String> {
    if told.event != HookEvent::UserPromptSubmit {
        return None;
    }
    let typed = told.typed()?;
    let words = has_request(typed).then(|| unheard(error))?;
    let shown = words.toast.as_ref().map(|toast| toast.message.as_str());
    Some(added(told.host, "UserPromptSubmit", &words.text, shown))
}

/// An event of a host.
struct Told {
    host: HookHost,
    event: HookEvent,
    input: Input,
}

impl Told {
    /// The words of the user in a message. Gemini CLI puts what a session's start gave before the first one.
    fn typed(&self) -> Option<&str> {
        let prompt = self.input.text("prompt")?;
        let given = prompt.strip_prefix("<hook_context>");
        let given = given.filter(|_| self.host == HookHost::Gemini);
        let prompt = match given.and_then(|given| given.split_once("</hook_context>")) {
            Some((_, prompt)) => prompt.trim_start(),
            None => prompt,
        };
        ClaudeCode::typed(prompt)
    }
}

/// Hears an event, in the workspace of the project that the host was started in. What a sub-agent does is no event of the
/// conversation.
fn hear(context: &Context, log: &EngineLog, told: &Told) -> Result<Option<String>, ServiceError> {
    let input = &told.input;
    let (Some(session), None) = (input.text("session_id"), input.text("agent_id")) else {
        return Ok(None);
    };
    let env = context.env.clone();
    let project = told.host.project_variable().and_then(|name| env.var(name));
    let project = project.filter(|folder| !folder.is_empty());
    let env = match project.as_deref().or(input.text("cwd")) {
        Some(folder) => env.in_folder(Path::new(folder)),
        None => env,
    };
    let context = Context::real(env, context.scope, context.flags.clone())?.of_session()?;
    log.follow(&context);
    let mut background = Background::of_one_event();
    let prompts = PromptServer::open(context.clone(), &mut background)?;
    let mut conversations =
        Conversations::open(context.clone(), told.host.name(), &prompts, &mut background)?;
    conversations.give_prompts(PromptTiming::AtSessionStart);
    conversations.answer_by(Deadline::after(TIME));
    let mut hook = Hook {
        context: &context,
        told,
        input,
        session,
        now: context.clock.now().to_rfc3339(),
        prompts,
        conversations,
    };
    let answered = hook.answer(told.event);
    hook.conversations.close();
    answered
}

/// One event of a session.
struct Hook<'a> {
    context: &'a Context,
    told: &'a Told,
    input: &'a Input,
    session: &'a str,
    /// The time of the event.
    now: String,
    prompts: PromptServer,
    conversations: Conversations,
}

impl<'a> Hook<'a> {
    fn answer(&mut self, event: HookEvent) -> Result<Option<String>, ServiceError> {
        match event {
            HookEvent::SessionStart => self.session_start(),
            HookEvent::UserPromptSubmit => Ok(self.user_prompt()),
            HookEvent::PostToolUse => {
                let mut note = None;
                if let Some(report) = tool_use::report(self.input) {
                    self.conversations.tool(self.session, &report)?;
                    note = self.conversations.note_for(self.session, &report);
                }
                let seen = tool_use::seen(self.input);
                Ok(match note {
                    Some(note) => Some(added(self.told.host, "PostToolUse", &note, seen.as_deref())),
                    None => seen.map(|seen| json!({ "systemMessage": seen }).to_string()),
                })
            }
            // Other hosts do not add a text to the instructions of the summary, and some take none as an answer.
            HookEvent::PreCompact if self.told.host != HookHost::ClaudeCode => Ok(None),
            HookEvent::PreCompact => {
                self.read_transcript();
                let todos = self.transcript().map(transcript::todos);
                let todos = todos.unwrap_or_default();
                // The host adds this to the instructions of the summary.
                let (_, words) = self.conversations.compacting(self.session, &todos, &[])?;
                Ok(Some(words))
            }
            HookEvent::SessionEnd => {
                self.read_last_summary();
                self.conversations.ended(self.session);
                if let Some(file) = self.transcript() {
                    learn_on_close(self.context, file, self.session)?;
                }
                Ok(None)
            }
        }
    }

    fn session_start(&mut self) -> Result<Option<String>, ServiceError> {
        // A session that was killed may have left pending writes.
        if let Err(error) = self.conversations.keep_house() {
            tracing::warn!(%error, "the files of earlier sessions are not cleaned up");
        }
        self.read_transcript();
        let beginning = match self.input.text("source") {
            Some("compact") => SessionBeginning::Compacted,
            Some("clear") => SessionBeginning::Cleared,
            _ => SessionBeginning::NewOrResumed,
        };
        let source = self.input.text("source").unwrap_or("startup");
        // Claude Code itself runs equal commands once, and Copilot CLI runs its hooks beside ours without an ear for
        // their answer.
        if self.told.host != HookHost::ClaudeCode && !self.conversations.is_first_for(self.session, source) {
            return Ok(None);
        }
        self.conversations.begun(self.session, beginning);
        if self.told.host == HookHost::Qwen {
            // It drops what a session's start gives: the first message brings the memory.
            return Ok(None);
        }
        let mut request = self.request();
        if self.input.text("source") != Some("resume") {
            request.most = Some(MOST_OF_A_HOOK);
        }
        let served = self.prompts.serve(&request, 0)?;
        let goes_on = self.input.text("source") == Some("resume") && served.reason != "first";
        let text = match &served.epoch {
            Some(_) if goes_on => self.given_anew(&served),
            // Claude Code leaves out a text that the conversation has; others would show it twice.
            None if goes_on && self.told.host != HookHost::ClaudeCode => String::new(),
            _ => self.given(&served),
        };
        Ok((!text.is_empty()).then(|| added(self.told.host, "SessionStart", text.trim_end(), None)))
    }

    fn user_prompt(&mut self) -> Option<String> {
        let typed = self.told.typed()?;
        self.read_transcript();
        let id = self.message_id(typed);
        let heard = self.conversations.message(self.session, &id, typed);
        let told = told(&heard);
        let mut parts = Vec::new();
        let words = told
            .as_ref()
            .map(|told| within(&told.text, MOST_OF_A_HOOK / 2))
            .unwrap_or_default();
        let mut request = self.request();
        request.most = request.most.map(|most| most - words.encode_utf16().count());
        match self.prompts.serve_if_asked(&request, 0) {
            Ok(None) => {}
            // The host said nothing of the session's start.
            Ok(Some(served)) if served.reason == "first" => {
                self.conversations
                    .begun(self.session, SessionBeginning::NewOrResumed);
                parts.push(self.given(&served));
            }
            Ok(Some(served)) => parts.push(self.given_anew(&served)),
            // The message is heard, and its answer does not depend on this.
            Err(error) => tracing::warn!(%error, "the memory could not be rendered"),
        }
        let shown = told.as_ref().and_then(|told| told.toast.as_ref());
        let shown = shown.map(|toast| toast.message.as_str());
        parts.extend((!words.is_empty()).then_some(words));
        let text = parts.join("\n\n");
        (!text.is_empty() || shown.is_some())
            .then(|| added(self.told.host, "UserPromptSubmit", text.trim_end(), shown))
    }

    fn request(&self) -> SessionRequest {
        SessionRequest {
            session: self.session.to_owned(),
            most: Some(MOST_OF_A_HOOK - RENEWED),
            ..SessionRequest::default()
        }
    }

    /// The text of a prompt that the session is given, after what it shows is recorded.
    fn given(&mut self, served: &ServedPrompt) -> String {
        if let Some(epoch) = &served.epoch {
            self.conversations
                .epoch_begun(self.session, epoch, &served.reason);
        }
        served.system.join("\n\n")
    }

    /// The same where an earlier text stands in the conversation. The time makes it another text than each earlier one:
    /// the host leaves out what it was given before, even where something else has been given since.
    fn given_anew(&mut self, served: &ServedPrompt) -> String {
        let memory = self.given(served);
        format!(
            "mdmem: the memory was rendered again at {}. It replaces the memory earlier in this \
             conversation; where the two differ, use this one.\n\n{memory}",
            self.now
        )
    }

    /// Learns from the summaries that the host has written since the last event. A transcript that cannot be read costs
    /// what it teaches, and nothing else.
    fn read_transcript(&mut self) {
        let Some(file) = self.transcript() else { return };
        if let Err(error) = self
            .conversations
            .transcript(self.session, file, transcript::summary)
        {
            tracing::warn!(%error, "the transcript could not be read");
        }
    }

    /// Reads the transcript until it has the summary that the session was told how to write: who compacts and leaves at
    /// once is ahead of the host's writing. A compaction that was broken off has no summary, and costs this time.
    fn read_last_summary(&mut self) {
        let deadline = Deadline::after(SUMMARY_TIME);
        self.read_transcript();
        let has_transcript = self.transcript().is_some();
        while has_transcript && self.conversations.awaits_summary(self.session) && !deadline.is_over() {
            std::thread::sleep(Duration::from_millis(10));
            self.read_transcript();
        }
    }

    /// The file in which Claude Code keeps the conversation. Other hosts name one too, of another form.
    fn transcript(&self) -> Option<&'a Path> {
        let is_read = self.told.host == HookHost::ClaudeCode;
        self.input.path("transcript_path").filter(|_| is_read)
    }

    /// The id of a message, so that a hook that runs twice for it hears it once. Where the host gives none, the length
    /// of the transcript tells the same words at another time from the same event, or the time of the event does.
    fn message_id(&self, typed: &str) -> String {
        let mut ids = ["prompt_id", "turn_id"].into_iter();
        let turn = ids.find_map(|id| self.input.text(id)).map(str::to_owned);
        let turn = turn.unwrap_or_else(|| match self.input.path("transcript_path") {
            Some(file) => transcript::size(file).to_string(),
            None => self.input.value("timestamp").to_string(),
        });
        format!("{turn} {typed}")
    }
}

/// As many whole lines of a text as `most` units of UTF-16 take, and the number of the others.
fn within(text: &str, most: usize) -> String {
    let mut left = most;
    let has_room = |line: &&str| {
        let room = left.checked_sub(line.encode_utf16().count());
        left = room.unwrap_or(0);
        room.is_some()
    };
    let kept = text
        .split_inclusive('\n')
        .take_while(has_room)
        .collect::<String>();
    match text[kept.len()..].lines().count() {
        0 => kept,
        more => format!("{kept}and {more} more lines"),
    }
}

/// The answer that adds a text to what the model reads, and shows the person a line.
fn added(host: HookHost, event: &str, text: &str, shown: Option<&str>) -> String {
    let mut answer = match host {
        // It does not look into what the others want; Codex takes no answer with a key that it does not know.
        HookHost::Copilot => json!({ "additionalContext": text }),
        _ => json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } }),
    };
    if let Some(shown) = shown {
        answer["systemMessage"] = shown.into();
    }
    answer.to_string()
}
