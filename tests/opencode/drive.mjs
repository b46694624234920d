// Drives the real OpenCode for the tests of this folder, in the workspace where it is started, with $HOME as its home.
// One command a line comes in; each is answered by one line, `{ "done": value }` or `{ "failed": message }`. When the
// input ends, so do the client and this program.
//
//   { "do": "session" }                              a new session's id
//   { "do": "prompt", session, text, script }        one turn; script: what the model says, step by step
//   { "do": "command", session, command, arguments, script }   one turn by a slash command
//   { "do": "compact", session, script }             compaction, as /compact does it
//   { "do": "run", text, script }                    one turn by `opencode run`
//   { "do": "crowd", crowd: [[text, …], …] }         for each list a client of its own, which says it turn by turn
//   { "do": "terminal" }                             starts the client in a terminal, with its URL in $CLIENT_URL
//   { "do": "title", session }                       the title of a session
//   { "do": "messages", session }                    the messages of a session, as the client keeps them
//   { "do": "delete", session }                      deletes a session
//   { "do": "sessions" }                             the sessions that the client has
//   { "do": "passes", replies }                      what the model says to mdmem's own questions from now on
//   { "do": "asked" }                                those questions, as the model was shown them
//   { "do": "toasts" }                               the lines that a screen would have shown
//   { "do": "answers", person }                      from now on the person answers dialogs so: once, always, reject
//   { "do": "dialogs" }                              the dialogs so far
//   { "do": "log" }                                  everything that the client has logged
//   { "do": "stop", abruptly }                       ends the server; the next command starts it again
//
// A script is `{ main: [reply, …], subagent: […], compaction: […] }`; a reply is a text, `{ tool, args }`, or
// `{ say, tools: [{ tool, args }, …], used }` where `used` is the number of tokens that the request took, or
// `{ fails }` with a status by which the request fails, `{ say, times }` a text so often, `{ say, after }` after so many
// milliseconds; a turn with `fails: true` may end with an error. The text
// may name what stands in the request: `{{snapshot}}` and `{{number of WORDS}}`, for numbered memories.
// `prompt`, `command`, `compact` and `run` answer with `{ text, requests }`: the last answer, and what the model was
// shown.
import { createInterface } from "node:readline"
import { Client, findClient } from "./client.mjs"
import { startModel } from "./model.mjs"

const model = await startModel()
const start = () => new Client({ binary: findClient(), model, home: process.env.HOME, workspace: process.cwd() })
const client = start()

/** Runs one turn and says what the model was shown meanwhile. */
async function turn(script, action) {
  const before = model.requests.length
  for (const kind in model.scripts) model.scripts[kind].splice(0, Infinity, ...(script?.[kind] ?? []))
  const text = await action()
  const unsaid = Object.values(model.scripts).flat()
  if (unsaid.length > 0) throw new Error(`the model was not asked for ${JSON.stringify(unsaid)}`)
  return { text: text ?? "", requests: model.requests.slice(before) }
}

/** Says each list of texts turn by turn, in one session of a client of its own; all clients at once. */
async function speak(crowd) {
  const speakers = []
  try {
    // One begins after the other: two that make the client's database at the same time end with an error of its own.
    for (const texts of crowd) {
      const speaker = start()
      speakers.push({ speaker, session: await speaker.session(), texts })
    }
    await Promise.all(
      speakers.map(async ({ speaker, session, texts }) => {
        for (const text of texts) await speaker.prompt(session, text)
      }),
    )
    return speakers.map(({ session }) => session)
  } finally {
    await Promise.all(speakers.map(({ speaker }) => speaker.stop()))
  }
}

const commands = {
  session: () => client.session(),
  prompt: ({ session, text, script, fails }) =>
    turn(script, () => client.prompt(session, text).catch((error) => (fails ? String(error) : Promise.reject(error)))),
  command: ({ session, command, arguments: words, script }) => turn(script, () => client.command(session, command, words)),
  compact: ({ session, script }) => turn(script, () => client.compact(session)),
  run: ({ text, script }) => turn(script, () => client.run(text)),
  crowd: ({ crowd }) => speak(crowd),
  terminal: () => client.terminal(),
  title: ({ session }) => client.title(session),
  messages: ({ session }) => client.messages(session),
  delete: ({ session }) => client.delete(session),
  sessions: () => client.request("GET", "/session"),
  passes: ({ replies }) => void model.passes.splice(0, Infinity, ...replies),
  asked: () => model.requests.filter(({ kind }) => kind === "pass"),
  toasts: () => client.toasts,
  answers: ({ person }) => void (client.person = person),
  dialogs: () => client.dialogs,
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
