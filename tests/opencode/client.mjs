// The real OpenCode, headless and offline: a home of its own, one scripted provider, nothing from the network.
import { spawn } from "node:child_process"
import { createServer } from "node:net"
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Where `npm ci --prefix tests/opencode` put the client; undefined when it is not installed. */
export function findClient() {
  const modules = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "node_modules")
  // The first is a link that the package's install script completes; with scripts switched off the second is there.
  const platform = `opencode-${process.platform}-${process.arch}`
  return [join(modules, ".bin", "opencode"), join(modules, platform, "bin", "opencode")].find(existsSync)
}

const config = (url) => ({
  autoupdate: false,
  share: "disabled",
  // They cost each turn some runs of git.
  ...(process.env.CLIENT_TAKES_SNAPSHOTS ? {} : { snapshot: false }),
  model: "scripted/scripted",
  ...(process.env.CLIENT_HAS_NO_SMALL_MODEL ? {} : { small_model: "scripted/scripted" }),
  enabled_providers: ["scripted"],
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      name: "Scripted",
      options: { baseURL: url, apiKey: "none" },
      models: { scripted: { name: "Scripted", limit: { context: 128_000, output: 8_000 }, tool_call: true } },
    },
  },
})

/** What keeps the client to itself, beside a home of its own: the caller has set that, and cleaned the environment. */
const isolation = (home, workspace) => ({
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_DATA_HOME: join(home, ".local/share"),
  XDG_CACHE_HOME: join(home, ".cache"),
  XDG_STATE_HOME: join(home, ".local/state"),
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  // Whoever still wants out meets a closed door at once.
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  // Without these OpenCode spends a minute on installing its plugin package before the first prompt.
  npm_config_offline: "true",
  npm_config_fetch_retries: "0",
  // OpenCode takes its directory from here and not from the real one.
  PWD: workspace,
  NO_COLOR: "1",
  // A client lives for seconds: the compiler for hot code (JavaScriptCore's FTL) would cost more than it gives back.
  BUN_JSC_useFTLJIT: "0",
})

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

const exited = (child) =>
  new Promise((resolve) => (child.exitCode ?? child.signalCode) !== null ? resolve() : child.once("close", resolve))

function answerOf({ info, parts }) {
  if (info.error) throw new Error(`the turn failed: ${JSON.stringify(info.error).slice(0, 500)}`)
  return parts.filter(({ type }) => type === "text").map((part) => part.text).join("\n")
}

/** One installation of OpenCode: its server when asked over HTTP, or one `opencode run` after another. */
export class Client {
  constructor({ binary, model, home, workspace }) {
    const env = { ...process.env, ...isolation(home, workspace) }
    Object.assign(this, { binary, workspace, env, log: join(home, "opencode.log"), toasts: [], dialogs: [] })
    mkdirSync(join(home, ".config/opencode"), { recursive: true })
    writeFileSync(join(home, ".config/opencode/opencode.json"), JSON.stringify(config(model.url)))
    writeFileSync(this.log, "", { flag: "a" })
  }

  spawn(args) {
    const stderr = openSync(this.log, "a")
    const child = spawn(this.binary, [...args, "--print-logs", "--log-level", "INFO"], { cwd: this.workspace, env: this.env, stdio: ["ignore", "pipe", stderr] })
    child.stdout.setEncoding("utf8")
    return child
  }

  async serve() {
    this.server = this.spawn(["serve", "--hostname", "127.0.0.1", "--port", "0"])
    this.url = await new Promise((resolve, reject) => {
      let said = ""
      this.server.stdout.on("data", (part) => {
        said += part
        const match = said.match(/listening on (http:\S+)/)
        if (match) resolve(match[1])
      })
      this.server.once("exit", (code) => reject(new Error(`opencode serve ended with ${code}: ${said}`)))
    })
    this.hear().catch(() => {})
  }

