// mdmem's extension for Pi, written by `mdmem init --with pi`. It hands Pi's events to `mdmem hook`, and offers the tools
// of `mdmem mcp`. Without mdmem on PATH it does nothing.
import { spawn } from "node:child_process"

const HOOK_MS = 5000
const CALL_MS = 10000

/** What `mdmem hook` answers; nothing where it cannot. */
function hook(verb: string, ctx: any, fields: object): Promise<any> {
  return new Promise((done) => {
    const manager = ctx.sessionManager
    const event = { session_id: manager.getSessionId(), cwd: ctx.cwd, timestamp: Date.now(), ...fields }
    const child = spawn("mdmem", ["hook", verb, "--host", "pi"], { cwd: ctx.cwd, stdio: ["pipe", "pipe", "ignore"], timeout: HOOK_MS })
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part))
    child.stdin.on("error", () => {})
    child.on("error", () => done(undefined)).on("close", () => {
      try {
        done(JSON.parse(text))
      } catch {
        done(undefined)
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

/** `mdmem mcp`, asked one thing at a time; undefined where it does not start. */
function serve(cwd: string) {
  const child = spawn("mdmem", ["mcp", "--workspace", cwd], { cwd, stdio: ["pipe", "pipe", "ignore"] })
  const waiting = new Map<number, (answer: any) => void>()
  let rest = ""
  let last = 0
  const end = () => {
    for (const answer of waiting.values()) answer({ error: { message: "mdmem has ended" } })
    waiting.clear()
  }
  child.on("error", end).on("close", end)
  child.stdin.on("error", () => {})
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    const lines = (rest + part).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) hear(line)
  })
  const hear = (line: string) => {
    try {
      const message = JSON.parse(line)
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    } catch {
      // What is no message is nobody's answer.
    }
  }
  const send = (message: object) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
  return {
    ask: (method: string, params: object) =>
      new Promise<any>((done, failed) => {
        const id = ++last
        const late = setTimeout(() => waiting.get(id)?.({ error: { message: "mdmem did not answer in time" } }), CALL_MS)
        waiting.set(id, ({ result, error }) => {
          clearTimeout(late)
          error ? failed(new Error(error.message)) : done(result)
        })
        send({ id, method, params })
      }),
    tell: (method: string) => send({ method }),
    end: () => child.stdin.end(),
  }
}

export default async function mdmem(pi: any) {
  const server = serve(process.cwd())
  try {
    const clientInfo = { name: "pi", version: "1" }
    await server.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
    server.tell("notifications/initialized")
    const { tools } = await server.ask("tools/list", {})
    for (const { name, description, inputSchema, annotations } of tools) {
      pi.registerTool({
        name,
        label: annotations?.title ?? name,
        description,
        parameters: inputSchema,
        async execute(_id: string, args: object) {
          const { content, isError } = await server.ask("tools/call", { name, arguments: args })
          if (isError) throw new Error(content[0]?.text ?? "failed")
          return { content, details: {} }
        },
      })
    }
  } catch {
    return
  }

  let given = ""
  pi.on("session_start", async (event: any, ctx: any) => {
    const isResumed = event.reason === "resume" || ctx.sessionManager.getEntries().length > 0
    const answer = await hook("session-start", ctx, { source: isResumed ? "resume" : "startup" })
    given = answer?.hookSpecificOutput?.additionalContext ?? ""
  })
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const answer = await hook("user-prompt-submit", ctx, { prompt: event.prompt })
    if (answer?.systemMessage) ctx.ui.notify(answer.systemMessage, "info")
    const content = [given, answer?.hookSpecificOutput?.additionalContext].filter(Boolean).join("\n\n")
    given = ""
    return content ? { message: { customType: "mdmem", content, display: false } } : undefined
  })
  pi.on("tool_result", async (event: any, ctx: any) => {
    const text = event.content?.map((part: any) => part.text ?? "").join("\n")
    const failed = event.isError ? { error: text } : { tool_response: text }
    const answer = await hook("post-tool-use", ctx, { tool_name: event.toolName, tool_input: event.input, ...failed })
    const note = answer?.hookSpecificOutput?.additionalContext
    return note ? { content: [...(event.content ?? []), { type: "text", text: note }] } : undefined
  })
  pi.on("session_compact", async (_event: any, ctx: any) => {
    const answer = await hook("session-start", ctx, { source: "compact" })
    given = answer?.hookSpecificOutput?.additionalContext ?? ""
  })
  pi.on("session_shutdown", async (_event: any, ctx: any) => {
    server.end()
    await hook("session-end", ctx, { reason: "other" })
  })
}
