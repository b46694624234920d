// The mdmem plugin for OpenCode, written by `mdmem init --with opencode`.
//
// It passes on and decides nothing: `mdmem serve` hears what is said and done, and renders the memory; this file puts
// that into the system prompt. Whatever goes wrong here must not cost the user a turn. So nothing is thrown out of a
// hook, every wait has an end, and every fault has one answer: the last text is served again, what the server has to
// hear waits in one queue, and OpenCode's log says so once.
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
/** A model that uses a tool has asked for the answer, and so has a person who gives a command. */
const CALL_DEADLINE = 5_000
/** A server that leaves a request unanswered for so long is stuck, and is replaced. */
const STUCK = 10_000
/** A server is started no more often than this, and what it cannot take now is offered again after this time. */
const REST = 1_000
/** What was offered in vain so often may be the reason itself: it comes last then. */
const MAX_ATTEMPTS = 10
/** The longest text of a request, in characters: each may take six bytes of a line, and a line has 16 MiB. */
const MAX_TEXT = 1024 * 1024

const COMMANDS: Record<string, string> = {
  memory: "Show what is remembered, and where",
  remember: "Remember what follows, word for word",
  forget: "Take back the memory that says what follows",
  "memory-flush": "Render this session's memory again",
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
/** Ends a command without a turn of the model's. */
const DONE = new Error("mdmem has carried out the command; this ends it without a turn of the model's")
const UNCONFIRMED = "mdmem has not answered yet: if this message asks for something to be remembered, that is not confirmed. The outcome follows with a later message."
const KEPT_IN_MEMORY = "mdmem does not answer: what you say is kept in memory until it is back, or OpenCode ends"
/** The title of the session of a question of mdmem's own, also of one that a crash left. */
const OWN_TITLE = /^mdmem pass [0-9A-Za-z]{26}$/
/** The permissions that a tool needs: to write what every workspace shows, and to change what is the person's. */
const PERMISSIONS = ["memory_global", "memory_change"]

type Level = "info" | "warn"
type Part = { id: string; type: string; text?: string; synthetic?: boolean; ignored?: boolean }

/** What is remembered of a session, for as long as OpenCode runs. */
type Session = {
  /** The session that it works for; null for none. */
  parent?: Promise<string | null>
  /** The last texts served. */
  system?: string[]
  /** Its next prompt is the first one, of the session or of what a compaction left of it. */
  begins: boolean
  /** The model of the last request. */
  model?: any
  /** How often it was compacted. */
  compactions: number
  /** Hears that the compaction which the model asked for is in OpenCode's hands. */
  compacting?: () => void
  /** The command whose message comes next: its expanded text, and what of it the user typed. */
  command?: { text: string; typed: string }
  /** A compaction is under way: the texts of its summary so far. */
  summary?: string[]
  /** What became of earlier messages, for the model: it is told with the next one. */
  untold: string[]
  /** Agent and model of the last message; undefined before the first one. */
  voice?: { agent?: string; model?: object }
  /** The model is at work. */
  isBusy?: boolean
  /** The answers to commands that the person is shown once the model rests. */
  answers: string[]
  /** A command came before the first message: OpenCode gives such a session no title. */
  isUntitled?: boolean
  /** The system prompt of the question of mdmem's own that is answered in it: nothing of it is anybody's word. */
  question?: string
}

export const MdmemPlugin = async (host: any) => {
  const { client } = host
  // Not awaited: while a plugin is being loaded the client answers only afterwards. OpenCode's log leaves the
  // service out, so the message names it.
  const log = (level: Level, message: string) =>
    quietly(() => client.app.log({ body: { service: "mdmem", level, message: `mdmem: ${message}` } }))
  // This OpenCode answers a question of mdmem's own: nothing of it is anybody's word.
  if (process.env.MDMEM_PASS) return {}
  const release = claim(host.directory)
  if (!release) {
    log("info", "another copy of this plugin serves this directory: this one does nothing")
    return {}
  }
  const { MDMEM_BIN: named } = process.env
  const path = program(named)
  if (!path) {
    log("warn", `memory is off: ${named ? `MDMEM_BIN names no program: ${named}` : "there is no mdmem on PATH or in ~/.cargo/bin"}`)
    return {}
  }
  const sessions = new Map<string, Session>()
  /** The tools that the server offered first; OpenCode asks for them once. */
  const offers = new Map<string, any>()
  /** The calls of tools that are under way. */
  const calls = new Set<string>()
  /** The system prompts of mdmem's own questions, by the titles of their sessions. */
  const questions = new Map<string, string>()
  const said = new Set<string>()
  let latest: string[] | undefined
  let isTroubled = false
  /** The session in which the user spoke last: what nobody asked for stands below it. */
  let spoken: string | undefined
  /** OpenCode's settings; undefined before it tells them. */
  let config: any

  /** Says a fault to the log, once until all is well again. */
  const warn = (message: string, show?: boolean) => {
    if (said.has(message)) return
    said.add(message)
    log("warn", message)
    if (show) toast(message, "warning")
  }

  /** A line on the person's screen, where there is a screen. */
  const toast = (message: unknown, variant: string) => {
    if (textIn(message)) quietly(() => client.tui.showToast({ body: { message, variant } }))
  }

  const session = (id: string): Session => {
    if (!sessions.has(id)) sessions.set(id, { begins: true, compactions: 0, untold: [], answers: [] })
    return sessions.get(id)!
  }

  /** Whom a session works for. A question without an answer is put again the next time. */
  const parentOf = (id: string): Promise<string | null> => {
    const known = session(id)
    const ask = () => within(DEADLINE, "the session", client.session.get({ path: { id } }))
    known.parent ??= ask().then(({ data }: any) => parentIn(data ?? {}))
    known.parent.catch(() => (known.parent = undefined))
    return known.parent
  }

  const server = connect(host, path, log, warn, parentOf, () => offerModel(), (question) => answerQuestion(question))

  /** What a tool says to the model. A refusal is thrown: the model is shown its text as the call's error. */
  const call = async (context: any, tool: string, args: unknown): Promise<string> => {
    const params = { session: context.sessionID, tool, args }
    try {
      let answer = await server.ask("call", params, CALL_DEADLINE)
      if (textIn(answer?.ask)) {
        const asked = { permission: textIn(answer.permission) || PERMISSIONS[0], patterns: [shortly(args)], always: [], metadata: { question: answer.ask } }
        const allowed = await quietly(() => context.ask(asked).then(() => true))
        answer = await server.ask("call", { ...params, allowed: allowed ?? false }, CALL_DEADLINE)
      }
      if (!textIn(answer?.text)) throw new Failure("lost", "the server answered without a text")
      toast(answer.toast?.message, answer.toast?.variant)
      if (answer.compact) await compact(context.sessionID)
      return answer.text
    } catch (error: any) {
      if (["refused", "failed"].includes(error.kind)) throw error
      throw new Error(`${tool} got no answer, and may or may not have been carried out (${error.message}): go on without it`)
    }
  }

  /**
   * Has OpenCode compact a session in the middle of a turn, which then goes on. OpenCode does that when the tool which
   * asks for it has answered, so it is waited for no longer than until OpenCode knows about it.
   */
  const compact = async (id: string) => {
    const known = session(id)
    const { compactions, model } = known
    const ended = async () => {
      const body = { providerID: model?.providerID, modelID: model?.id, auto: true }
      const { error } = await client.session.summarize({ path: { id }, body }).catch((error: unknown) => ({ error: messageOf(error) }))
      if (!error && known.compactions > compactions) return
      const words = `the compaction that memory_compact asked for came to nothing: ${error ? shortly(error) : "there is no summary"}`
      log("warn", words)
      known.untold.push(`mdmem: ${words}`)
    }
    const begun = new Promise<void>((resolve) => (known.compacting = resolve))
    await quietly(() => within(DEADLINE, "the compaction", Promise.race([begun, ended()])))
  }

  /** Passes on what the user said; what comes back in time is told now, what comes later with the next message. */
  const heard = async (params: { session: string; messageId: string; text: string; command?: string }): Promise<string[]> => {
    const told: string[] = []
    const { untold } = session(params.session)
    let [isOver, isAnswered] = [false, false]
    const delivery = server.post("message", params).then((answer) => {
      isAnswered = true
      const { text, toast: line } = answer?.told ?? {}
      toast(line?.message, line?.variant)
      // A part whose text is no text would end the user's turn.
      if (textIn(text)) isOver ? untold.push(text.replace("heard in this message", "heard in an earlier message")) : told.push(text)
    })
    await quietly(() => within(DEADLINE, "message", Promise.race([delivery, server.deliver()])))
    isOver = true
    if (!isAnswered) {
      warn(KEPT_IN_MEMORY, true)
      told.push(UNCONFIRMED)
    }
    return told
  }

  /** What the user has typed of a message: of a command, what stands behind its name. */
  const typed = (known: Session, parts: Part[]): string => {
    const text = texts(parts).join("\n")
    const { command } = known
    known.command = undefined
    return unquoted(command?.text === text ? command.typed : text)
  }

  /**
   * Carries out one of our commands, and gives the words about it. Throws where the person is shown them without a turn
   * of the model's.
   */
  const carryOut = async (command: string, id: string, typed: string): Promise<string> => {
    const known = session(id)
    const answer = await answered(command, id, typed).catch((error) => `/${command} came to nothing: ${messageOf(error)}`)
    if (!IS_TERMINAL) return answer
    if (known.isBusy) {
      // A message in the middle of a turn would begin another one.
      known.answers.push(answer)
      toast(answer.slice(0, 300), "info")
    } else if (!(await show(id, answer))) return answer
    // The model learns with the next message what it has to know.
    if (command === "remember" || command === "forget") known.untold.push(answer)
    throw DONE
  }

  const answered = async (command: string, id: string, typed: string): Promise<string> => {
    if (await parentOf(id)) return "A sub-agent's session has no memory of its own: give the command in the session that it works for."
    if (command === "remember" || command === "forget") {
      const told = await heard({ session: id, messageId: `${command} ${randomUUID()}`, text: typed, command })
      if (told.length === 0) throw new Error("it was not taken, and OpenCode's log says why")
      return told.join("\n\n")
    }
    return String((await server.ask(command === "memory" ? "overview" : "flush", { session: id }, DEADLINE)).text)
  }

  /** Shows the person a text in the conversation, without a turn of the model's, which is never shown it. */
  const show = async (id: string, text: string): Promise<boolean> => {
    const known = session(id)
    if (!known.voice) known.isUntitled = true
    const body = { ...known.voice, noReply: true, parts: [{ type: "text", text, ignored: true }] }
    // The person waits for it, and OpenCode may be busy.
    const placed: any = await quietly(() => within(CALL_DEADLINE, "the answer", client.session.prompt({ path: { id }, body })))
    return placed !== undefined && !placed.error
  }

  /** The texts for a session's next request: the server's, or the last ones when it has none to give. */
  const prompt = async (id: string, model: any): Promise<string[]> => {
    const known = session(id)
    const { begins } = known
    known.model = model
    known.begins = false
    // A summary that is still on its way begins the epoch that this request belongs to.
    const asked = (begins ? server.deliver() : Promise.resolve()).then(() => server.request("prompt", { session: id }))
    // What the server froze for an answer that came too late is what it serves next: the better text to fall back on.
    const kept = asked.then((answer) => {
      if (answer === undefined) return
      if (!Array.isArray(answer.system)) throw new Error("the server answered without a text")
      latest = known.system = answer.system.filter(textIn)
    })
    try {
      await within(begins ? FIRST_PROMPT_DEADLINE : PROMPT_DEADLINE, "prompt", kept)
      if (isTroubled) log("info", "the server answers again")
      if (isTroubled) said.clear()
      isTroubled = false
    } catch (error) {
      isTroubled = true
      // Another session's hot state means nothing here; the workspace's memory, which comes first, does.
      known.system ??= latest?.slice(0, 1)
      warn(`served ${known.system ? "the last text" : "no memory"}: ${messageOf(error)}`)
    }
    return known.system ?? []
  }

  /** Tells of a tool's use, and puts what the server gives back into its output. */
  const used = async ({ sessionID, callID, tool, args }: any, result: any) => {
    calls.delete(callID)
    if (offers.has(tool)) return
    const place = placeOf(result)
    const params = { session: sessionID, callId: callID, tool, args, exit: result?.metadata?.exit, output: place?.text }
    const answer = await server.ask("tool", params, DEADLINE)
    if (!place) return
    // What was cut to be sent cannot take the place of what the tool said.
    const kept = (place.text.length <= MAX_TEXT && textIn(answer?.output)) || place.text
    place.put([kept, textIn(answer?.advice)].filter(Boolean).join("\n\n"))
  }

  /** Adds the words for a compaction: to the end of OpenCode's own prompt, or in its place. */
  const compacting = async ({ sessionID: id }: any, output: { context?: string[]; prompt?: string }) => {
    session(id).summary = []
    // Another plugin's prompt stays.
    if (output.prompt) return
    const todos: any = await within(DEADLINE, "the todos", client.session.todo({ path: { id } }))
    const params = { session: id, todos: todos.data ?? [], context: output.context ?? [] }
    const answer = await server.ask("compacting", params, DEADLINE)
    if (!answer) return
    const { context, prompt } = answer
    if (textIn(context)) return (output.context ??= []).push(context)
    if (!textIn(prompt)) throw new Error("the server answered without a prompt")
    // OpenCode shows the model what came before the last compaction in its own prompt alone.
    const { data }: any = await within(DEADLINE, "the session's messages", client.session.messages({ path: { id } }))
    const before = data.findLast(({ info }: any) => info.summary === true && info.time?.completed && !info.error)
    output.prompt = before ? `${prompt}\n\n${priorSummary(texts(before.parts).join("\n"))}` : prompt
  }

  /** Keeps a text of a summary; what is meant for mdmem is taken out of it once the server has kept that. */
  const summarized = async ({ sessionID: id }: any, output: { text: string }) => {
    const { summary } = session(id)
    if (!summary) return
    summary.push(output.text)
    const answer = await server.ask("summarized", { session: id, summary: output.text }, DEADLINE)
    if (textIn(answer?.text)?.trim()) output.text = answer.text
  }

  /** A session was compacted: its summary goes to the server, and a new epoch begins. */
  const compacted = (id: string) => {
    const known = session(id)
    const { summary } = known
    known.summary = undefined
    known.compactions += 1
    known.begins = true
    if (summary?.length) server.post("compacted", { session: id, summary: summary.join("\n") })
  }

  /** Tells what an answer took. Where a session is forked, OpenCode tells of all its answers. */
  const finished = (info: any) => {
    if (info?.role !== "assistant" || !(info.time?.completed > Date.now() - 60_000)) return
    const { sessionID: id } = info
    return server.ask("usage", { session: id, answer: info, limits: session(id).model?.limit, compaction: config?.compaction }, STUCK)
  }

  /** The model rests: the person is shown what waits for that, and the model what the server has to say by itself. */
  const rested = async (id: string) => {
    const known = session(id)
    // Idle without a word that it was compacted: the compaction came to nothing.
    known.summary = undefined
    known.isBusy = false
    if (known.answers.length > 0) show(id, known.answers.splice(0).join("\n\n"))
    const text = textIn((await server.ask("idle", { session: id }, STUCK))?.say)
    if (!text || known.isBusy) return
    toast(text, "info")
    return client.session.promptAsync({ path: { id }, body: { ...known.voice, parts: [{ type: "text", text, synthetic: true }] } })
  }

  /** Offers the small model for the server's questions; what a crash left of earlier ones goes. */
  const offerModel = () =>
    quietly(async () => {
      const answer = config && (await server.ask("pass", { smallModel: textIn(config.small_model) }, STUCK))
      if (answer?.clear) await clear("mdmem pass ", (title) => OWN_TITLE.test(title) && !questions.has(title))
    })

  /** Deletes the sessions whose title is found and meant. */
  const clear = async (search: string, isMeant: (title: string) => boolean) => {
    const { data } = await client.session.list({ query: { search } })
    for (const { id } of data.filter(({ title }: any) => isMeant(title))) {
      // One that still waits for its model would go on without this.
      await quietly(() => client.session.abort({ path: { id } }))
      await client.session.delete({ path: { id } })
    }
  }

  /** Asks the model in a session of its own, which may do nothing and is deleted afterwards. */
  const answerQuestion = async ({ title, parent, model, system, text, time, most }: any) => {
    // Known before the session is there: OpenCode tells of it before it is given back.
    questions.set(title, system)
    const permission = [{ permission: "*", pattern: "*", action: "deny" }]
    const answer = async () => {
      const made = await client.session.create({ body: { title, parentID: parent ?? spoken, permission } })
      if (!made.data?.id) throw new Error(`no session for it: ${shortly(made.error)}`)
      const [providerID, ...names] = model.split("/")
      const body = { model: { providerID, modelID: names.join("/") }, tools: { "*": false }, parts: [{ type: "text", text }] }
      const { data, error } = await client.session.prompt({ path: { id: made.data.id }, body })
      if (error || !data || data.info.error) throw new Error(shortly(error ?? data?.info.error ?? "no answer"))
      return { answer: texts(data.parts).join("\n").slice(0, most + 1) }
    }
    const result = await within(time, "the answer", answer()).catch((error) => ({ error: messageOf(error) }))
    await quietly(() => within(STUCK, "the deletion", clear(title, (found) => found === title)))
    // A server that hears nothing of it gives up by itself.
    await quietly(() => server.ask("passed", { title, ...result }, STUCK))
  }

  const deleted = async ({ sessionID, info }: any) => {
    const id = sessionID ?? info.id
    const known = session(id)
    if (info) known.parent = Promise.resolve(parentIn(info))
    // It may go with the conversation that it is about, while OpenCode still asks the model, over and over.
    if (known.question !== undefined) quietly(() => client.session.abort({ path: { id } }))
    if (spoken === id) spoken = undefined
    await server.post("deleted", { session: id })
    // OpenCode asks for prompts of sessions that it has just deleted, and does not say any more whom they worked for.
    if (!(await known.parent)) sessions.delete(id)
  }

  /** What each event of OpenCode's means here. */
  const events: Record<string, (properties: any) => unknown> = {
    "session.created": ({ info }) =>
      Object.assign(session(info.id), { question: questions.get(info.title), parent: Promise.resolve(parentIn(info)) }),
    "session.status": ({ sessionID, status }) => void (session(sessionID).isBusy = status?.type !== "idle"),
    "session.idle": ({ sessionID }) => rested(sessionID),
    "session.compacted": ({ sessionID }) => compacted(sessionID),
    "session.deleted": deleted,
    "message.updated": ({ info }) => finished(info),
    "message.part.updated": ({ part }) => part?.type === "compaction" && session(part.sessionID).compacting?.(),
  }

  try {
    const { tools } = await within(FIRST_PROMPT_DEADLINE, "hello", server.hello())
    for (const offer of Array.isArray(tools) ? tools.filter(isOffer) : []) offers.set(offer.name, offer)
  } catch (error) {
    warn(`there are no memory tools until OpenCode starts again: ${messageOf(error)}`)
  }
  const tool = ({ name, description, schema }: any) => ({
    description,
    args: schema.properties ?? {},
    execute: (args: unknown, context: any) => call(context, name, args),
  })

  const hooks: Record<string, (input: any, output: any) => unknown> = {
    config: (given) => {
      config = given
      offerModel()
      // Without a word about it, OpenCode allows what it is asked for the first time.
      config.permission ??= {}
      for (const name of PERMISSIONS) if (isRecord(config.permission)) config.permission[name] ??= "ask"
      config.command ??= {}
      for (const [name, description] of Object.entries(COMMANDS)) {
        if (name in config.command) log("info", `/${name} is another command here`)
        else config.command[name] = { description, template: TEMPLATE }
      }
    },

    "tool.definition": ({ toolID }, output) => {
      // Made from `args` alone, every property would be required.
      if (offers.has(toolID)) output.jsonSchema = { ...output.jsonSchema, required: [], ...offers.get(toolID).schema }
    },

    "chat.message": async (_, { message, parts }) => {
      const { id, sessionID, agent, model } = message
      const known = session(sessionID)
      const text = typed(known, parts)
      if (text.trim() === "") return
      known.voice = { agent, model }
      spoken = sessionID
      // OpenCode makes a title from a first message alone, and takes the answer to a command for one.
      if (known.isUntitled) quietly(() => client.session.update({ path: { id: sessionID }, body: { title: text.trim().split("\n")[0].slice(0, 60) } }))
      known.isUntitled = false
      const told = [...known.untold.splice(0), ...(await heard({ session: sessionID, messageId: id, text }))]
      if (told.length > 0) parts.push(synthetic(told.join("\n\n"), id, sessionID, parts))
    },

    "command.execute.before": async (input, { parts }) => {
      const known = session(input.sessionID)
      const template = parts.find(({ type, text }: Part) => type === "text" && text === TEMPLATE.split("$")[0])
      const isOurs = template && input.command in COMMANDS
      if (isOurs) template.text = await carryOut(input.command, input.sessionID, input.arguments)
      // Its message comes next.
      known.command = { text: texts(parts).join("\n"), typed: isOurs ? "" : input.arguments }
      if (isOurs) parts.push({ type: "text", text: IS_SEEN ? ACKNOWLEDGE : REPEAT, synthetic: true })
    },

    "experimental.chat.system.transform": async ({ sessionID, model }, { system }) => {
      // Without a session it is no conversation (OpenCode writes an agent's description this way).
      if (!sessionID || isHousekeeping(system[0])) return
      const question = sessions.get(sessionID)?.question
      // What OpenCode tells an agent is of no use to who answers it, and would be paid for.
      if (question !== undefined) return void system.splice(0, Infinity, question)
      const texts = await prompt(sessionID, model)
      // An older copy of this file may run beside this one.
      system.push(...texts.filter((text) => !system.includes(text)))
    },

    "tool.execute.before": ({ callID }) => calls.add(callID),

    // An agent's shell; the person's own in OpenCode is no call of a tool.
    "shell.env": ({ callID }, { env }) => calls.has(callID) && (env.MDMEM_AGENT = "opencode"),

    "tool.execute.after": used,

    "experimental.session.compacting": compacting,

    "experimental.text.complete": summarized,

    event: async ({ event }) => {
      if (!(event.type in events)) return
      const handled = events[event.type](event.properties)
      // What could not be delivered is sent again at the next event.
      server.deliver()
      await handled
    },

    dispose: async () => {
      release()
      const left = await server.end()
      // The texts stay in memory: they are not redacted, and a file would outlive this.
      if (left > 0) warn(`${left} messages were not handed over to mdmem: what they ask to remember is not stored`, true)
    },
  }
  /** A hook that throws nothing, but where it has carried out a command. */
  const guarded =
    (name: string) =>
    async (input: any, output: any) => {
      try {
        await hooks[name](input, output)
      } catch (error: any) {
        if (error === DONE) throw error
        warn(`${name} came to nothing: ${messageOf(error)}`)
      }
    }
  const tools = [...offers].map(([name, offer]) => [name, tool(offer)])
  return { tool: Object.fromEntries(tools), ...Object.fromEntries(Object.keys(hooks).map((name) => [name, guarded(name)])) }
}

/**
 * Something gave nothing. `kind`: the server's word, "refused" for good or "failed" for now; "away" where there was none
 * to ask, and "lost" where nobody knows what became of it.
 */
class Failure extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(message)
  }
}

