// The mdmem plugin for OpenCode, written by `mdmem init --with opencode`.
//
// It pastes text and decides nothing: `mdmem serve` renders the memory, this file puts it into the system prompt.
// Whatever goes wrong here must not cost the user a turn. So nothing is thrown out of a hook, every wait has an
// end, and while the server is gone the last text that it gave is served again; OpenCode's log says so.
import { spawn, type ChildProcess } from "node:child_process"
import { accessSync, constants, statSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, join, resolve } from "node:path"

const VERSION = "0.1.0"
const PROTOCOL = 1

/** How long a hook may wait, in milliseconds. OpenCode waits for a hook before every model step. */
const PROMPT_DEADLINE = 300
const DEADLINE = 1_000
/**
 * A session that has no text yet has nothing to fall back on, and the provider would cache a prompt without
 * memory: once in its life it may wait this long, for a server that is just starting.
 */
const FIRST_PROMPT_DEADLINE = 2_000

/** The first restart is at once; then the wait doubles from the first to the second of these. */
const BACKOFF = 500
const MAX_BACKOFF = 60_000
/** A server that lets so many deadlines pass in a row is stuck, and is replaced. */
const MAX_SILENCES = 3
/** The longest line that the server may say, in characters; more is no answer. */
const MAX_LINE = 16 * 1024 * 1024

type Level = "debug" | "info" | "warn" | "error"
type Log = (level: Level, message: string) => void

type HelloResult = { protocol: number; store: string | null; tools: unknown[]; version: string }
type PromptResult = { system: string[]; reason: string; hash: string }

type Host = {
  directory: string
  worktree: string
  client: {
    app: { log(request: { body: { service: string; level: Level; message: string } }): Promise<unknown> }
    session: { get(request: { path: { id: string } }): Promise<{ data?: { parentID?: string } }> }
  }
}

/** What is remembered of a session, for as long as OpenCode runs. */
type Session = {
  /** The session's parent: null for none, undefined while nobody could say. */
  parent?: Promise<string | null | undefined>
  /** The last texts served. */
  system?: string[]
  /** The one long wait is spent. */
  waited?: boolean
  /** When the model last answered, in milliseconds since 1970. */
  lastResponseAt?: number
  /** The context that the last answer had used, in tokens. */
  tokens?: number
}

