// Drives the real OpenCode for the tests of this folder, in the workspace where it is started, with $HOME as its home.
// One command a line comes in; each is answered by one line, `{ "done": value }` or `{ "failed": message }`. When the
// input ends, so do the client and this program.
//
//   { "do": "session" }                              a new session's id
//   { "do": "prompt", session, text, script }        one turn; script: what the model says, step by step
//   { "do": "compact", session }                     compaction, as /compact does it
//   { "do": "run", text, script }                    one turn by `opencode run`
//   { "do": "log" }                                  everything that the client has logged
//   { "do": "stop", abruptly }                       ends the server; the next command starts it again
//
// `prompt`, `compact` and `run` answer with `{ text, requests }`: the last answer, and what the model was shown.
import { createInterface } from "node:readline"
import { Client, findClient } from "./client.mjs"
import { startModel } from "./model.mjs"

const model = await startModel()
const client = new Client({ binary: findClient(), model, home: process.env.HOME, workspace: process.cwd() })

/** Runs one turn and says what the model was shown meanwhile. */
async function turn(script, action) {
  const before = model.requests.length
  model.script.splice(0, Infinity, ...(script ?? []))
  const text = await action()
  if (model.script.length > 0) throw new Error(`the model was not asked for ${JSON.stringify(model.script)}`)
  return { text: text ?? "", requests: model.requests.slice(before) }
}

const commands = {
  session: () => client.session(),
  prompt: ({ session, text, script }) => turn(script, () => client.prompt(session, text)),
  compact: ({ session }) => turn([], () => client.compact(session)),
  run: ({ text, script }) => turn(script, () => client.run(text)),
  log: () => client.logged(),
  stop: ({ abruptly }) => client.stop(abruptly),
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line)
  let answer
  try {
    answer = { done: (await commands[command.do](command)) ?? null }
  } catch (error) {
    answer = { failed: String(error?.message ?? error) }
  }
  process.stdout.write(JSON.stringify(answer) + "\n")
}
await client.stop(true)
process.exit(0)
