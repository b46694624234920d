// A language model that says what it is told to: the OpenAI-compatible endpoint that OpenCode talks to in the tests.
// It keeps every request, so that a test can ask what the model was shown.
import http from "node:http"

/** What kind of request a body is: OpenCode uses one endpoint for four purposes, and mdmem for a fifth. */
function kindOf(system, headers) {
  if (system[0]?.startsWith("You are a title generator")) return "title"
  if (system[0]?.startsWith("You are a context summarization agent")) return "compaction"
  if (system[0]?.startsWith("You propose what a coding agent's memory")) return "pass"
  return headers["x-parent-session-id"] ? "subagent" : "main"
}

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n"))

/** What a message of the conversation shows; of a tool call, the call. */
const shown = ({ role, content, tool_calls }) => ({
  role,
  text: textOf(content),
  calls: (tool_calls ?? []).map((call) => ({ tool: call.function.name, args: call.function.arguments })),
})

/** A reply with all its parts: what it says, the tools that it calls, the tokens that the request took. */
function whole(reply) {
  if (typeof reply === "string") return { say: reply, tools: [], used: 1_000 }
  const { say, times, tool, args, tools, used } = reply
  return { say: times ? say.repeat(times) : say, tools: tools ?? (tool ? [{ tool, args }] : []), used: used ?? 1_000 }
}

/**
 * What the model says, with what it can only know from the request: `{{snapshot}}` is the id of the memories that are
 * numbered there, `{{number of WORDS}}` the number of the one that has these words.
 */
function filled(say, messages) {
  const asked = messages.map(({ text }) => text).join("\n")
  const known = {
    snapshot: () => /^Memory ref snapshot id: (\w+)$/m.exec(asked)?.[1],
    "number of": (words) => asked.split("\n").find((line) => /^\[M\d+\]/.test(line) && line.includes(words))?.match(/\[(M\d+)\]/)?.[1],
  }
  return say?.replace(/\{\{(snapshot|number of)(?: ([^}]+))?\}\}/g, (_, what, words) => known[what](words) ?? `no ${what} ${words ?? ""}`)
}

/** One reply as the chunks of a stream. */
function chunks(reply, id, messages) {
  const { tools, used, ...rest } = whole(reply)
  const say = filled(rest.say, messages)
  const chunk = (choices, more) => ({ id: `reply-${id}`, object: "chat.completion.chunk", created: 0, model: "scripted", choices, ...more })
  const delta = (delta, finish_reason = null) => chunk([{ index: 0, delta, finish_reason }])
  const calls = tools.map(({ tool, args }, index) => ({
    index,
    id: `call-${id}-${index}`,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(args) },
  }))
  const usage = { prompt_tokens: used, completion_tokens: 10, total_tokens: used + 10 }
  return [
    delta({ role: "assistant", content: "" }),
    ...(say === undefined ? [] : [delta({ content: say })]),
    ...(calls.length === 0 ? [] : [delta({ tool_calls: calls })]),
    delta({}, calls.length === 0 ? "stop" : "tool_calls"),
    chunk([], { usage }),
  ]
}

/** Starts the model on a free port of the loopback interface. */
export async function startModel() {
  const requests = []
  /** Replies to the requests of each kind, in order; "done" when there is none left. */
  const scripts = { main: [], subagent: [], compaction: [] }

  /** Replies to the questions of mdmem's own, which come when no turn is under way. */
  const passes = []

  const complete = async (request, response, raw) => {
    const { messages, tools = [] } = JSON.parse(raw)
    const system = messages.filter(({ role }) => role === "system").map(({ content }) => textOf(content))
    const kind = kindOf(system, request.headers)
    const conversation = messages.filter(({ role }) => role !== "system").map(shown)
    requests.push({
      kind,
      at: Date.now(),
      session: request.headers["x-session-id"] ?? null,
      system,
      messages: conversation,
      tools: tools.map((tool) => tool.function),
    })
    const reply = (kind === "pass" ? passes : scripts[kind])?.shift() ?? "done"
    if (reply.after) await new Promise((resolve) => setTimeout(resolve, reply.after))
    if (reply.fails) return void response.writeHead(reply.fails).end(JSON.stringify({ error: { message: "the model is out" } }))
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const part of chunks(reply, requests.length, conversation)) response.write(`data: ${JSON.stringify(part)}\n\n`)
    response.end("data: [DONE]\n\n")
  }

  const server = http.createServer((request, response) => {
    let raw = ""
    request.setEncoding("utf8").on("data", (part) => (raw += part))
    request.on("end", () => {
      complete(request, response, raw).catch((error) => response.writeHead(500).end(String(error)))
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, scripts, passes }
}
