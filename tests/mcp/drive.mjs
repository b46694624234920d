// Drives the official clients: a command is a line of JSON on standard input, its answer a line on standard output.
import { EventEmitter } from "node:events"
import { createInterface } from "node:readline"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"

const [program] = process.argv.slice(2)
const clients = new Map()
// A thousand requests at once are meant here.
EventEmitter.defaultMaxListeners = 0

const commands = {
  // `roots`: its roots; `elicit`: the user's answer, or "never"; `url` and `token`: a server that listens already.
  async connect({ name, args = [], cwd, roots, elicit, url, token }) {
    const transport = url
      ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
      : new StdioClientTransport({ command: program, args: ["mcp", ...args], cwd, env: process.env })
    const capabilities = {}
    if (roots) capabilities.roots = { listChanged: true }
    if (elicit) capabilities.elicitation = { form: {} }
    const client = new Client({ name: "test", version: "1" }, { capabilities })
    const toolsChanged = new Promise((told) => client.setNotificationHandler(ToolListChangedNotificationSchema, told))
    const state = { client, transport, roots, asked: [], progress: [], toolsChanged }
    if (roots) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: state.roots.map((uri) => ({ uri })) }))
    if (elicit)
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        state.asked.push(params.message)
        return elicit === "never" ? new Promise(() => {}) : { action: elicit, content: {} }
      })
    await client.connect(transport)
    clients.set(name, state)
    return {
      pid: transport.pid,
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }
  },
  // The newer client library, which falls back to the handshake.
  async newer({ cwd }) {
    const { Client } = await import("@modelcontextprotocol/client")
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio")
    const client = new Client({ name: "newer", version: "1" })
    await client.connect(new StdioClientTransport({ command: program, args: ["mcp"], cwd, env: process.env }))
    const { tools } = await client.listTools()
    const read = await client.callTool({ name: "memory_read", arguments: { path: "PROTOCOL.md" } })
    await client.close()
    return { tools: tools.map((tool) => tool.name), read }
  },
  async request({ name, method, params }) {
    const { client } = clients.get(name)
    return answered(client.request({ method, params }, ResultSchema))
  },
  async many({ requests }) {
    const all = requests.map(({ name, method, params }) =>
      answered(clients.get(name).client.request({ method, params }, ResultSchema)),
    )
    return Promise.all(all)
  },
  async roots({ name, roots }) {
    const state = clients.get(name)
    state.roots = roots
    await state.client.sendRootsListChanged()
  },
  // Waits until the server has said that its tools are others.
  async toolsChanged({ name }) {
    const late = new Promise((_, fail) => setTimeout(fail, 30_000, new Error("nobody said so in 30 s")))
    await Promise.race([clients.get(name).toolsChanged, late])
  },
  asked: ({ name }) => clients.get(name).asked,
  async close({ name }) {
    await clients.get(name).client.close()
  },
}

// An error of the protocol is an answer too.
async function answered(request) {
  try {
    return await request
  } catch (error) {
    return { protocolError: { code: error.code, message: error.message } }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, ...command } = JSON.parse(line)
  try {
    console.log(JSON.stringify({ done: (await commands[name](command)) ?? null }))
  } catch (error) {
    console.log(JSON.stringify({ failed: error.stack ?? String(error) }))
  }
}
process.exit(0)