export const MdmemPlugin = async (host: Host) => {
  const log: Log = (level, message) => {
    // Not awaited: while a plugin is being loaded the client answers only afterwards. OpenCode's log leaves the
    // service out, so the message names it.
    const body = { service: "mdmem", level, message: `mdmem: ${message}` }
    attempt(() => host.client.app.log({ body }).catch(() => {}))
  }
  const server = new Server(host.directory, host.worktree, log)
  const sessions = new Map<string, Session>()
  let latest: string[] | undefined
  let troubled = false

  const session = (id: string): Session => {
    const known = sessions.get(id)
    if (known) return known
    const fresh: Session = {}
    sessions.set(id, fresh)
    return fresh
  }

  /** Asks for a session's parent, once; a question without an answer is put again at the next prompt. */
  const parentOf = async (id: string): Promise<string | null | undefined> => {
    const known = session(id)
    known.parent ??= within(DEADLINE, "the session's parent", host.client.session.get({ path: { id } })).then(
      (answer) => (answer.data ? (answer.data.parentID ?? null) : undefined),
      () => undefined,
    )
    const parent = await known.parent
    if (parent === undefined) known.parent = undefined
    return parent
  }

  /** The texts for a session's next request: the server's, or the last ones when it has none to give. */
  const textsFor = async (id: string, limit: number | undefined): Promise<string[]> => {
    const known = session(id)
    const patient = known.system === undefined && !known.waited
    known.waited = true
    const deadline = patient ? FIRST_PROMPT_DEADLINE : PROMPT_DEADLINE
    const { lastResponseAt, tokens } = known
    // What the server froze for an answer that came too late is what it serves next: the better text to fall back on.
    const late = (answer: PromptResult) => void (known.system = texts(answer))
    try {
      const answer = await server.ask<PromptResult>("prompt", { session: id, tokens, limit, lastResponseAt }, deadline, late)
      known.system = texts(answer)
      latest = known.system
      if (troubled) log("info", "the server answers again")
      troubled = false
      return known.system
    } catch (error) {
      // Another session's hot state means nothing here; the workspace's memory, which comes first, does.
      known.system ??= latest?.slice(0, 1)
      const served = known.system ? "served the last text" : "served no memory"
      // That there is no mdmem at all has been said; it is said again only to whom it takes a memory away.
      const silent = troubled || (error instanceof Absent && !known.system)
      if (!silent) log("warn", `${served}: ${messageOf(error)}`)
      troubled = true
      return known.system ?? []
    }
  }

  attempt(() => server.start())

  return {
    "experimental.chat.system.transform": async (
      input: { sessionID?: string; model?: { limit?: { context?: number } } },
      output: { system: string[] },
    ) => {
      try {
        // Without a session it is no conversation (OpenCode writes an agent's description this way).
        if (!input.sessionID || isHousekeeping(output.system[0])) return
        if (await parentOf(input.sessionID)) return
        const texts = await textsFor(input.sessionID, whole(input.model?.limit?.context))
        // A user's and a workspace's copy of this file both run.
        output.system.push(...texts.filter((text) => !output.system.includes(text)))
      } catch (error) {
        log("error", `no memory in this request: ${messageOf(error)}`)
      }
    },

    event: async ({ event }: { event: { type: string; properties?: any } }) => {
      try {
        if (event.type === "session.deleted") sessions.delete(event.properties.sessionID ?? event.properties.info.id)
        if (event.type === "message.updated") noteResponse(session, event.properties.info)
      } catch (error) {
        log("debug", `event ${event?.type} was not understood: ${messageOf(error)}`)
      }
    },

    dispose: async () => {
      try {
        await server.dispose()
      } catch (error) {
        log("debug", `the server did not end well: ${messageOf(error)}`)
      }
    },
  }
}

/** Title and compaction requests go through the same hook; only the first system text tells them apart. */
function isHousekeeping(first: string | undefined): boolean {
  return /^You are (a title generator\. You output ONLY|an? (anchored )?context summarization agent)/.test(first ?? "")
}

/** Keeps from a finished answer when it came and how much of the context it had used. */
function noteResponse(session: (id: string) => Session, info: any) {
  if (info?.role !== "assistant" || typeof info.time?.completed !== "number") return
  const known = session(info.sessionID)
  if (info.summary) {
    // A summary was written under another system prompt, and what it leaves of the context is not known yet.
    known.tokens = undefined
    return
  }
  known.lastResponseAt = whole(info.time.completed)
  const { total, input = 0, output = 0, cache = {} } = info.tokens ?? {}
  known.tokens = whole(total ?? input + output + (cache.read ?? 0) + (cache.write ?? 0)) ?? known.tokens
}

/** A number as the protocol takes it; undefined for zero, which means "not known" here, and for what is no number. */
function whole(value: unknown): number | undefined {
  return typeof value === "number" && value >= 1 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : undefined
}

/** The texts of an answer; throws where there are none, so that nothing but text ever reaches a prompt. */
function texts(answer: PromptResult): string[] {
  if (!Array.isArray(answer?.system)) throw new Error("the server answered without a text")
  return answer.system.filter((text) => typeof text === "string" && text !== "")
}

/** There is no mdmem on this machine. */
class Absent extends Error {}
/** The server refused one request; it is alive. */
class Refused extends Error {
  constructor(readonly kind: string, message: string) {
    super(message)
  }
}
/** The server is gone. */
class Lost extends Error {}
/** The server did not answer in time. */
class Late extends Error {}

type Waiting = { resolve: (value: any) => void; reject: (error: Error) => void }
type Child = {
  process: ChildProcess
  hello: Promise<void>
  waiting: Map<number, Waiting>
  /** Deadlines passed in a row. */
  silences: number
  /** The end of what it said on stderr, for the log. */
  stderr: string
}

