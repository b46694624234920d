// A language model that says what it is told to: the OpenAI-compatible endpoint that OpenCode talks to in the tests.
// It keeps every request, so that a test can ask what the model was shown.
import http from "node:http"

/** What kind of request a body is: OpenCode uses one endpoint for four purposes. */
function kindOf(system, headers) {
  if (system[0]?.startsWith("You are a title generator")) return "title"
  if (system[0]?.startsWith("You are a context summarization agent")) return "compaction"
  return headers["x-parent-session-id"] ? "subagent" : "main"
}

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join(""))

/** One reply as the chunks of a stream. `reply` is a text, or `{ tool, args }` for a tool call. */
function chunks(reply, id) {
  const chunk = (choices, more) => ({ id: `reply-${id}`, object: "chat.completion.chunk", created: 0, model: "scripted", choices, ...more })
  const delta = (delta, finish_reason = null) => chunk([{ index: 0, delta, finish_reason }])
  const body =
    typeof reply === "string"
      ? { content: reply }
      : { tool_calls: [{ index: 0, id: `call-${id}`, type: "function", function: { name: reply.tool, arguments: JSON.stringify(reply.args) } }] }
  const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 }
  return [
    delta({ role: "assistant", content: "" }),
    delta(body),
    delta({}, typeof reply === "string" ? "stop" : "tool_calls"),
    chunk([], { usage }),
  ]
}

/** Starts the model on a free port of the loopback interface. */
export async function startModel() {
  const requests = []
  /** Replies to the requests of the main conversation, in order; "done" when there is none left. */
  const script = []

  const complete = (request, response, raw) => {
    const { messages } = JSON.parse(raw)
    const system = messages.filter(({ role }) => role === "system").map(({ content }) => textOf(content))
    const kind = kindOf(system, request.headers)
    requests.push({ kind, session: request.headers["x-session-id"] ?? null, system })
    const reply = (kind === "main" ? script.shift() : undefined) ?? "done"
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const part of chunks(reply, requests.length)) response.write(`data: ${JSON.stringify(part)}\n\n`)
    response.end("data: [DONE]\n\n")
  }

  const server = http.createServer((request, response) => {
    let raw = ""
    request.setEncoding("utf8").on("data", (part) => (raw += part))
    request.on("end", () => {
      try {
        complete(request, response, raw)
      } catch (error) {
        response.writeHead(500).end(String(error))
      }
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, script }
}
