#!/usr/bin/env node
// A server in the place of `mdmem` that does what a test tells it, and keeps what it was asked.
//
// $HOME/behaviour is read at every request: a JSON object, `{ "how": { METHOD: WORD }, "answers": { METHOD: ANSWER } }`,
// where METHOD "*" stands for all others. The words:
//
//   well      answers: by ANSWER, a result or `{ "error": { kind, message } }`, or by something that fits
//   late      answers after the plugin's deadline
//   mute      never answers
//   frozen    is stopped, as by a debugger: nothing but a kill ends it
//   garbage   says what is no JSON
//   dead      ends
//   once dead ends, when no server has ended so before
//   unknown   is older than the method
//
// Every request goes to $HOME/requests.jsonl, as `{ pid, method, params, how }`.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

const home = (name) => `${process.env.HOME}/${name}`
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n")

const fitting = {
  hello: () => ({ protocol: 1, store: "/fake", tools: [], version: "0.0.0" }),
  prompt: ({ session }) => ({ system: [`memory for ${session} by ${process.pid}`], reason: "first", hash: "0" }),
  message: () => ({ memories: [], refused: [] }),
  compacting: () => ({ prompt: "Summarise this for the fake." }),
  compacted: () => ({ entries: [] }),
  call: ({ tool }) => ({ text: `${tool} is done` }),
  flush: () => ({ text: "read anew by the fake" }),
}

function end() {
  console.error("the fake is dead")
  process.exit(3)
}

function answer({ id, method, params }) {
  const { how = {}, answers = {} } = JSON.parse(readFileSync(home("behaviour"), "utf8"))
  const word = how[method] ?? how["*"] ?? "well"
  appendFileSync(home("requests.jsonl"), JSON.stringify({ pid: process.pid, method, params, how: word }) + "\n")
  const result = answers[method] ?? fitting[method]?.(params) ?? {}
  const served = () => say(result.error ? { id, error: result.error } : { id, result })
  switch (word) {
    case "well":
      return served()
    case "late":
      return void setTimeout(served, method === "prompt" ? 600 : 1_500)
    case "mute":
      return
    case "frozen":
      return void process.kill(process.pid, "SIGSTOP")
    case "garbage":
      return void process.stdout.write("Welcome to the fake!\n")
    case "dead":
      return end()
    case "once dead":
      if (existsSync(home("died"))) return served()
      writeFileSync(home("died"), "")
      return end()
    case "unknown":
      return say({ id, error: { kind: "refused", message: `there is no method ${method}` } })
    default:
      throw new Error(`how is ${word}?`)
  }
}

for await (const line of createInterface({ input: process.stdin })) answer(JSON.parse(line))
process.exit(0)