/** What the server has to hear. */
type Letter = { method: string; params: any; attempts: number; arrived: (answer?: any) => void }
type Waiting = { resolve: (value: any) => void; reject: (error: Error) => void }
type Child = { process: ChildProcess; hello: Promise<any>; waiting: Map<number, Waiting> }

/**
 * `mdmem serve` of one directory: started when needed, asked in JSON lines, started again when it ends; and the queue of
 * what it has to hear, in order. A letter stays there until a server has answered it, so that a server that starts again
 * misses nothing. `greeted` hears that one has begun, `asked` what it asks by itself.
 */
function connect(
  { directory, worktree }: any,
  path: string,
  log: (level: Level, message: string) => unknown,
  warn: (message: string) => void,
  parentOf: (id: string) => Promise<string | null>,
  greeted: () => unknown,
  asked: (question: any) => unknown,
) {
  let child: Child | undefined
  let delivery: Promise<void> | undefined
  let [lastId, startedAt, restsUntil, isOver] = [0, 0, 0, false]
  /** Why there is no server just now: its last words. */
  let trouble = ""
  const letters: Letter[] = []

  const send = async (to: Child, method: string, params: object): Promise<any> => {
    if (child !== to) throw new Failure("away", trouble)
    const id = ++lastId
    const answer = new Promise<any>((resolve, reject) => to.waiting.set(id, { resolve, reject }))
    to.process.stdin?.write(line({ id, method, params }))
    return within(STUCK, method, answer).catch((error) => {
      if (error.kind === "lost") lose(to, `the server is stuck: ${error.message}`)
      throw error
    })
  }

  /** Gives a server up: who waits for it hears why, and the next one may start. */
  const lose = (gone: Child, cause: string) => {
    if (child !== gone) return
    child = undefined
    trouble = cause
    // No milder signal ends a process that is stopped, and this one must never write again.
    quietly(() => gone.process.kill("SIGKILL"))
    for (const { reject } of gone.waiting.values()) reject(new Failure("lost", cause))
    if (!isOver) warn(cause)
  }

  /** The running server, or a new one; throws when there can be none now. */
  const start = (): Child => {
    if (child) return child
    if (isOver || Date.now() < startedAt + REST) throw new Failure("away", trouble)
    startedAt = Date.now()
    const options = { cwd: directory, env: { ...process.env, PWD: directory }, windowsHide: true }
    const born: Child = { process: spawn(path, ["serve"], options), waiting: new Map(), hello: Promise.resolve() }
    child = born
    listen(born)
    born.hello = greet(born)
    born.hello.catch((error) => lose(born, messageOf(error)))
    return born
  }

  const greet = async (born: Child) => {
    const words = { protocol: PROTOCOL, host: "opencode", version: VERSION, directory, worktree, endsWithTurn: IS_RUN || undefined }
    const welcome = await send(born, "hello", words)
    if (welcome?.protocol !== PROTOCOL)
      throw new Error(`mdmem ${welcome?.version} speaks protocol ${welcome?.protocol}, this plugin ${PROTOCOL}: run mdmem init --with opencode --user`)
    log("info", `${welcome.version} serves ${welcome.store ?? "no store yet"}`)
    greeted()
    return welcome
  }

  const listen = (born: Child) => {
    let stderr = ""
    eachLine(born.process.stdout, (line) => {
      let answer: any
      try {
        answer = JSON.parse(line)
      } catch {
        return lose(born, `the server sent an invalid answer: ${line.slice(0, 80)}`)
      }
      if (answer?.ask) return void quietly(() => asked(answer.ask))
      const waiting = born.waiting.get(answer?.id)
      born.waiting.delete(answer?.id)
      if (answer?.error) waiting?.reject(new Failure(answer.error.kind, String(answer.error.message)))
      else waiting?.resolve(answer?.result)
    })
    // What the server warns of is told in the log, never on the screen.
    eachLine(born.process.stderr, (line) => log("warn", (stderr = line.slice(0, 2_000))))
    // A pipe to a process that has died: its exit says what happened.
    born.process.stdin?.on("error", () => {})
    born.process.on("error", (error) => lose(born, `the server cannot run: ${messageOf(error)}`))
    born.process.on("exit", (code, signal) => lose(born, `the server ended (${signal ?? `exit code ${code}`})${stderr && `: ${stderr}`}`))
  }

  /** One request and its answer; whoever waits for it sets a limit. What a sub-agent does is thrown away: nobody speaks there. */
  const request = async (method: string, params: any): Promise<any> => {
    const parent = (params.session && (await parentOf(params.session))) ?? undefined
    if (parent && method !== "call") return undefined
    const to = start()
    await to.hello.catch((error) => Promise.reject(new Failure("away", messageOf(error))))
    return send(to, method, { ...params, parent })
  }

  /** A request that comes after all that was posted before it, as far as that can be delivered now. */
  const ask = (method: string, params: object, deadline: number) =>
    within(deadline, method, deliver().then(() => request(method, params)))

  /** Delivers, until there is nothing left or the server cannot take it. Never fails. */
  const deliver = (): Promise<void> => (delivery ??= deliverAll())

  const deliverAll = async () => {
    // By now `delivery` is set.
    await undefined
    while (letters.length > 0 && Date.now() >= restsUntil && (await deliverOne(letters[0])));
    delivery = undefined
  }

  /** Whether the next one may follow. */
  const deliverOne = async (letter: Letter): Promise<boolean> => {
    const { method, params, arrived } = letter
    try {
      arrived(await request(method, params))
      letters.shift()
    } catch ({ kind, message }: any) {
      // Nobody could be asked.
      if (!["refused", "failed", "lost"].includes(kind)) return false
      warn(`${method} ${kind === "refused" ? "was not taken" : "waits"}: ${message}`)
      if (kind === "failed") restsUntil = Date.now() + REST
      const isOver = kind === "refused" || ++letter.attempts % MAX_ATTEMPTS === 0
      if (isOver) letters.shift()
      if (kind === "refused") arrived()
      else if (isOver) letters.push(letter)
    }
    return true
  }

  /** Adds a letter and delivers what can be delivered now. Gives the answer, when it comes; nothing where it is refused. */
  const post = (method: string, params: object) =>
    new Promise<any>((arrived) => {
      letters.push({ method, params, attempts: 0, arrived })
      deliver()
    })

  /** Delivers what can be delivered in a few seconds, ends the server, and gives the number of messages that are left. */
  const end = async (): Promise<number> => {
    const deliverTwice = async () => {
      await deliver()
      // A server that has just ended may be followed by another.
      if (letters.length > 0) await new Promise((resolve) => setTimeout(resolve, REST * 1.1))
      await deliver()
    }
    await quietly(() => within(CALL_DEADLINE, "the last delivery", deliverTwice()))
    isOver = true
    const last = child
    if (last) {
      const ended = new Promise<void>((resolve) => last.process.once("exit", () => resolve()))
      await quietly(async () => {
        await within(DEADLINE, "bye", last.hello.then(() => send(last, "bye", {})))
        last.process.stdin?.end()
        await within(DEADLINE, "exit", ended)
      })
      quietly(() => last.process.kill("SIGKILL"))
    }
    return letters.filter(({ method }) => method === "message").length
  }

  return { request, ask, post, deliver, end, hello: async () => start().hello }
}