  /** Starts the client as a person has it, on a terminal's screen; it listens beside. */
  async terminal() {
    const port = await freePort()
    this.url = this.env.CLIENT_URL = `http://127.0.0.1:${port}`
    const command = `stty cols 120 rows 40; exec '${this.binary}' --port ${port} --print-logs 2>>'${this.log}'`
    const env = { ...this.env, TERM: "xterm-256color" }
    this.server = spawn("script", ["-qfec", command, "/dev/null"], { cwd: this.workspace, env, stdio: ["pipe", "ignore", "ignore"] })
    this.isTerminal = true
    for (let tries = 0; tries < 600; tries++) {
      const listens = await fetch(`${this.url}/doc`, { signal: AbortSignal.timeout(2_000) }).then(({ ok }) => ok, () => false)
      if (listens) return void this.hear().catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error("the client in a terminal does not listen")
  }

  /**
   * Hears the server's events, for as long as it runs: keeps the lines that a screen would show, and answers its dialogs
   * as the person of the test does (`person`: once, always or reject).
   */
  async hear() {
    const events = await fetch(`${this.url}/event?directory=${encodeURIComponent(this.workspace)}`)
    let said = ""
    for await (const part of events.body.pipeThrough(new TextDecoderStream())) {
      const lines = (said + part).split("\n")
      said = lines.pop()
      for (const line of lines.filter((line) => line.startsWith("data: "))) {
        const { type, properties } = JSON.parse(line.slice(6))
        if (type === "tui.toast.show") this.toasts.push(properties)
        if (type === "permission.asked") {
          this.dialogs.push(properties)
          const { id, sessionID } = properties
          await this.request("POST", `/session/${sessionID}/permissions/${id}`, { response: this.person ?? "reject" })
        }
      }
    }
  }

  async request(method, path, body) {
    if (!this.url) await this.serve()
    const response = await fetch(`${this.url}${path}?directory=${encodeURIComponent(this.workspace)}`, {
      method,
      headers: body && { "content-type": "application/json" },
      body: body && JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    return text === "" ? undefined : JSON.parse(text)
  }

  async session() {
    return (await this.request("POST", "/session", {})).id
  }

  /** One turn, until the session is idle again; the text of the last answer. */
  async prompt(session, text) {
    return answerOf(await this.request("POST", `/session/${session}/message`, { parts: [{ type: "text", text }] }))
  }

  /** The turn that a slash command begins. */
  async command(session, command, words) {
    if (this.isTerminal) return this.ended(session, command, words)
    return answerOf(await this.request("POST", `/session/${session}/command`, { command, arguments: words }))
  }

  /** A command that ends without a turn: the plugin's hook throws, which a terminal passes over. */
  async ended(session, command, words) {
    const path = `/session/${session}/command`
    const refused = await this.request("POST", path, { command, arguments: words }).then(
      () => undefined,
      ({ message }) => message.includes(": 500 "),
    )
    if (!refused) throw new Error(`/${command} did not end without a turn`)
    return ""
  }

  async title(session) {
    return (await this.request("GET", `/session/${session}`)).title
  }

  messages(session) {
    return this.request("GET", `/session/${session}/message`)
  }

  async delete(session) {
    await this.request("DELETE", `/session/${session}`)
  }

  async compact(session) {
    await this.request("POST", `/session/${session}/summarize`, { providerID: "scripted", modelID: "scripted" })
  }

  /** `opencode run`: one turn in a process of its own. */
  async run(text) {
    const child = this.spawn(["run", "--format", "json", text])
    let said = ""
    child.stdout.on("data", (part) => (said += part))
    await exited(child)
    const events = said.split("\n").filter(Boolean).map((line) => JSON.parse(line))
    const failed = events.find(({ type }) => type === "error")
    if (child.exitCode !== 0 || failed) throw new Error(`opencode run ended with ${child.exitCode}: ${JSON.stringify(failed)}`)
    return events.filter(({ type }) => type === "text").map(({ part }) => part.text).join("\n")
  }

  /** What the client has logged so far: plugins can say nothing anywhere else. */
  logged() {
    return readFileSync(this.log, "utf8")
  }

  /** Ends the server: after the plugins' dispose, or (`abruptly`) by a signal that gives them no chance. */
  async stop(abruptly) {
    if (!this.server) return
    if (!abruptly) await this.request("POST", "/global/dispose")
    this.server.removeAllListeners("exit")
    // `script` takes the client in the terminal with it only when it may.
    this.server.kill(abruptly && !this.isTerminal ? "SIGKILL" : "SIGTERM")
    await exited(this.server)
    this.server = this.url = undefined
  }
}