/** `mdmem serve` of one directory: started when needed, asked in JSON lines, started again when it dies. */
class Server {
  private child?: Child
  private lastId = 0
  private failures = 0
  private retryAt = 0
  private disposed = false
  /** Why there is no server just now. */
  private trouble = new Error("the server has not been started")
  /** Methods that this server does not know: it is older than this file. */
  private readonly unknown = new Set<string>()
  private readonly said = new Set<string>()

  constructor(
    private readonly directory: string,
    private readonly worktree: string,
    private readonly log: Log,
  ) {}

  /**
   * One request and its answer, within `deadline` milliseconds; that the server may first have to start is part
   * of them. When it dies meanwhile, the one that takes its place is asked, if there may be one at once. An answer
   * that comes later is handed to `late`.
   */
  async ask<T>(method: string, params: object, deadline: number, late?: (answer: T) => void): Promise<T> {
    if (this.unknown.has(method)) throw new Refused("unknown_method", `this mdmem does not know ${method}`)
    const end = Date.now() + deadline
    for (;;) {
      const child = this.start()
      try {
        const value = await this.askOnce<T>(child, method, params, end - Date.now(), late)
        this.failures = 0
        child.silences = 0
        return value
      } catch (error) {
        if (error instanceof Refused && error.kind === "unknown_method") {
          this.unknown.add(method)
          this.once("info", `this mdmem does not know ${method}: update mdmem`)
        }
        const again = error instanceof Lost && Date.now() >= this.retryAt && Date.now() < end
        if (!again) throw error
      }
    }
  }

  private async askOnce<T>(child: Child, method: string, params: object, deadline: number, late?: (answer: T) => void): Promise<T> {
    const answer = child.hello.then(() => this.send<T>(child, method, params))
    try {
      return await within(deadline, method, answer)
    } catch (error) {
      if (error instanceof Late) {
        const arrived = (value: T) => {
          // Slow is not stuck.
          child.silences = 0
          late?.(value)
        }
        answer.then(arrived).catch(() => {})
        child.silences += 1
        if (child.silences >= MAX_SILENCES) this.lose(child, `the server left ${child.silences} requests unanswered`)
      }
      throw error
    }
  }

  /** The running server, or a new one; throws when there can be none now. */
  start(): Child {
    if (this.child) return this.child
    if (this.disposed) throw new Error("the plugin has been disposed")
    if (Date.now() < this.retryAt) throw this.trouble
    const child: Child = { process: this.spawn(), hello: Promise.resolve(), waiting: new Map(), silences: 0, stderr: "" }
    this.child = child
    this.listen(child)
    child.hello = within(FIRST_PROMPT_DEADLINE, "hello", this.hello(child)).catch((error) => {
      this.lose(child, messageOf(error))
      throw this.trouble
    })
    // Whoever asks meets the error; when nobody does, it must not end as an unhandled rejection.
    child.hello.catch(() => {})
    return child
  }

  /** Says bye and ends the server; waits a second for it and no longer. */
  async dispose() {
    this.disposed = true
    const child = this.child
    if (!child) return
    const ended = new Promise<void>((resolve) => child.process.once("exit", () => resolve()))
    try {
      await within(DEADLINE, "bye", child.hello.then(() => this.send(child, "bye", {})))
      child.process.stdin?.end()
      await within(DEADLINE, "exit", ended)
    } finally {
      this.child = undefined
      attempt(() => child.process.kill())
    }
  }

  private spawn(): ChildProcess {
    try {
      return spawn(this.find(), ["serve"], {
        cwd: this.directory,
        env: { ...process.env, PWD: this.directory },
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
      })
    } catch (error) {
      this.postpone(error instanceof Error ? error : new Error(String(error)))
      throw this.trouble
    }
  }

