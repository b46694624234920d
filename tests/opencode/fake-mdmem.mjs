#!/usr/bin/env node
// A server that misbehaves on demand, in the place of `mdmem`: the word in $HOME/behaviour says how, and is read
// again at every request. `well`: answers. `late`: answers after the plugin's deadline. `mute`: never answers.
// `garbage`: says what is no JSON. `dead`: ends.
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

const behaviour = () => readFileSync(`${process.env.HOME}/behaviour`, "utf8").trim()
const say = (id, result) => process.stdout.write(JSON.stringify({ id, result }) + "\n")

function answer({ id, method, params }) {
  switch (behaviour()) {
    case "dead":
      console.error("the fake is dead")
      return process.exit(3)
    case "garbage":
      return void process.stdout.write("Welcome to the fake!\n")
    case "mute":
      return
  }
  if (method === "hello") return say(id, { protocol: 1, store: "/fake", tools: [], version: "0.0.0" })
  if (method === "bye") return say(id, {})
  const text = `memory for ${params.session} by ${process.pid}`
  const served = () => say(id, { system: [text], reason: "first", hash: "0" })
  behaviour() === "late" ? setTimeout(served, 600) : served()
}

for await (const line of createInterface({ input: process.stdin })) answer(JSON.parse(line))
process.exit(0)
