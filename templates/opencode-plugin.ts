// The mdmem plugin for OpenCode, written by `mdmem init --with opencode`.
//
// It passes on and decides nothing: `mdmem serve` hears what is said and done, and renders the memory; this file puts
// that into the system prompt. Whatever goes wrong here must not cost the user a turn. So nothing is thrown out of a
// hook, every wait has an end, and while the server is gone the last text that it gave is served again and what it
// has to hear is kept for it; OpenCode's log says so.
import { spawn, type ChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import { accessSync, constants, statSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { isMainThread } from "node:worker_threads"

const VERSION = "0.1.0"
const PROTOCOL = 1

/** How long a hook may wait, in milliseconds. OpenCode waits for a hook before every model step. */
const PROMPT_DEADLINE = 300
const DEADLINE = 1_000
/**
 * A session that has no text yet has nothing to fall back on, and the provider would cache a prompt without
 * memory: once in its life, and once after a compaction, it may wait this long, for a server that is just starting.
 */
const FIRST_PROMPT_DEADLINE = 2_000
/** A model that uses a tool has asked for the answer. */
const CALL_DEADLINE = 5_000
/** Nobody waits for a delivery: a server that works through a long line of them is not stuck. */
const DELIVERY_DEADLINE = 10_000
/** How long the deletion of a session of mdmem's own may take. */
const CLEAR_DEADLINE = 10_000
/** What is still to be delivered when OpenCode ends. */
const DISPOSE_DEADLINE = 5_000

/** The first restart is at once; then the wait doubles from the first to the second of these. */
const BACKOFF = 500
const MAX_BACKOFF = 60_000
/** A server that lets so many deadlines pass in a row is stuck, and is replaced. */
const MAX_SILENCES = 3
/** The longest line that the server may say, in characters; more is no answer. */
const MAX_LINE = 16 * 1024 * 1024

/** What is sent of a tool's output, of its arguments and of a message or summary, in bytes: head and tail of it. */
const MAX_OUTPUT = 256 * 1024
/** A longer output is not pruned, in characters: each may take six bytes of a line, and a line has an end. */
const MAX_PRUNED = 2 * 1024 * 1024
const MAX_ARGUMENT = 64 * 1024
const MAX_TEXT = 6 * 1024 * 1024
/** What is kept of a session for a server that is away, in letters and in characters. */
const MAX_LETTERS = 500
const MAX_KEPT = 16 * 1024 * 1024
/**
 * A letter that was given to a server so often and never taken may never be; between two times it may rest. What the
 * user said is then set aside for so long a time for each attempt, and does not hold up the rest.
 */
const MAX_ATTEMPTS = 5
const LETTER_RESTS = 1_000
const ASIDE = 60_000

/** The command that renders a session's memory anew. */
const FLUSH_COMMAND = "memory-flush"
const FLUSHED = "The memory in the system prompt has just been read anew."
const COMMANDS: Record<string, string> = {
  memory: "Show what is remembered, and where",
  remember: "Remember what follows, word for word",
  forget: "Take back the memory that says what follows",
  [FLUSH_COMMAND]: "Read the memory anew, for this session",
}
/**
 * OpenCode would run what stands in !`…` of a template with the typed words in it. Because of the placeholder it leaves
 * them out; they take the place of this text afterwards.
 */
const TEMPLATE = "mdmem$999999"
/** In a terminal of its own OpenCode runs plugins in a worker, and takes no notice of a command that a plugin ended. */
const IS_TERMINAL = !isMainThread
/** The process ends with the turn. */
const IS_RUN = process.argv.includes("run")
/** `opencode run` and editors show nothing of a message but what was typed. */
const IS_SEEN = !["run", "acp"].some((mode) => process.argv.includes(mode))
const REPEAT = "The command has been carried out. Repeat to the user what it says above, and do nothing else."
const ACKNOWLEDGE = "The command has been carried out, and the user has seen what it says above. Answer in one short sentence, and do nothing else."
const UNCONFIRMED = "mdmem has not answered yet: if this message asks for something to be remembered, that is not confirmed. The outcome follows with a later message."
const NOT_KEPT = "mdmem cannot be reached, and too much waits for it already: what this message asks to remember is not kept. It has to be said again later."
const KEPT_IN_MEMORY = "mdmem cannot be reached: what you say is kept in memory until it is back, or OpenCode ends"
/** The title of the session of a question of mdmem's own, also of one that a crash left. */
const OWN_TITLE = /^mdmem pass [0-9A-Za-z]{26}$/
/** The permission to write what every workspace shows. */
const PERMISSION = "memory_global"

type Level = "debug" | "info" | "warn" | "error"
type Log = (level: Level, message: string) => void

type Schema = { properties?: Record<string, unknown>; required?: string[] }
type ToolOffer = { name: string; description: string; schema: Schema }
type Watch = { state: string; detail?: string; since?: string }
/**
 * `usage`: the server wants to hear what an answer took; `prune`: it wants to see tool outputs; `passes`: it wants the
 * conversations that rest; `asks`: it has questions for the small model.
 */
type HelloResult = { protocol: number; store: string | null; tools: ToolOffer[]; version: string; watch?: Watch; prune?: boolean; usage?: boolean; passes?: boolean; asks?: boolean }
type PromptResult = { system: string[]; reason: string; hash: string }
type Toast = { message: string; variant: "info" | "success" | "warning" | "error" }
type Told = { text: string; toast?: Toast }
type MessageResult = { told?: Told }

type Part = { id: string; type: string; text?: string; synthetic?: boolean; ignored?: boolean }
type Message = { info: any; parts: Part[] }
type Todo = { content: string; status: string; priority?: string }
type CompactingResult = { context?: string; prompt?: string }
type CallResult = { text?: string; ask?: string; compact?: boolean }
type UsageResult = { advice?: string; intervention?: string }
type Limits = { context?: number; input?: number; output?: number }
type Model = { id: string; providerID: string; limit?: Limits }
/** What OpenCode is told about compacting by itself. */
type Compaction = { auto?: boolean; reserved?: number }
type PruneResult = { output?: string }
/** A question for the small model, to be asked in a session of this title; the answer has `time` ms and `most` bytes. */
type Question = { title: string; parent?: string | null; model: string; system: string; text: string; time: number; most: number }
type PassResult = { ask?: Question; clear?: string[] }
type Listed = { id: string; title?: string; parentID?: string }
type ToolContext = {
  sessionID: string
  ask(request: { permission: string; patterns: string[]; always: string[]; metadata: object }): Promise<unknown>
}
type OfSession = { path: { id: string } }
/** Who answers a user's message. */
type Voice = { agent?: string; model?: object }

type Host = {
  directory: string
  worktree: string
  client: {
    app: { log(request: { body: { service: string; level: Level; message: string } }): Promise<unknown> }
    session: {
      get(request: OfSession): Promise<{ data?: Listed }>
      list(request: { query: { search: string } }): Promise<{ data?: Listed[] }>
      create(request: { body: object }): Promise<{ data?: Listed; error?: unknown }>
      abort(request: OfSession): Promise<unknown>
      delete(request: OfSession): Promise<{ error?: unknown }>
      todo(request: OfSession): Promise<{ data?: Todo[] }>
      messages(request: OfSession): Promise<{ data?: Message[] }>
      prompt(request: OfSession & { body: object }): Promise<{ data?: Message; error?: unknown }>
      promptAsync(request: OfSession & { body: object }): Promise<{ error?: unknown }>
      summarize(request: OfSession & { body: object }): Promise<{ error?: unknown }>
      update(request: OfSession & { body: { title: string } }): Promise<unknown>
    }
    tui: { showToast(request: { body: Toast }): Promise<unknown> }
  }
}

/** What is remembered of a session, for as long as OpenCode runs. */
type Session = {
  /** What the server must hear of it. */
  outbox: Outbox
  /** The session's parent: null for none, undefined while nobody could say. */
  parent?: Promise<string | null | undefined>
  /** The last texts served. */
  system?: string[]
  /** Its next prompt is the first one, of the session or of what a compaction left of it. */
  begins: boolean
  /** When the model last answered, in milliseconds since 1970. */
  lastResponseAt?: number
  /** The context that the last answer had used, in tokens. */
  tokens?: number
  /** The model of the last request. */
  model?: Model
  /** The last word about an answer's use is under way. */
  measured?: Promise<void>
  /** How full the context is, for the model: it stands at the end of the next output of a tool. */
  advice?: string
  /** The same, as a message of its own once the model rests. */
  intervention?: string
  /** Hears that the compaction which the model asked for is in OpenCode's hands. */
  compacting?: () => void
  /** The compactions that came about. */
  compactions: number
  /** The last answer whose use has been told. */
  counted?: string
  /** The tool calls that have been told, the last ones. */
  calls: Set<string>
  /** The command whose message comes next: its expanded text, and what of it the user typed. */
  command?: { text: string; typed: string }
  /** A compaction is under way: the texts that it has given so far, by message. */
  compaction?: Map<string, string[]>
  /** What became of earlier messages, for the model: it is told with the next one. */
  untold: string[]
  /** Who answered the last message; undefined before the first one. */
  voice?: Voice
  /** The model is at work. */
  isBusy: boolean
  /** The answers to commands that the person is shown once the model rests. */
  answers: string[]
  /** A command came before the first message: OpenCode gives such a session no title. */
  isUntitled: boolean
  /** The last summary that has been told. */
  summary?: { messageId: string; text: string }
  /** The system prompt of the question of mdmem's own that is answered in it: nothing of it is anybody's word. */
  question?: string
}

export const MdmemPlugin = async (host: Host) => {
  const log: Log = (level, message) => {
    // Not awaited: while a plugin is being loaded the client answers only afterwards. OpenCode's log leaves the
    // service out, so the message names it.
    const body = { service: "mdmem", level, message: `mdmem: ${message}` }
    attempt(() => host.client.app.log({ body }).catch(() => {}))
  }
  // This OpenCode answers a question of mdmem's own: nothing of it is anybody's word.
  if (process.env.MDMEM_PASS) return {}
  const release = claim(host.directory)
  if (!release) {
    log("info", "another copy of this plugin serves this directory: this one does nothing")
    return {}
  }
  const bridge = new Bridge(host, log)

  /** A hook that throws nothing; `trouble` says what it left undone. */
  const guarded =
    <Input, Output>(trouble: string, hook: (input: Input, output: Output) => unknown) =>
    async (input: Input, output: Output) => {
      try {
        await hook(input, output)
      } catch (error) {
        if (error instanceof CarriedOut) throw error
        log("warn", `${trouble}: ${messageOf(error)}`)
      }
    }

  return {
    tool: await bridge.tools(),

    config: guarded("there are no commands", (config: { command?: Record<string, object>; permission?: unknown; compaction?: Compaction; small_model?: string }, _: void) => {
      bridge.compaction = config.compaction ?? {}
      bridge.smallModel = wordsOf(config.small_model)
      bridge.answerQuestions()
      if (bridge.absent) return
      // Without a word about it, OpenCode allows what it is asked for the first time.
      config.permission ??= {}
      if (isRecord(config.permission)) config.permission[PERMISSION] ??= "ask"
      config.command ??= {}
      for (const [name, description] of Object.entries(COMMANDS)) {
        if (name in config.command) log("info", `/${name} is another command here`)
        else config.command[name] = { description, template: TEMPLATE }
      }
    }),

    "tool.definition": guarded(
      "a tool has no schema of its own",
      ({ toolID }: { toolID: string }, output: { jsonSchema?: object }) => {
        const offer = bridge.offer(toolID)
        // Made from `args` alone, every property would be required.
        if (offer) output.jsonSchema = { ...output.jsonSchema, required: [], ...offer.schema }
      },
    ),

    "chat.message": guarded(
      "a message was not passed on",
      async (_: unknown, output: { message: Voice & { id: string; sessionID: string }; parts: Part[] }) => {
        const { id, sessionID } = output.message
        const told = await bridge.message(sessionID, id, output.parts, output.message)
        if (told) output.parts.push(synthetic(told, id, sessionID, output.parts))
      },
    ),

    "command.execute.before": guarded(
      "a command was not understood",
      async (input: { command: string; sessionID: string; arguments: string }, { parts }: { parts: Part[] }) => {
        const template = parts.find(({ type, text }) => type === "text" && text === TEMPLATE.split("$")[0])
        if (!template || !(input.command in COMMANDS)) return bridge.command(input.sessionID, input.arguments, parts)
        const answer = await bridge.carryOut(input.command, input.sessionID, input.arguments)
        template.text = answer
        bridge.command(input.sessionID, "", parts)
        parts.push({ type: "text", text: IS_SEEN ? ACKNOWLEDGE : REPEAT, synthetic: true } as Part)
      },
    ),

    "experimental.chat.system.transform": guarded(
      "no memory in this request",
      async (
        input: { sessionID?: string; model?: Model },
        output: { system: string[] },
      ) => {
        // Without a session it is no conversation (OpenCode writes an agent's description this way).
        if (!input.sessionID || isHousekeeping(output.system[0])) return
        const question = bridge.known(input.sessionID)?.question
        // What OpenCode tells an agent is of no use to who answers it, and would be paid for.
        if (question !== undefined) return void output.system.splice(0, Infinity, question)
        const texts = await bridge.prompt(input.sessionID, input.model)
        // An older copy of this file may run beside this one.
        output.system.push(...texts.filter((text) => !output.system.includes(text)))
      },
    ),

    "tool.execute.after": guarded(
      "a tool's use was not passed on",
      async (input: { tool: string; sessionID: string; callID: string; args: unknown }, output: any) => {
        // Not awaited: nobody is told anything by the answer.
        const exit = input.tool === "bash" ? integer(output?.metadata?.exit) : undefined
        bridge.toolUsed(input.sessionID, input.callID, input.tool, input.args, { output: textOf(output), exit })
        const place = placeOf(output)
        const pruned = place && (await bridge.pruned(input.sessionID, input.callID, input.tool, input.args, { output: place.text, exit }))
        if (pruned) place.put(pruned)
        await bridge.advise(input.sessionID, output)
      },
    ),

    "experimental.session.compacting": guarded(
      "OpenCode's own prompt for the summary stays",
      async ({ sessionID }: { sessionID: string }, output: { context?: string[]; prompt?: string }) => {
        const { prompt, context } = await bridge.compacting(sessionID, output)
        // Meanwhile nobody else could set it: hooks run one after the other.
        if (prompt) output.prompt = prompt
        else if (context) (output.context ??= []).push(context)
      },
    ),

    "experimental.text.complete": guarded(
      "a text was not kept",
      async (input: { sessionID: string; messageID: string }, output: { text: string }) => {
        const texts = bridge.session(input.sessionID).compaction
        if (!texts) return
        texts.set(input.messageID, [...(texts.get(input.messageID) ?? []), output.text])
        const left = await bridge.summarized(input.sessionID, output.text)
        if (left) output.text = left
      },
    ),

    event: guarded("an event was not understood", ({ event }: { event: { type: string; properties?: any } }, _: void) => {
      const handle = EVENTS[event.type]
      if (!handle) return
      const id = handle(bridge, event.properties)
      // What could not be delivered is sent again at the next event of its session.
      if (id) bridge.known(id)?.outbox.deliver()
    }),

    dispose: guarded("the server did not end well", async () => {
      release()
      await bridge.dispose()
    }),
  }
}

/** What each event of OpenCode's means here; gives the session that it is about. */
const EVENTS: Record<string, (bridge: Bridge, properties: any) => string | undefined> = {
  "session.created": (bridge, { info }) => bridge.born(info),
  "session.updated": (_, { info }) => info?.id,
  "session.status": (bridge, { sessionID, status }) => {
    const known = bridge.known(sessionID)
    if (known) known.isBusy = status?.type !== "idle"
    return sessionID
  },
  "session.idle": (bridge, { sessionID }) => {
    const known = bridge.known(sessionID)
    if (!known) return sessionID
    // Idle without a word that it was compacted: the compaction came to nothing.
    known.compaction = undefined
    known.isBusy = false
    if (known.answers.length > 0) bridge.show(sessionID, known.answers.splice(0).join("\n\n"))
    bridge.rested(sessionID)
    bridge.intervene(sessionID)
    return sessionID
  },
  "session.compacted": (bridge, { sessionID }) => bridge.compacted(sessionID),
  "session.deleted": (bridge, { sessionID, info }) => bridge.deleted(sessionID ?? info.id, info),
  "message.updated": (bridge, { info }) => bridge.answered(info),
  "message.part.updated": (bridge, { part }) => {
    if (part?.type === "compaction") bridge.known(part.sessionID)?.compacting?.()
    const { status, error, input, time } = part?.state ?? {}
    // A fork tells the parts that it copies once more, under new ids.
    if (part?.type !== "tool" || status !== "error" || isPast(time?.end)) return undefined
    bridge.toolUsed(part.sessionID, part.callID, part.tool, input, { error: String(error) })
    return part.sessionID
  },
}

/** One directory's conversations on one side, `mdmem serve` on the other. */
class Bridge {
  private readonly server: Server
  private readonly sessions = new Map<string, Session>()
  /** The tools that the server offered first; OpenCode asks for them once. */
  private readonly offers = new Map<string, ToolOffer>()
  private latest?: string[]
  private troubled = false
  /** The person knows that messages wait in memory. */
  private isKeeping = false
  compaction: Compaction = {}
  /** OpenCode's model for small things. */
  smallModel?: string
  /** The system prompts of mdmem's own questions, by the titles of their sessions. */
  private readonly questions = new Map<string, string>()
  private isAnswering = false

  constructor(
    private readonly host: Host,
    private readonly log: Log,
  ) {
    this.server = new Server(host.directory, host.worktree, log)
  }

  /** There is no mdmem on this machine. */
  get absent(): boolean {
    return this.server.absent
  }

  known(id: string): Session | undefined {
    return this.sessions.get(id)
  }

  session(id: string): Session {
    const known = this.sessions.get(id)
    if (known) return known
    const outbox = new Outbox(this.server, () => this.parentOf(id), this.log)
    const fresh: Session = {
      outbox,
      begins: true,
      calls: new Set(),
      untold: [],
      isBusy: false,
      answers: [],
      isUntitled: false,
      compactions: 0,
    }
    this.sessions.set(id, fresh)
    return fresh
  }

  /** A session's parent: asked for once; a question without an answer is put again the next time. */
  async parentOf(id: string): Promise<string | null | undefined> {
    const known = this.session(id)
    known.parent ??= within(DEADLINE, "the session's parent", this.host.client.session.get({ path: { id } })).then(
      ({ data }) => (data ? this.parentIn(data) : undefined),
      () => undefined,
    )
    const parent = await known.parent
    if (parent === undefined) known.parent = undefined
    return parent
  }

  born(info: Listed): string {
    const known = this.session(info.id)
    known.question = this.questions.get(info.title ?? "")
    known.parent = Promise.resolve(this.parentIn(info))
    return info.id
  }

  /** A session of mdmem's own works for somebody in any case. */
  private parentIn({ title = "", parentID }: Listed): string | null {
    return parentID ?? (OWN_TITLE.test(title) ? title : null)
  }

  /** The tools that the server offers; none when it does not answer in time. */
  async tools(): Promise<Record<string, object>> {
    try {
      const offers = await this.server.offers()
      for (const offer of offers.filter(isOffer)) this.offers.set(offer.name, offer)
    } catch (error) {
      if (!(error instanceof Absent)) this.log("warn", `there are no memory tools until OpenCode starts again: ${messageOf(error)}`)
    }
    return Object.fromEntries([...this.offers.values()].map((offer) => [offer.name, this.tool(offer)]))
  }

  offer(name: string): ToolOffer | undefined {
    return this.offers.get(name)
  }

  private tool({ name, description, schema }: ToolOffer): object {
    return {
      description,
      args: schema.properties ?? {},
      execute: (args: unknown, context: ToolContext) => this.call(context, name, args),
    }
  }

  /** What a tool says to the model. A refusal is thrown: the model is shown its text as the call's error. */
  private async call(context: ToolContext, tool: string, args: unknown): Promise<string> {
    const id = context.sessionID
    const parent = (await this.parentOf(id)) ?? undefined
    const known = this.session(id)
    const { voice, compactions } = known
    // What the user has just said comes first.
    await this.delivered(known, DEADLINE)
    try {
      const params = { session: id, parent, tool, args, endsWithTurn: IS_RUN || undefined }
      let answer = await this.server.ask<CallResult>("call", params, CALL_DEADLINE)
      if (typeof answer?.ask === "string") {
        await this.permitted(context, tool, answer.ask, args)
        answer = await this.server.ask<CallResult>("call", { ...params, allowed: true }, CALL_DEADLINE)
      }
      if (typeof answer?.text !== "string") throw new Error("the server answered without a text")
      if (answer.compact) {
        const isOvertaken = known.voice !== voice || known.compactions !== compactions
        if (isOvertaken) throw new Refused("refused", "nothing is compacted: a message or a compaction came first")
        await this.compact(id)
      }
      return answer.text
    } catch (error) {
      if (error instanceof Refused || error instanceof NotAllowed) throw error
      throw new Error(`${tool} got no answer, and may or may not have been carried out (${messageOf(error)}): go on without it`)
    }
  }

  /** Asks the person whether a tool may do what it is about to do; throws when not, or when nobody can be asked. */
  private async permitted(context: ToolContext, tool: string, question: string, args: unknown) {
    // `opencode run` answers by itself, with yes or no, and nobody sees it.
    if (IS_RUN) throw new NotAllowed(`${question}, and nobody can be asked here: ${tool} did nothing`)
    const pattern = cut(JSON.stringify(args) ?? tool, 500)
    try {
      await context.ask({ permission: PERMISSION, patterns: [pattern], always: [], metadata: { question } })
    } catch {
      throw new NotAllowed(`${question}, and did not: ${tool} did nothing`)
    }
  }

  /** Passes a user's message on; what comes back is what the model is told with it. */
  async message(id: string, messageId: string, parts: Part[], { agent, model }: Voice): Promise<string | undefined> {
    const known = this.session(id)
    const text = plain(this.typed(known, parts))
    if (text.trim() === "") return undefined
    known.voice = { agent, model }
    // What is due is told with this message.
    known.advice = known.intervention = undefined
    if (known.isUntitled) this.entitle(id, text)
    const told = [...known.untold.splice(0), ...(await this.heard(known, { session: id, messageId, text }))]
    return told.length > 0 ? told.join("\n\n") : undefined
  }

  /** Passes on what the user said; what comes back in time is told now, what comes later with the next message. */
  private async heard(known: Session, params: object): Promise<string[]> {
    const told: string[] = []
    let isTurnOver = false
    const arrived = (result: MessageResult) => {
      const words = this.told(result)
      if (words) (isTurnOver ? known.untold : told).push(words)
    }
    const delivery = known.outbox.post("message", params, arrived)
    const isDelivered = await within(DEADLINE, "message", delivery).catch(() => false)
    isTurnOver = true
    // Who has no mdmem at all is not told with each message.
    if (!isDelivered && !this.server.neverThere) {
      this.log("warn", "a message is not confirmed yet")
      told.push(UNCONFIRMED)
      const isAway = this.server.absent || this.server.restsFor > 0
      if (isAway && !this.isKeeping) this.toast({ message: KEPT_IN_MEMORY, variant: "warning" })
      this.isKeeping ||= isAway
    }
    if (isDelivered) this.isKeeping = false
    return told
  }

  /** Shows the person what became of a message; gives the words for the model. */
  private told(result: MessageResult): string | undefined {
    const { text, toast } = result?.told ?? {}
    if (typeof toast?.message === "string") this.toast(toast)
    // A part whose text is no text would end the user's turn.
    return wordsOf(text)
  }

  /** A line on the person's screen, where there is a screen. */
  private toast({ message, variant }: Toast) {
    attempt(() => this.host.client.tui.showToast({ body: { message, variant } }).catch(() => {}))
  }

  /** What the user has typed of a message: of a command, what stands behind its name. */
  private typed(known: Session, parts: Part[]): string {
    const text = texts(parts).join("\n")
    const command = known.command
    known.command = undefined
    return unquoted(command?.text === text ? command.typed : text)
  }

  /** A command has been expanded; its message comes next. */
  command(id: string, typed: string, parts: Part[]) {
    this.session(id).command = { text: texts(parts).join("\n"), typed }
  }

  /**
   * Carries out one of our commands, and gives the words about it. Throws {@link CarriedOut} where the person is shown
   * them without a turn of the model's.
   */
  async carryOut(command: string, id: string, typed: string): Promise<string> {
    const known = this.session(id)
    const answer = await this.answer(known, command, id, typed)
    if (!IS_TERMINAL) return answer
    // The model learns with the next message what it has to know.
    if (command === "remember" || command === "forget") known.untold.push(answer)
    if (known.isBusy) {
      // A message in the middle of a turn would begin another one.
      known.answers.push(answer)
      this.toast({ message: answer.slice(0, 300), variant: "info" })
    } else if (!(await this.show(id, answer))) {
      known.untold = known.untold.filter((words) => words !== answer)
      return answer
    }
    throw new CarriedOut("mdmem has carried out the command; this ends it without a turn of the model's")
  }

  private async answer(known: Session, command: string, id: string, typed: string): Promise<string> {
    try {
      if (await this.parentOf(id)) return "A sub-agent's session has no memory of its own: give the command in the session that it works for."
      if (command === "remember" || command === "forget") {
        const params = { session: id, messageId: `${command} ${randomUUID()}`, text: plain(typed), command }
        const told = await this.heard(known, params)
        if (told.length === 0) throw new Error("it was not taken, and OpenCode's log says why")
        return told.join("\n\n")
      }
      await this.delivered(known, DEADLINE)
      if (command === FLUSH_COMMAND) {
        await this.server.ask("flush", { session: id }, DEADLINE)
        return FLUSHED
      }
      const { text } = await this.server.ask<{ text: string }>("overview", { session: id }, DEADLINE)
      return String(text)
    } catch (error) {
      return `/${command} came to nothing: ${messageOf(error)}`
    }
  }

  /** Shows the person a text in the conversation, without a turn of the model's, which is never shown it. */
  async show(id: string, text: string): Promise<boolean> {
    const known = this.session(id)
    if (!known.voice) known.isUntitled = true
    const body = { ...known.voice, noReply: true, parts: [{ type: "text", text, ignored: true }] }
    const placed = within(DEADLINE, "the answer", this.host.client.session.prompt({ path: { id }, body }))
    return placed.then(({ error }) => !error, () => false)
  }

  /** OpenCode makes a title from a first message alone, and takes the answer to a command for one. */
  private entitle(id: string, text: string) {
    this.session(id).isUntitled = false
    const title = text.trim().split("\n")[0].slice(0, 60)
    attempt(() => this.host.client.session.update({ path: { id }, body: { title } }).catch(() => {}))
  }

  /** The texts for a session's next request: the server's, or the last ones when it has none to give. */
  async prompt(id: string, model: Model | undefined): Promise<string[]> {
    const known = this.session(id)
    known.model = model
    const limit = whole(model?.limit?.context)
    if (await this.parentOf(id)) return []
    const { lastResponseAt, tokens, begins } = known
    known.begins = false
    // A summary that is still on its way begins the epoch that this request belongs to.
    if (begins && known.outbox.holds("compacted")) await this.delivered(known, DEADLINE)
    const deadline = begins ? FIRST_PROMPT_DEADLINE : PROMPT_DEADLINE
    // What the server froze for an answer that came too late is what it serves next: the better text to fall back on.
    const late = (answer: PromptResult) => void (known.system = promptTexts(answer))
    try {
      const params = { session: id, tokens, limit, lastResponseAt }
      const answer = await this.server.ask<PromptResult>("prompt", params, deadline, { late })
      known.system = promptTexts(answer)
      this.latest = known.system
      if (this.troubled) this.log("info", "the server answers again")
      this.troubled = false
      return known.system
    } catch (error) {
      // Another session's hot state means nothing here; the workspace's memory, which comes first, does.
      known.system ??= this.latest?.slice(0, 1)
      const served = known.system ? "served the last text" : "served no memory"
      // That there is no mdmem at all has been said; it is said again only to whom it takes a memory away.
      const silent = this.troubled || (error instanceof Absent && !known.system)
      if (!silent) this.log("warn", `${served}: ${messageOf(error)}`)
      this.troubled = true
      return known.system ?? []
    }
  }

  /** Tells of one tool call, once, whichever hook comes first. */
  toolUsed(id: string, callId: string, tool: string, args: unknown, result: { output?: string; exit?: number | null; error?: string }) {
    const { outbox, calls } = this.session(id)
    if (this.offers.has(tool) || calls.has(callId)) return
    calls.add(callId)
    if (calls.size > MAX_LETTERS) calls.delete(calls.values().next().value as string)
    const output = result.output && cut(result.output, MAX_OUTPUT)
    const error = result.error && cut(result.error, MAX_OUTPUT)
    outbox.post("tool", { session: id, callId, tool, args: shortened(args), ...result, output, error })
  }

  /** A tool's output as the conversation is to have it; undefined where that is as it is. */
  async pruned(id: string, callId: string, tool: string, args: unknown, result: { output: string; exit?: number | null }): Promise<string | undefined> {
    const { output } = result
    // What has to be changed to be sent cannot take the place of what the tool said.
    if (!this.server.prunes || this.offers.has(tool) || output.length > MAX_PRUNED || !output.isWellFormed()) return undefined
    // An answer that cannot say that there is no parent may be one that comes too late.
    if ((await this.parentOf(id)) !== null) return undefined
    const params = { session: id, callId, tool, args: shortened(args), ...result }
    const answer = await this.server.ask<PruneResult>("prune", params, DEADLINE)
    return typeof answer?.output === "string" && answer.output !== "" ? answer.output : undefined
  }

  /**
   * The words for a compaction: a part for the end of OpenCode's own prompt, or a prompt in its place; neither where
   * another plugin's is to stay.
   */
  async compacting(id: string, { context, prompt }: { context?: string[]; prompt?: string }): Promise<CompactingResult> {
    const known = this.session(id)
    known.compaction = new Map()
    if (prompt || (await this.parentOf(id))) return {}
    const [todos, before] = await Promise.all([this.todos(id), this.lastSummary(id), this.delivered(known, DEADLINE)])
    const params = { session: id, todos, context: context ?? [] }
    const answer = await this.server.ask<CompactingResult>("compacting", params, DEADLINE)
    if (typeof answer?.context === "string" && answer.context !== "") return { context: answer.context }
    if (typeof answer?.prompt !== "string" || answer.prompt === "") throw new Error("the server answered without a prompt")
    // OpenCode shows the model what came before the last compaction in its own prompt alone.
    return { prompt: before ? `${answer.prompt}\n\n${priorSummary(before.text)}` : answer.prompt }
  }

  /** The summary without what is meant for mdmem, once the server has kept that; undefined where it stays as it is. */
  async summarized(id: string, text: string): Promise<string | undefined> {
    if (await this.parentOf(id)) return undefined
    const summary = plain(text)
    // What had to be changed to be sent must not take the place of what the model wrote.
    if (summary !== text) return undefined
    const answer = await this.server.ask<{ text: string }>("summarized", { session: id, summary }, DEADLINE)
    return typeof answer?.text === "string" && answer.text.trim() !== "" ? answer.text : undefined
  }

  /** A session was compacted: its summary goes to the server, and a new epoch begins. */
  compacted(id: string): string {
    const known = this.session(id)
    const seen = [...(known.compaction ?? [])].pop()
    known.compaction = known.advice = known.intervention = undefined
    known.compactions += 1
    const found = seen
      ? Promise.resolve({ messageId: seen[0], text: seen[1].join("\n") })
      : this.lastSummary(id)
    const told = known.summary?.messageId
    const params = found.then((summary) => {
      if (!summary || summary.messageId === told) return undefined
      known.summary = summary
      return { session: id, summary: plain(summary.text) }
    })
    // The outbox meets the error, maybe later than it may go unheard.
    params.catch(() => {})
    known.begins = true
    known.outbox.post("compacted", params)
    return id
  }

  private async todos(id: string): Promise<Todo[]> {
    try {
      const { data } = await within(DEADLINE, "the todos", this.host.client.session.todo({ path: { id } }))
      return (data ?? []).map(({ content, status, priority }) => ({ content, status, priority: priority ?? "" }))
    } catch (error) {
      this.log("debug", `the summary knows no todos: ${messageOf(error)}`)
      return []
    }
  }

  /** The summary of the session's last compaction; throws when nobody can say whether there is one. */
  private async lastSummary(id: string): Promise<{ messageId: string; text: string } | undefined> {
    const asked = this.host.client.session.messages({ path: { id } })
    const { data } = await within(DEADLINE, "the session's messages", asked)
    if (!Array.isArray(data)) throw new Error("the session's messages are not there")
    const isSummary = ({ info }: Message) => info.role === "assistant" && info.summary === true && info.time?.completed && !info.error
    const summary = data.findLast(isSummary)
    return summary && { messageId: summary.info.id, text: texts(summary.parts).join("\n") }
  }

  /** Keeps from a finished answer when it came and how much of the context it had used, and tells it. */
  answered(info: any): string | undefined {
    if (info?.role !== "assistant" || typeof info.time?.completed !== "number") return info?.sessionID
    const id = info.sessionID
    const known = this.session(id)
    if (info.summary) {
      // A summary was written under another system prompt, and what it leaves of the context is not known yet.
      known.tokens = undefined
      return id
    }
    known.lastResponseAt = whole(info.time.completed)
    const { total, input = 0, output = 0, cache = {} } = info.tokens ?? {}
    const { read = 0, write = 0 } = cache
    known.tokens = whole(total ?? input + output + read + write) ?? known.tokens
    if (known.counted === info.id || isPast(info.time.completed) || !this.server.wantsUsage) return id
    known.counted = info.id
    const isSame = known.model?.id === info.modelID && known.model?.providerID === info.providerID
    const limits = isSame ? known.model?.limit : undefined
    const { auto, reserved } = this.compaction
    const tokens = { total, input, output, cacheRead: read, cacheWrite: write }
    const params = { session: id, model: `${info.providerID}/${info.modelID}`, ...tokens, limits, reserved, compacts: auto !== false }
    known.measured = this.measure(id, params)
    return id
  }

  /** Has the questions answered by a small model, one after the other: this server's, and those of each that follows. */
  async answerQuestions() {
    this.server.greeted = () => this.answerQuestions()
    if (this.isAnswering || IS_RUN) return
    this.isAnswering = true
    try {
      if (!(await this.server.asks())) return
      for (;;) {
        const task = await this.server.wait<PassResult>("pass", { smallModel: this.smallModel })
        if (task?.ask) await this.answerQuestion(task.ask)
        else if (task?.clear) for (const title of task.clear) await this.passed(title, {}).catch(() => {})
        else return
      }
    } catch (error) {
      this.log("debug", `no question is answered now: ${messageOf(error)}`)
    } finally {
      this.isAnswering = false
    }
  }

  /** Asks the model in a session of its own, which may do nothing and is deleted afterwards. */
  private async answerQuestion(question: Question) {
    const { title, parent, model, system, text, time, most } = question
    // Known before the session is there: OpenCode tells of it before it is given back.
    this.questions.set(title, system)
    const { session } = this.host.client
    const end = Date.now() + time
    const permission = [{ permission: "*", pattern: "*", action: "deny" }]
    try {
      const made = await within(time, "the session", session.create({ body: { title, parentID: parent ?? undefined, permission } }), end)
      const id = made.data?.id
      if (!id) throw new Error(`no session for it: ${cut(JSON.stringify(made.error) ?? "", 300)}`)
      const [providerID, ...names] = model.split("/")
      const body = { model: { providerID, modelID: names.join("/") }, tools: { "*": false }, parts: [{ type: "text", text }] }
      const { data, error } = await within(time, "the answer", session.prompt({ path: { id }, body }), end)
      const trouble = error ?? data?.info.error
      if (trouble || !data) throw new Error(cut(JSON.stringify(trouble) ?? "no answer", 300))
      await this.passed(title, { answer: texts(data.parts).join("\n").slice(0, most + 1) }, id)
    } catch (error) {
      // A server that hears nothing of it gives up by itself.
      await this.passed(title, { error: messageOf(error) }).catch(() => {})
    }
  }

  /** Deletes the session of a question, and tells the server what came of it. */
  private async passed(title: string, result: { answer?: string; error?: string }, id?: string) {
    const deleted = await within(CLEAR_DEADLINE, "the deletion", this.clear(title, id)).catch((error) => {
      this.log("debug", `a session of mdmem's own is still there: ${messageOf(error)}`)
      return false
    })
    await this.server.ask("passed", { title, deleted, ...result }, DELIVERY_DEADLINE)
  }

  /** True when there is no session of this title any more. */
  private async clear(title: string, id?: string): Promise<boolean> {
    const { session } = this.host.client
    const found = id ? [{ id, title }] : ((await session.list({ query: { search: title } })).data ?? [])
    for (const { id } of found.filter((listed) => listed.title === title)) {
      // One that still waits for its model would go on without this.
      await session.abort({ path: { id } }).catch(() => {})
      const { error } = await session.delete({ path: { id } })
      if (error) return false
    }
    return true
  }

  /** A conversation rests. Where the server gives such to a model, it is told what was said. */
  async rested(id: string) {
    if (this.server.hasQuestions) this.answerQuestions()
    if (!this.server.passes || (await this.parentOf(id))) return
    await this.tell(id, "idle", { session: id, messages: await this.said(id) })
  }

  /** What was said in a session; undefined where OpenCode does not say it in time: the server then looks for itself. */
  private async said(id: string): Promise<object[] | undefined> {
    try {
      const asked = this.host.client.session.messages({ path: { id } })
      const { data } = await within(DELIVERY_DEADLINE, "the session's messages", asked)
      const said = data?.filter(({ info }) => !info.summary)
      return said?.map(({ info, parts }) => ({ by: info.role, text: texts(parts).join("\n"), at: whole(info.time?.created) ?? 0 }))
    } catch (error) {
      this.log("debug", `what was said in a conversation that rests is not known: ${messageOf(error)}`)
    }
  }

  /** Tells what an answer took; what comes back is for the model. */
  private async measure(id: string, params: object) {
    const known = this.session(id)
    // A summary that is still on its way begins anew.
    if (known.outbox.holds("compacted")) await this.delivered(known, DEADLINE)
    const { compactions, voice } = known
    const answer = await this.tell<UsageResult>(id, "usage", params)
    if (known.compactions !== compactions || known.voice !== voice) return
    known.advice = wordsOf(answer?.advice)
    known.intervention ??= wordsOf(answer?.intervention)
  }

  /** Adds to a tool's output how full the context is, where the model is to know. */
  async advise(id: string, result: any) {
    const known = this.known(id)
    await within(PROMPT_DEADLINE, "the level of the context", known?.measured ?? Promise.resolve()).catch(() => {})
    if (!known?.advice || typeof result?.output !== "string") return
    result.output += `\n\n${known.advice}`
    known.advice = undefined
    this.tell(id, "advised", { session: id })
  }

  /** Says to a model that rests how full its context is. */
  async intervene(id: string) {
    const known = this.session(id)
    await known.measured
    const text = known.intervention
    if (!text || known.isBusy || IS_RUN) return
    known.advice = known.intervention = undefined
    await this.tell(id, "advised", { session: id })
    const body = { ...known.voice, parts: [{ type: "text", text, synthetic: true }] }
    this.toast({ message: text, variant: "info" })
    attempt(() => this.host.client.session.promptAsync({ path: { id }, body }).catch(() => {}))
  }

  /**
   * Has OpenCode compact a session in the middle of a turn, which then goes on. OpenCode does that when the tool which
   * asks for it has answered, so it is waited for no longer than until OpenCode knows about it.
   */
  private async compact(id: string) {
    const known = this.session(id)
    const { compactions, model } = known
    const failed = (cause: string) => {
      const words = `the compaction that memory_compact asked for came to nothing: ${cause}`
      this.log("warn", words)
      known.untold.push(`mdmem: ${words}`)
    }
    const body = { providerID: model?.providerID, modelID: model?.id, auto: true }
    const begun = new Promise<void>((resolve) => (known.compacting = resolve))
    const ended = this.host.client.session.summarize({ path: { id }, body }).then(
      ({ error }) => known.compactions === compactions && failed(error ? cut(JSON.stringify(error), 300) : "there is no summary"),
      (error) => failed(messageOf(error)),
    )
    await within(DEADLINE, "the compaction", Promise.race([begun, ended])).catch(() => {})
  }

  /** Asks something that nobody misses where there is no answer. */
  private async tell<T>(id: string, method: string, params: object): Promise<T | undefined> {
    try {
      if ((await this.parentOf(id)) === null) return await this.server.ask<T>(method, params, DELIVERY_DEADLINE)
    } catch (error) {
      this.log("debug", `${method} was not told: ${messageOf(error)}`)
    }
  }

  deleted(id: string, info: Listed | undefined): string {
    const known = this.session(id)
    if (info) known.parent = Promise.resolve(this.parentIn(info))
    // It may go with the conversation that it is about, while OpenCode still asks the model, over and over.
    if (known.question !== undefined) attempt(() => this.host.client.session.abort({ path: { id } }).catch(() => {}))
    const forget = async () => {
      // OpenCode asks for prompts of sessions that it has just deleted, and does not say any more whom they worked for.
      if (known.outbox.empty && !(await this.parentOf(id))) this.sessions.delete(id)
    }
    known.outbox.post("deleted", { session: id }).then(forget)
    return id
  }

  /** Waits until what has been said so far is delivered, or cannot be, or for so many milliseconds. */
  private delivered({ outbox }: Session, deadline: number): Promise<void> {
    return within(deadline, "what came before", outbox.deliver()).catch(() => {})
  }

  /** Delivers what is still to be delivered, as far as that can be done in a few seconds, and ends the server. */
  async dispose() {
    const end = Date.now() + DISPOSE_DEADLINE
    const outboxes = [...this.sessions.values()].map(({ outbox }) => outbox)
    // What the server refuses for now, it refuses a moment later too; nor does one that keeps dying come to life.
    const pending = () => (this.absent || this.server.restsFor > BACKOFF ? [] : outboxes.filter(({ ready }) => ready))
    while (pending().length > 0 && Date.now() < end) {
      const delivered = Promise.all(pending().map((outbox) => outbox.deliver()))
      await within(end - Date.now(), "the last delivery", delivered).catch(() => {})
      if (pending().length > 0) await pause(Math.min(Math.max(this.server.restsFor, 10), end - Date.now()))
    }
    // The texts stay in memory: they are not redacted, and a file would outlive this.
    const left = outboxes.reduce((sum, outbox) => sum + outbox.count("message"), 0)
    if (left > 0 && !this.server.neverThere) {
      const message = `${left} messages were not handed over to mdmem: what they ask to remember is not stored`
      this.log("warn", message)
      this.toast({ message, variant: "warning" })
    }
    await this.server.dispose()
  }
}

type Letter = {
  method: string
  params: object | Promise<object | undefined>
  size: number
  /** How often a server was given it, and when the next one may be. */
  attempts: number
  restsUntil: number
  /** Until then the letters behind it come first. */
  asideUntil: number
  /** Hears the server's answer. */
  arrived?: (answer: any) => void
}

/**
 * What the server must hear of one session, in order. A letter stays until the server has answered it, so that a
 * server that starts again misses nothing: whoever posts the next one, or hears of the session, sends it again.
 */
class Outbox {
  private letters: Letter[] = []
  private delivery?: Promise<void>

  constructor(
    private readonly server: Server,
    /** The session's parent: a sub-agent's letters are thrown away. */
    private readonly parent: () => Promise<string | null | undefined>,
    private readonly log: Log,
  ) {}

  get empty(): boolean {
    return this.letters.length === 0
  }

  /** A letter may be given to a server now. */
  get ready(): boolean {
    const next = this.next()
    return next !== undefined && next.restsUntil <= Date.now()
  }

  holds(method: string): boolean {
    return this.count(method) > 0
  }

  count(method: string): number {
    return this.letters.filter((letter) => letter.method === method).length
  }

  private next(): Letter | undefined {
    return this.letters.find(({ asideUntil }) => asideUntil <= Date.now())
  }

  /** Adds a letter and delivers what can be delivered now; false when this one must wait. */
  async post(method: string, params: object | Promise<object | undefined>, arrived?: (answer: any) => void): Promise<boolean> {
    const letter: Letter = { method, params, size: sizeOf(params), attempts: 0, restsUntil: 0, asideUntil: 0, arrived }
    // For an mdmem that may be installed one day, only what the user says is kept.
    if (this.server.neverThere && method !== "message") return true
    this.letters.push(letter)
    this.bound()
    await this.deliver()
    return !this.letters.includes(letter)
  }

  /** Delivers, until there is nothing left or the server cannot be reached. Never fails. */
  deliver(): Promise<void> {
    if (this.empty) return Promise.resolve()
    this.delivery ??= this.deliverAll()
    return this.delivery
  }

  private async deliverAll() {
    try {
      const parent = await this.parent()
      if (parent) this.letters = []
      if (parent === undefined) return
      for (let letter = this.next(); letter && !this.server.restsFor; letter = this.next()) {
        if (Date.now() < letter.restsUntil || !(await this.deliverOne(letter))) break
      }
    } finally {
      this.delivery = undefined
    }
  }

  /** Whether it is out of the way, which includes that the server refused it. */
  private async deliverOne(letter: Letter): Promise<boolean> {
    try {
      const params = await letter.params
      const sent = () => void (letter.attempts += 1)
      // Slow is as good as in time: it must not be said twice.
      const late = (answer: unknown) => {
        this.remove(letter)
        letter.arrived?.(answer)
      }
      if (params) {
        const answer = await this.server.ask(letter.method, params, DELIVERY_DEADLINE, { sent, late })
        letter.arrived?.(answer)
      }
    } catch (error) {
      // It stays until there is a server.
      if (error instanceof Absent) return false
      const kind = error instanceof Refused ? error.kind : undefined
      if (kind === "gone") {
        // It is not the letter's fault: a store on a disk that is not mounted comes back.
        if (letter.attempts === 1) this.log("warn", `${letter.method} waits: ${messageOf(error)}`)
        letter.restsUntil = Date.now() + LETTER_RESTS
        return false
      }
      const again = error instanceof Lost || error instanceof Late || kind === "failed"
      if (kind) letter.restsUntil = Date.now() + LETTER_RESTS * letter.attempts
      if (again && letter.attempts < MAX_ATTEMPTS) return false
      if (kind !== "unknown_method") this.log("warn", `${letter.method} was not taken: ${messageOf(error)}`)
      if (again && letter.method === "message") {
        letter.asideUntil = Date.now() + ASIDE * letter.attempts
        return true
      }
    }
    this.remove(letter)
    return true
  }

  private remove(letter: Letter) {
    this.letters = this.letters.filter((kept) => kept !== letter)
  }

  /** Makes room when there are too many: what tools did goes first; then the last letter is refused. */
  private bound() {
    const kept = () => this.letters.reduce((sum, { size }) => sum + size, 0)
    while (this.letters.length > 1 && (this.letters.length > MAX_LETTERS || kept() > MAX_KEPT)) {
      const letter = this.letters.find(({ method }) => method === "tool") ?? this.letters[this.letters.length - 1]
      this.remove(letter)
      if (this.server.neverThere) continue
      this.log("warn", `too much waits for the server: a ${letter.method} is thrown away`)
      if (letter.method === "message") letter.arrived?.({ told: { text: NOT_KEPT, toast: { message: NOT_KEPT, variant: "warning" } } })
    }
  }
}

/**
 * Makes this file the one that serves a directory, as long as OpenCode has it open; undefined when another one does.
 * A user's and a workspace's copy are both loaded: together they would count everything twice.
 */
function claim(directory: string): (() => void) | undefined {
  const holders: Map<string, string> = ((globalThis as any)[Symbol.for("mdmem.holders")] ??= new Map())
  const holder = holders.get(directory)
  if (holder !== undefined && holder !== import.meta.url) return undefined
  holders.set(directory, import.meta.url)
  return () => holders.delete(directory)
}

/** Title and compaction requests go through the same hook; only the first system text tells them apart. */
function isHousekeeping(first: string | undefined): boolean {
  return /^You are (a title generator\. You output ONLY|an? (anchored )?context summarization agent)/.test(first ?? "")
}

/** An event tells something that happened long ago: a fork copies a session's messages and tells them all. */
function isPast(time: unknown): boolean {
  return typeof time === "number" && time < Date.now() - 60_000
}

/** The texts that a person or a model wrote: not what OpenCode or a plugin added. */
function texts(parts: Part[]): string[] {
  const written = parts.filter(({ type, synthetic, ignored }) => type === "text" && !synthetic && !ignored)
  return written.map(({ text }) => text ?? "")
}

/** A part of a user's message that the model is shown and nobody takes for the user's words. */
function synthetic(text: string, messageID: string, sessionID: string, parts: Part[]): Part {
  // Parts are shown in the order of their ids: this one comes after those that are there.
  const last = parts.map(({ id }) => id).sort().pop() ?? "prt_"
  return { id: `${last}m`, sessionID, messageID, type: "text", text, synthetic: true } as Part
}

/** `opencode run` quotes a message that holds a space; one pair around the whole is no part of it. */
function unquoted(text: string): string {
  const whole = text.trim()
  if (whole.length < 2 || !whole.startsWith('"') || !whole.endsWith('"')) return text
  const inner = whole.slice(1, -1)
  // Quotes inside are escaped; one that is not ends the first pair.
  return /(^|[^\\])"/.test(inner) ? text : inner.replaceAll('\\"', '"')
}

/** A message or a summary as it is sent. Control characters go: each would take six bytes of a line of JSON. */
function plain(text: string): string {
  return cut(text, MAX_TEXT).replace(/[\0-\x08\x0B\x0C\x0E-\x1F]/g, " ")
}

/** The summary that the one to be written replaces. */
function priorSummary(text: string): string {
  return [
    "What came before the conversation below was summarised like this. The summary goes when yours is there: carry over what still holds.",
    `<prior-summary>\n${text}\n</prior-summary>`,
  ].join("\n")
}

/** What a tool gave back; MCP tools answer with a list of contents. */
function textOf(result: any): string | undefined {
  if (typeof result?.output === "string") return result.output
  if (!Array.isArray(result?.content)) return undefined
  return result.content.map((part: any) => (typeof part?.text === "string" ? part.text : "")).join("\n")
}

/** The one text that a tool gave back, and the way to put another in its place. */
function placeOf(result: any): { text: string; put: (text: string) => void } | undefined {
  if (typeof result?.output === "string") return { text: result.output, put: (text) => void (result.output = text) }
  const [part, ...more] = Array.isArray(result?.content) ? result.content : []
  if (more.length > 0 || result?.isError || typeof part?.text !== "string") return undefined
  return { text: part.text, put: (text) => void (part.text = text) }
}

/** A tool's arguments, with what is long in them shortened. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") return cut(value, MAX_ARGUMENT)
  if (Array.isArray(value)) return value.slice(0, 1_000).map(shortened)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).slice(0, 1_000).map(([key, inner]) => [key, shortened(inner)]))
}

/** How much room a letter takes, in characters; one that cannot be written has none. */
function sizeOf(params: object): number {
  try {
    return JSON.stringify(params).length
  } catch {
    return 0
  }
}

/** Head and tail of a text that has more than `most` bytes. */
function cut(text: string, most: number): string {
  if (text.length * 3 <= most) return text
  if (Buffer.byteLength(text) <= most) return text
  const half = Math.floor(most / 2) - 64
  const head = Buffer.from(text.slice(0, half)).subarray(0, half).toString().replace(/\uFFFD+$/, "")
  const tail = Buffer.from(text.slice(-half)).subarray(-half).toString().replace(/^\uFFFD+/, "")
  return `${head}\n[${text.length - head.length - tail.length} characters left out]\n${tail}`
}

/** A number as the protocol takes it; undefined for zero, which means "not known" here, and for what is no number. */
function whole(value: unknown): number | undefined {
  return typeof value === "number" && value >= 1 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : undefined
}

/** An exit code; null for one that is not known. */
function integer(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null
}

/** One offer that OpenCode could not register would cost it every tool. */
function isOffer(offer: any): offer is ToolOffer {
  if (!isRecord(offer) || !isRecord(offer.schema)) return false
  const { name, description, schema } = offer
  const named = typeof name === "string" && /^\w+$/.test(name) && typeof description === "string"
  const properties = schema.properties ?? {}
  return named && isRecord(properties) && Object.values(properties).every(isRecord)
}

function isRecord(value: unknown): value is Record<string, any> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A text of an answer; undefined for what is no text. */
function wordsOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}

/** The texts of an answer; throws where there are none, so that nothing but text ever reaches a prompt. */
function promptTexts(answer: PromptResult): string[] {
  if (!Array.isArray(answer?.system)) throw new Error("the server answered without a text")
  return answer.system.filter((text) => typeof text === "string" && text !== "")
}

/** A command has been carried out: thrown to end it. */
class CarriedOut extends Error {}
/** The person did not allow it. */
class NotAllowed extends Error {}
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

type Hears<T> = { sent?: () => void; late?: (answer: T) => void }
type Waiting = { resolve: (value: any) => void; reject: (error: Error) => void }
type Child = {
  process: ChildProcess
  hello: Promise<HelloResult>
  waiting: Map<number, Waiting>
  /** Deadlines passed in a row. */
  silences: number
  /** The last that it said on stderr, for the log. */
  stderr: string
}

/** `mdmem serve` of one directory: started when needed, asked in JSON lines, started again when it dies. */
class Server {
  /** The server gives conversations that rest to a model. */
  passes = false
  /** The server has questions for the small model. */
  hasQuestions = false
  /** Hears that a server has answered the first request. */
  greeted?: () => void
  private child?: Child
  private lastId = 0
  private failures = 0
  private retryAt = 0
  private disposed = false
  private wasThere = false
  /** What an answer took is of use to the server. */
  wantsUsage = false
  /** The server wants to see tool outputs before the conversation has them. */
  prunes = false
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
   * that comes later is handed to `late`; `sent` hears each time that a server is given the request.
   */
  async ask<T>(method: string, params: object, deadline: number, hears: Hears<T> = {}): Promise<T> {
    if (this.unknown.has(method)) throw new Refused("unknown_method", `this mdmem does not know ${method}`)
    const end = Date.now() + deadline
    for (;;) {
      const child = this.start()
      try {
        const value = await this.askOnce<T>(child, method, params, deadline, end, hears)
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

  private async askOnce<T>(child: Child, method: string, params: object, deadline: number, end: number, hears: Hears<T>): Promise<T> {
    const answer = child.hello.then(() => {
      hears.sent?.()
      return this.send<T>(child, method, params)
    })
    try {
      return await within(deadline, method, answer, end)
    } catch (error) {
      if (error instanceof Late) {
        const arrived = (value: T) => {
          // Slow is not stuck.
          child.silences = 0
          hears.late?.(value)
        }
        answer.then(arrived).catch(() => {})
        child.silences += 1
        if (child.silences >= MAX_SILENCES) this.lose(child, `the server left ${child.silences} requests unanswered`)
      }
      throw error
    }
  }

  /** There is no mdmem on this machine. */
  get absent(): boolean {
    return !this.child && this.trouble instanceof Absent
  }

  /** No server has ever answered: memory is off, and the log says so. */
  get neverThere(): boolean {
    return this.absent && !this.wasThere
  }

  /** For how long there can be no server, in milliseconds. */
  get restsFor(): number {
    return this.child ? 0 : Math.max(0, this.retryAt - Date.now())
  }

  /** The tools that the server offers, as soon as it is there. */
  async offers(): Promise<unknown[]> {
    const { tools } = await this.start().hello
    return Array.isArray(tools) ? tools : []
  }

  /** Says so as soon as the server is there. */
  async asks(): Promise<boolean> {
    await this.start().hello
    return this.hasQuestions
  }

  /** A request whose answer may take any time: it ends with the server. */
  async wait<T>(method: string, params: object): Promise<T> {
    const child = this.start()
    await child.hello
    return this.send<T>(child, method, params)
  }

  /** The running server, or a new one; throws when there can be none now. */
  start(): Child {
    if (this.child) return this.child
    if (this.disposed) throw new Error("the plugin has been disposed")
    if (Date.now() < this.retryAt) throw this.trouble
    const unborn = new Promise<never>(() => {})
    const child: Child = { process: this.spawn(), hello: unborn, waiting: new Map(), silences: 0, stderr: "" }
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
      attempt(() => child.process.kill("SIGKILL"))
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

  private async hello(child: Child): Promise<HelloResult> {
    const welcome = await this.send<HelloResult>(child, "hello", {
      protocol: PROTOCOL,
      host: "opencode",
      version: VERSION,
      directory: this.directory,
      worktree: this.worktree,
      endsWithTurn: IS_RUN || undefined,
    })
    if (welcome?.protocol !== PROTOCOL)
      throw new Error(`mdmem ${welcome?.version} speaks protocol ${welcome?.protocol}, this plugin ${PROTOCOL}: run mdmem init --with opencode --user`)
    this.unknown.clear()
    this.wasThere = true
    this.wantsUsage = welcome.usage === true
    this.prunes = welcome.prune === true
    this.passes = welcome.passes === true
    this.hasQuestions = welcome.asks === true
    this.log("info", `${welcome.version} serves ${welcome.store ?? "no store yet"}`)
    const { state, detail, since } = welcome.watch ?? {}
    if (since) this.log("warn", `commits wait since ${since}: ${detail ?? `the store is ${state}`}`)
    this.greeted?.()
    return welcome
  }

  private send<T>(child: Child, method: string, params: object): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.child !== child) return reject(this.trouble)
      const id = ++this.lastId
      child.waiting.set(id, { resolve, reject })
      child.process.stdin?.write(line({ id, method, params }))
    })
  }

  private listen(child: Child) {
    const { stdin, stdout, stderr } = child.process
    let [rest, warning] = ["", ""]
    stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      rest += chunk
      const lines = rest.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) this.receive(child, line)
      if (rest.length > MAX_LINE) this.lose(child, "the server said a line that does not end")
    })
    stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (warning + chunk).split("\n")
      warning = (lines.pop() ?? "").slice(-2_000)
      // What the server warns of is told in the log, never on the screen.
      for (const line of lines) if (line.trim()) this.log("warn", line.slice(0, 2_000))
      child.stderr = warning || lines.pop() || child.stderr
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
    // No milder signal ends a process that is stopped, and this one must never write again.
    attempt(() => child.process.kill("SIGKILL"))
    for (const { reject } of child.waiting.values()) reject(this.trouble)
    child.waiting.clear()
    if (!this.disposed) this.log("warn", reason)
  }

  private postpone(trouble: Error) {
    this.trouble = trouble
    // To look for the program costs next to nothing.
    if (trouble instanceof Absent) return void (this.retryAt = Date.now() + BACKOFF)
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
      : "there is no mdmem on PATH or in ~/.cargo/bin: put it there, or set MDMEM_BIN to its full path"
    this.once("warn", `memory is off: ${message}`)
    throw new Absent(message)
  }

  private once(level: Level, message: string) {
    if (this.said.has(message)) return
    this.said.add(message)
    this.log(level, message)
  }
}

/** A line of JSON. Half a character, as a cut may leave it, is no JSON for every reader: it is replaced. */
function line(request: object): string {
  return JSON.stringify(request, (_, value) => (typeof value === "string" ? value.toWellFormed() : value)) + "\n"
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The value of `promise`, or a {@link Late} after `deadline` milliseconds, which may have begun before: they `end`. */
function within<T>(deadline: number, what: string, promise: Promise<T>, end = Date.now() + deadline): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<never>((_, reject) => {
    const reason = new Late(`${what} took more than ${deadline} ms`)
    timer = setTimeout(() => reject(reason), Math.max(end - Date.now(), 0))
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
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
