// A model that says what it is told to, in the forms of OpenAI (both), and of Gemini. It prints its address, and adds
// each request to the file that its argument names. To `CALL TOOL {…}` it calls that tool; to all else it says `ok`.
import { appendFileSync } from "node:fs"
import { createServer } from "node:http"

let answers = 0

/** All words of a message. */
const words = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? JSON.stringify(part)).join("\n")

/** What to say after these words: a call, unless its result is there. */
function plan(said, isDone) {
  const call = /^CALL (?:(\S+)\/)?(\S+) (\{.*\})$/m.exec(said)
  return call && !isDone ? { namespace: call[1], tool: call[2], input: call[3] } : { say: "ok" }
}

const forms = [
  [/\/responses/, ({ input = [] }, id) => {
    const said = input.filter((item) => item.role === "user").map((item) => words(item.content))
    const { say, namespace, tool, input: args } = plan(said.join("\n"), /_output$/.test(input.at(-1)?.type))
    const item = tool
      ? { type: "function_call", id, call_id: id, namespace, name: tool, arguments: args }
      : { type: "message", id, role: "assistant", content: [{ type: "output_text", text: say, annotations: [] }] }
    const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 }
    return [
      { type: "response.created", response: { id } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id, status: "completed", output: [item], usage } },
    ]
  }],
  [/\/chat\/completions/, ({ messages = [], model }, id) => {
    const said = messages.filter((message) => message.role === "user").map((message) => words(message.content))
    const { say, tool, input } = plan(said.join("\n"), messages.at(-1)?.role === "tool")
    const call = { index: 0, id, type: "function", function: { name: tool, arguments: input } }
    const delta = { role: "assistant", ...(tool ? { content: null, tool_calls: [call] } : { content: say }) }
    const chunk = { id, object: "chat.completion.chunk", created: 1, model }
    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
    return [
      { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: tool ? "tool_calls" : "stop" }], usage },
      "[DONE]",
    ]
  }],
  [/[gG]enerateContent/, ({ contents = [] }) => {
    const said = contents.filter((content) => content.role === "user").map((content) => words(content.parts))
    const isDone = contents.at(-1)?.parts.some((part) => part.functionResponse)
    const { say, tool, input } = plan(said.join("\n"), isDone)
    const part = tool ? { functionCall: { name: tool, args: JSON.parse(input) } } : { text: say }
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 }
    return [{ candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata }]
  }],
]

const server = createServer((request, response) => {
  let body = ""
  request.on("data", (part) => (body += part)).on("end", () => {
    const asks = forms.find(([path]) => path.test(request.url))?.[1]
    if (!asks || request.method !== "POST") return response.end("{}")
    const asked = JSON.parse(body)
    appendFileSync(process.argv[2], JSON.stringify(asked) + "\n")
    const events = asks(asked, `x${++answers}`)
    const isStream = asked.stream || /stream/.test(request.url)
    response.setHeader("content-type", isStream ? "text/event-stream" : "application/json")
    if (!isStream) return response.end(JSON.stringify(events[0]))
    for (const event of events) {
      if (event.type) response.write(`event: ${event.type}\n`)
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    }
    response.end()
  })
})
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`))