/** The program: the one that MDMEM_BIN names, else the first on PATH, else cargo's. */
function program(named: string | undefined): string | undefined {
  const name = process.platform === "win32" ? "mdmem.exe" : "mdmem"
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), join(homedir(), ".cargo", "bin")]
  return (named ? [named] : folders.map((folder) => resolve(folder, name))).find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return statSync(path).isFile()
    } catch {
      return false
    }
  })
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

/** A session of mdmem's own works for somebody in any case. */
function parentIn({ title = "", parentID }: { title?: string; parentID?: string }): string | null {
  return parentID ?? (OWN_TITLE.test(title) ? title : null)
}

/** The texts that a person or a model wrote: not what OpenCode or a plugin added. */
function texts(parts: Part[]): string[] {
  const written = parts.filter(({ type, synthetic, ignored }) => type === "text" && !synthetic && !ignored)
  return written.map(({ text }) => text ?? "")
}

/** A part of a user's message that the model is shown and nobody takes for the user's words. */
function synthetic(text: string, messageID: string, sessionID: string, parts: Part[]): object {
  // Parts are shown in the order of their ids: this one comes after those that are there.
  const last = parts.map(({ id }) => id).sort().pop() ?? "prt_"
  return { id: `${last}m`, sessionID, messageID, type: "text", text, synthetic: true }
}

