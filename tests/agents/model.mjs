// A model that says what it is told to, in the forms of OpenAI (both), Anthropic and Gemini. It prints its address, and
// adds each request to the file that its argument names. It makes each `CALL TOOL {…}` of the user's in turn, and then
// says `ok`.
import { appendFileSync } from "node:fs"
import { createServer } from "node:http"

let answers = 0
/** The messages before each answer of Anthropic's form. */
const threads = new Map()

/** All words of a message. */
const words = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? JSON.stringify(part)).join("\n")

/** What to say after these words and so many results: the next call, if there is one. */
function plan(said, done) {
  const call = [...said.join("\n").matchAll(/^CALL (?:(\S+)\/)?(\S+) (\{.*\})$/gm)][done]
  return call ? { namespace: call[1], tool: call[2], input: call[3] } : { say: "ok" }
}

// Each gives its whole answer, and then the events of a stream.
const forms = [
  [/\/responses/, ({ input = [], model }, id) => {
    const said = input.filter((item) => item.role === "user").map((item) => words(item.content))
    const { say, namespace, tool, input: args } = plan(said, input.filter((item) => /_output$/.test(item.type)).length)
    const item = tool
      ? { type: "function_call", id, call_id: id, namespace, name: tool, arguments: args }
      : { type: "message", id, role: "assistant", content: [{ type: "output_text", text: say, annotations: [] }] }
    const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 }
    const response = { id, object: "response", created_at: 1, model, status: "completed", output: [item], usage }
    return [
      response,
      { type: "response.created", response: { id } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ]
  }],
  [/\/chat\/completions/, ({ messages = [], model }, id) => {
    const said = messages.filter((message) => message.role === "user").map((message) => words(message.content))
    const { say, tool, input } = plan(said, messages.filter((message) => message.role === "tool").length)
    const call = { index: 0, id, type: "function", function: { name: tool, arguments: input } }
    const message = { role: "assistant", ...(tool ? { content: null, tool_calls: [call] } : { content: say }) }
    const finish_reason = tool ? "tool_calls" : "stop"
    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
    const chunk = { id, object: "chat.completion.chunk", created: 1, model }
    return [
      { ...chunk, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage },
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
      "[DONE]",
    ]
  }],
  [/\/messages/, ({ messages: told = [], model, thread }, id) => {
    // The SDKs send what is new, and name the answer before it.
    const messages = [...(threads.get(thread?.previous_message_id) ?? []), ...told]
    threads.set(id, messages)
    const parts = messages.filter((message) => message.role === "user").flatMap(({ content }) => content)
    const said = parts.filter((part) => part.type !== "tool_result").map((part) => part.text ?? part)
    const { say, tool, input } = plan(said, parts.filter((part) => part.type === "tool_result").length)
    const block = tool ? { type: "tool_use", id, name: tool, input: JSON.parse(input) } : { type: "text", text: say }
    const usage = { input_tokens: 10, output_tokens: 2 }
    const stop_reason = tool ? "tool_use" : "end_turn"
    return [{ id, type: "message", role: "assistant", model, content: [block], stop_reason, usage }]
  }],
  [/[gG]enerateContent/, ({ contents = [] }) => {
    const parts = contents.filter((content) => content.role === "user").flatMap((content) => content.parts)
    const { say, tool, input } = plan([words(parts)], parts.filter((part) => part.functionResponse).length)
    const part = tool ? { functionCall: { name: tool, args: JSON.parse(input) } } : { text: say }
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 }
    const answer = { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata }
    return [answer, answer]
  }],
]

const server = createServer((request, response) => {
  let body = ""
  request.on("data", (part) => (body += part)).on("end", () => {
    const asks = forms.find(([path]) => path.test(request.url))?.[1]
    if (!asks || request.method !== "POST") return response.end("{}")
    const asked = JSON.parse(body)
    appendFileSync(process.argv[2], JSON.stringify(asked) + "\n")
    const [whole, ...events] = asks(asked, `x${++answers}`)
    const isStream = asked.stream || /stream/.test(request.url)
    response.setHeader("content-type", isStream ? "text/event-stream" : "application/json")
    if (!isStream) return response.end(JSON.stringify(whole))
    for (const event of events) {
      if (event.type) response.write(`event: ${event.type}\n`)
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    }
    response.end()
  })
})
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`))
