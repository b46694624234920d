// One question to Claude, with the memory of this folder: npm start -- "What do you know of me?"
import Anthropic from "@anthropic-ai/sdk"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { mdmemMemoryTool } from "./memory-tool.ts"

const client = new Client({ name: "chat", version: "1.0.0" })
await client.connect(
  new StdioClientTransport({ command: "mdmem", args: ["mcp"], env: process.env as Record<string, string> }),
)
const answer = await new Anthropic().beta.messages.toolRunner({
  model: "claude-sonnet-5-5",
  max_tokens: 2000,
  tools: [mdmemMemoryTool(client)],
  messages: [{ role: "user", content: process.argv.slice(2).join(" ") }],
})
console.log(answer.content.map((block) => (block.type === "text" ? block.text : "")).join(""))
await client.close()