  private async hello(child: Child) {
    const welcome = await this.send<HelloResult>(child, "hello", {
      protocol: PROTOCOL,
      host: "opencode",
      version: VERSION,
      directory: this.directory,
      worktree: this.worktree,
    })
    if (welcome?.protocol !== PROTOCOL)
      throw new Error(`mdmem ${welcome?.version} speaks protocol ${welcome?.protocol}, this plugin ${PROTOCOL}: run mdmem init --with opencode`)
    this.unknown.clear()
    this.log("info", `${welcome.version} serves ${welcome.store ?? "no store yet"}`)
  }

  private send<T>(child: Child, method: string, params: object): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.child !== child) return reject(this.trouble)
      const id = ++this.lastId
      child.waiting.set(id, { resolve, reject })
      child.process.stdin?.write(JSON.stringify({ id, method, params }) + "\n")
    })
  }

  private listen(child: Child) {
    const { stdin, stdout, stderr } = child.process
    let rest = ""
    stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      rest += chunk
      const lines = rest.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) this.receive(child, line)
      if (rest.length > MAX_LINE) this.lose(child, "the server said a line that does not end")
    })
    stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      child.stderr = (child.stderr + chunk).slice(-2_000)
    })
    // A pipe to a process that has died: its exit says what happened.
    for (const stream of [stdin, stdout, stderr]) stream?.on("error", () => {})
    child.process.on("error", (error) => this.lose(child, `the server cannot run: ${messageOf(error)}`))
    child.process.on("exit", (code, signal) => {
      const last = child.stderr.trim().split("\n").pop()
      this.lose(child, `the server ended (${signal ?? `exit code ${code}`})${last ? `: ${last}` : ""}`)
    })
  }

  private receive(child: Child, line: string) {
    if (line.trim() === "") return
    let message: any
    try {
      message = JSON.parse(line)
    } catch {
      return this.lose(child, `the server said what is no answer: ${line.slice(0, 80)}`)
    }
    const waiting = child.waiting.get(message?.id)
    if (!waiting) return
    child.waiting.delete(message.id)
    if (message.error) waiting.reject(new Refused(String(message.error.kind), String(message.error.message)))
    else waiting.resolve(message.result)
  }

  /** Gives a server up: who waits for it hears why, and the next one may start after the backoff. */
  private lose(child: Child, reason: string) {
    if (this.child !== child) return
    this.child = undefined
    this.postpone(new Lost(reason))
    attempt(() => child.process.kill())
    for (const { reject } of child.waiting.values()) reject(this.trouble)
    child.waiting.clear()
    if (!this.disposed) this.log("warn", reason)
  }

  private postpone(trouble: Error) {
    this.trouble = trouble
    this.failures += 1
    const wait = this.failures === 1 ? 0 : Math.min(MAX_BACKOFF, BACKOFF * 2 ** (this.failures - 2))
    this.retryAt = Date.now() + wait
  }

  /** The binary: the one that MDMEM_BIN names, else the first on PATH, else cargo's. */
  private find(): string {
    const name = process.platform === "win32" ? "mdmem.exe" : "mdmem"
    const named = process.env.MDMEM_BIN
    const candidates = named
      ? [named]
      : [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), join(homedir(), ".cargo", "bin")].map((folder) => resolve(folder, name))
    const found = candidates.find(isProgram)
    if (found) return found
    const message = named
      ? `MDMEM_BIN names no program: ${named}`
      : "there is no mdmem on PATH or in ~/.cargo/bin: install it (cargo install mdmem) or set MDMEM_BIN"
    this.once("warn", `memory is off: ${message}`)
    throw new Absent(message)
  }

  private once(level: Level, message: string) {
    if (this.said.has(message)) return
    this.said.add(message)
    this.log(level, message)
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The value of `promise`, or a {@link Late} after `deadline` milliseconds. */
function within<T>(deadline: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`${what} took more than ${deadline} ms`)), deadline)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function attempt(action: () => unknown) {
  try {
    action()
  } catch {
    // Nothing here is worth a turn.
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