/** `opencode run` quotes a message that holds a space; one pair around the whole is no part of it. */
function unquoted(text: string): string {
  const whole = text.trim()
  if (whole.length < 2 || !whole.startsWith('"') || !whole.endsWith('"')) return text
  const inner = whole.slice(1, -1)
  // Quotes inside are escaped; one that is not ends the first pair.
  return /(^|[^\\])"/.test(inner) ? text : inner.replaceAll('\\"', '"')
}

/** The summary that the one to be written replaces. */
function priorSummary(text: string): string {
  return [
    "This is the summary of the conversation before the messages below. Your summary replaces it: carry over what is still true.",
    `<prior-summary>\n${text}\n</prior-summary>`,
  ].join("\n")
}

/** The one text that a tool gave back, and the way to put another in its place; MCP tools answer with a list. */
function placeOf(result: any): { text: string; put: (text: string) => void } | undefined {
  if (typeof result?.output === "string") return { text: result.output, put: (text) => void (result.output = text) }
  const [part, ...more] = Array.isArray(result?.content) ? result.content : []
  if (more.length > 0 || result?.isError || typeof part?.text !== "string") return undefined
  return { text: part.text, put: (text) => void (part.text = text) }
}

/** Head and tail of a text that has more than `most` characters. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const half = most / 2 - 32
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters left out]\n${text.slice(-half)}`
}

/** A line of JSON. */
function line(request: object): string {
  return JSON.stringify(request, (_, value) => (typeof value === "string" ? cut(value, MAX_TEXT) : value)) + "\n"
}

function eachLine(stream: any, hear: (line: string) => unknown) {
  let rest = ""
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.trim()) hear(line)
  })
  // A pipe to a process that has died: its exit says what happened.
  stream.on("error", () => {})
}

/** One offer that OpenCode could not register would cost it every tool. */
function isOffer(offer: any): boolean {
  const properties = offer?.schema?.properties
  return /^\w+$/.test(offer?.name) && isRecord(properties) && Object.values(properties).every(isRecord)
}

function isRecord(value: unknown): value is Record<string, any> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A text of an answer; undefined for what is no text. */
function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}

/** The value of `promise`, or a failure after `deadline` milliseconds. */
function within<T>(deadline: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure("lost", `${what} took more than ${deadline} ms`)), deadline)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** What an action gives; undefined where it fails, because nothing here is worth a turn. */
async function quietly<T>(action: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch {
    return undefined
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function shortly(value: unknown): string {
  return cut(JSON.stringify(value) ?? "", 300)
}
