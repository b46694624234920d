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
/** Nobody waits for a delivery: a server that works through a long line of them is not stuck. */
const DELIVERY_DEADLINE = 10_000
/** What is still to be delivered when OpenCode ends. */
const DISPOSE_DEADLINE = 5_000

/** The first restart is at once; then the wait doubles from the first to the second of these. */
const BACKOFF = 500
const MAX_BACKOFF = 60_000
/** What the server cannot take now, and a program that is not there, are tried again after this time. */
const REST = 1_000
/** A server that lets so many deadlines pass in a row is stuck, and is replaced. */
const MAX_SILENCES = 3
/** What a server could not take so often may be the reason itself: what the user said comes last then, the rest goes. */
const MAX_ATTEMPTS = 5

/** The longest text of a request, in characters: each may take six bytes of a line, and a line has 16 MiB. */
const MAX_TEXT = 2 * 1024 * 1024
const MAX_OUTPUT = 256 * 1024
/** What is kept for a server that is away, in characters. */
const MAX_KEPT = 16 * 1024 * 1024

const COMMANDS: Record<string, string> = {
  memory: "Show what is remembered, and where",
  remember: "Remember what follows, word for word",
  forget: "Take back the memory that says what follows",
  "memory-flush": "Read the memory anew, for this session",
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

type Level = "debug" | "info" | "warn"
type Part = { id: string; type: string; text?: string; synthetic?: boolean; ignored?: boolean }
type Toast = { message: string; variant: string }

/** What is remembered of a session, for as long as OpenCode runs. */
type Session = {
  /** The session that it works for; null for none, undefined while nobody could say. */
  parent?: string | null
  /** The last texts served. */
  system?: string[]
  /** Its next prompt is the first one, of the session or of what a compaction left of it. */
  begins: boolean
  /** The delivery of its last summary. */
  delivery?: Promise<unknown>
  /** When the model last answered, in milliseconds since 1970, and the context that it had used, in tokens. */
  used: { lastResponseAt?: number; tokens?: number }
  /** The last answer whose use has been told. */
  counted?: string
  /** The model of the last request. */
  model?: any
  /** Grows with each message and each compaction. */
  turn: number
  /** The last word about an answer's use is under way. */
  measured?: Promise<void>
  /** How full the context is, for the model: a message of its own once that rests. */
  intervention?: string
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
  const sessions = new Map<string, Session>()
  /** The tools that the server offered first; OpenCode asks for them once. */
  const offers = new Map<string, any>()
  /** The system prompts of mdmem's own questions, by the titles of their sessions. */
  const questions = new Map<string, string>()
  const said = new Set<string>()
  let latest: string[] | undefined
  let isTroubled = false
  /** The session in which the user spoke last: what nobody asked for stands below it. */
  let spoken: string | undefined
  /** What OpenCode is told about compacting by itself; undefined before it says. */
  let config: any

  /** Says a fault to the log, once until all is well again. */
  const warn = (message: string, show?: boolean) => {
    if (said.has(message)) return
    said.add(message)
    log("warn", message)
    if (show) toast({ message, variant: "warning" })
  }

  /** A line on the person's screen, where there is a screen. */
  const toast = (line?: Toast) => {
    if (typeof line?.message === "string") quietly(() => client.tui.showToast({ body: { message: line.message, variant: line.variant } }))
  }

  const session = (id: string): Session => {
    if (!sessions.has(id)) sessions.set(id, { begins: true, used: {}, turn: 0, untold: [], answers: [] })
    return sessions.get(id)!
  }

  /** Whom a session works for. A question without an answer is put again the next time. */
  const parentOf = async (id: string): Promise<string | null | undefined> => {
    const known = session(id)
    if (known.parent === undefined) {
      const asked = quietly(() => within(DEADLINE, "the session", client.session.get({ path: { id } })))
      const { data, error } = (await asked) ?? {}
      if (error) return null
      if (data) known.parent = parentIn(data)
    }
    return known.parent
  }

  const server = connect(host, log, warn, parentOf, () => offerModel(), (question) => answerQuestion(question))

  /** Asks something that nobody misses where there is no answer. */
  const tell = (id: string, method: string, params: object) =>
    quietly(async () => ((await parentOf(id)) === null ? server.ask(method, params, DELIVERY_DEADLINE) : undefined))

  /** What a tool says to the model. A refusal is thrown: the model is shown its text as the call's error. */
  const call = async (context: any, tool: string, args: unknown): Promise<string> => {
    const id = context.sessionID
    const { turn } = session(id)
    const params = { session: id, parent: (await parentOf(id)) ?? undefined, tool, args, endsWithTurn: IS_RUN || undefined }
    try {
      let answer = await server.ask("call", params, CALL_DEADLINE)
      if (textIn(answer?.ask)) {
        const asked = { permission: PERMISSION, patterns: [shortly(args)], always: [], metadata: { question: answer.ask } }
        const allowed = await quietly(() => context.ask(asked).then(() => true))
        answer = await server.ask("call", { ...params, allowed: allowed ?? false }, CALL_DEADLINE)
      }
      const text = textIn(answer?.text)
      if (!text) throw new Failure("lost", "the server answered without a text")
      if (answer.compact && session(id).turn !== turn) throw new Failure("refused", "nothing is compacted: a message or a compaction came first")
      if (answer.compact) await compact(id)
      return text
    } catch (error: any) {
      if (!UNANSWERED.has(error.kind)) throw error
      throw new Error(`${tool} got no answer, and may or may not have been carried out (${error.message}): go on without it`)
    }
  }

  /**
   * Has OpenCode compact a session in the middle of a turn, which then goes on. OpenCode does that when the tool which
   * asks for it has answered, so it is waited for no longer than until OpenCode knows about it.
   */
  const compact = async (id: string) => {
    const known = session(id)
    const { turn, model } = known
    const ended = async () => {
      const body = { providerID: model?.providerID, modelID: model?.id, auto: true }
      const { error } = await client.session.summarize({ path: { id }, body }).catch((error: unknown) => ({ error: messageOf(error) }))
      if (!error && known.turn !== turn) return
      const words = `the compaction that memory_compact asked for came to nothing: ${error ? shortly(error) : "there is no summary"}`
      log("warn", words)
      known.untold.push(`mdmem: ${words}`)
    }
    const begun = new Promise<void>((resolve) => (known.compacting = resolve))
    await quietly(() => within(DEADLINE, "the compaction", Promise.race([begun, ended()])))
  }

  /** Passes on what the user said; what comes back in time is told now, what comes later with the next message. */
  const heard = async (known: Session, params: object): Promise<string[]> => {
    const told: string[] = []
    let isOver = false
    const delivery = server.post("message", params, (answer) => {
      const { text, toast: line } = answer?.told ?? {}
      toast(line)
      // A part whose text is no text would end the user's turn.
      if (textIn(text)) (isOver ? known.untold : told).push(text)
    })
    const isDelivered = await within(DEADLINE, "message", delivery).catch(() => false)
    isOver = true
    // Who has no mdmem at all is not told with each message.
    if (!isDelivered && !server.isMissing()) {
      warn("a message is not confirmed yet")
      told.push(UNCONFIRMED)
      if (server.isAway()) warn(KEPT_IN_MEMORY, true)
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
    const answer = await answered(known, command, id, typed).catch((error) => `/${command} came to nothing: ${messageOf(error)}`)
    if (!IS_TERMINAL) return answer
    // The model learns with the next message what it has to know.
    if (command === "remember" || command === "forget") known.untold.push(answer)
    if (known.isBusy) {
      // A message in the middle of a turn would begin another one.
      known.answers.push(answer)
      toast({ message: answer.slice(0, 300), variant: "info" })
    } else if (!(await show(id, answer))) {
      known.untold = known.untold.filter((words) => words !== answer)
      return answer
    }
    throw new Failure("done", "mdmem has carried out the command; this ends it without a turn of the model's")
  }

  const answered = async (known: Session, command: string, id: string, typed: string): Promise<string> => {
    if (await parentOf(id)) return "A sub-agent's session has no memory of its own: give the command in the session that it works for."
    if (command === "remember" || command === "forget") {
      const told = await heard(known, { session: id, messageId: `${command} ${randomUUID()}`, text: typed, command })
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
    known.model = model
    if (await parentOf(id)) return []
    const deadline = known.begins ? FIRST_PROMPT_DEADLINE : PROMPT_DEADLINE
    // A summary that is still on its way begins the epoch that this request belongs to.
    if (known.begins) await quietly(() => within(DEADLINE, "the summary", known.delivery!))
    known.begins = false
    // What the server froze for an answer that came too late is what it serves next: the better text to fall back on.
    const keep = (answer: any) => {
      if (!Array.isArray(answer?.system)) throw new Error("the server answered without a text")
      known.system = answer.system.filter(textIn)
    }
    try {
      keep(await server.request("prompt", { session: id, limit: whole(model?.limit?.context), ...known.used }, deadline, keep))
      latest = known.system
      if (isTroubled) log("info", "the server answers again")
      if (isTroubled) said.clear()
      isTroubled = false
    } catch (error) {
      isTroubled = true
      // Another session's hot state means nothing here; the workspace's memory, which comes first, does.
      known.system ??= latest?.slice(0, 1)
      // That there is no mdmem at all has been said.
      if (!server.isMissing()) warn(`served ${known.system ? "the last text" : "no memory"}: ${messageOf(error)}`)
    }
    return known.system ?? []
  }

  /** Tells of a tool's use. Where the server looks after outputs, it is waited for. */
  const used = async ({ sessionID, callID, tool, args }: any, result: any) => {
    if (offers.has(tool)) return
    const place = placeOf(result)
    const { prune, usage } = server.welcome()
    const output = place && cut(place.text, prune ? MAX_TEXT : MAX_OUTPUT)
    let isOver = false
    const told = server.post("tool", { session: sessionID, callId: callID, tool, args, exit: result?.metadata?.exit, output }, (answer) => {
      const advice = textIn(answer?.advice)
      if (isOver || !place) return advice && session(sessionID).untold.push(advice)
      // What was cut to be sent cannot take the place of what the tool said.
      const kept = (output === place.text && textIn(answer?.output)) || place.text
      place.put(advice ? `${kept}\n\n${advice}` : kept)
    })
    if (prune || usage) await quietly(() => within(prune ? DEADLINE : PROMPT_DEADLINE, "tool", told))
    isOver = true
  }

  /** Adds the words for a compaction: to the end of OpenCode's own prompt, or in its place. */
  const compacting = async ({ sessionID: id }: any, output: { context?: string[]; prompt?: string }) => {
    session(id).summary = []
    // Another plugin's prompt stays.
    if (output.prompt || (await parentOf(id))) return
    const todos: any = await quietly(() => within(DEADLINE, "the todos", client.session.todo({ path: { id } })))
    const params = { session: id, todos: todos?.data ?? [], context: output.context ?? [] }
    const { context, prompt } = await server.ask("compacting", params, DEADLINE)
    if (textIn(context)) return (output.context ??= []).push(context)
    if (!textIn(prompt)) throw new Error("the server answered without a prompt")
    // OpenCode shows the model what came before the last compaction in its own prompt alone.
    const { data } = await within(DEADLINE, "the session's messages", client.session.messages({ path: { id } }))
    const before = data.findLast(({ info }: any) => info.summary === true && info.time?.completed && !info.error)
    output.prompt = before ? `${prompt}\n\n${priorSummary(texts(before.parts).join("\n"))}` : prompt
  }

  /** Keeps a text of a summary; what is meant for mdmem is taken out of it once the server has kept that. */
  const summarized = async ({ sessionID: id }: any, output: { text: string }) => {
    const { summary } = session(id)
    summary?.push(output.text)
    if (!summary || (await parentOf(id))) return
    const answer = await server.ask("summarized", { session: id, summary: output.text }, DEADLINE)
    if (textIn(answer?.text)?.trim()) output.text = answer.text
  }

  /** A session was compacted: its summary goes to the server, and a new epoch begins. */
  const compacted = (id: string) => {
    const known = session(id)
    const { summary } = known
    known.summary = known.intervention = undefined
    known.turn += 1
    known.begins = true
    if (summary?.length) known.delivery = server.post("compacted", { session: id, summary: summary.join("\n") })
  }

  /**
   * Keeps from a finished answer when it came and how much of the context it had used, and tells it; what comes back is
   * for the model, once it rests.
   */
  const finished = (info: any) => {
    if (info?.role !== "assistant" || typeof info.time?.completed !== "number") return
    const { sessionID: id, time, tokens = {} } = info
    const known = session(id)
    // A summary was written under another system prompt, and what it leaves of the context is not known yet.
    if (info.summary) return void (known.used.tokens = undefined)
    const { total, input = 0, output = 0, cache: { read = 0, write = 0 } = {} } = tokens
    known.used = { lastResponseAt: whole(time.completed), tokens: whole(total ?? input + output + read + write) ?? known.used.tokens }
    // A fork copies a session's messages, and tells them all.
    if (known.counted === info.id || time.completed < Date.now() - 60_000 || !server.welcome().usage) return
    known.counted = info.id
    const { auto, reserved } = config?.compaction ?? {}
    const used = {
      session: id,
      model: `${info.providerID}/${info.modelID}`,
      ...{ total, input, output, cacheRead: read, cacheWrite: write },
      limits: known.model?.limit,
      reserved,
      compacts: auto !== false,
    }
    const { turn } = known
    known.measured = tell(id, "usage", used).then((answer: any) => {
      if (known.turn === turn) known.intervention ??= textIn(answer?.intervention)
    })
  }

  /** The model rests: the person is shown what waits for that, and the model how full its context is. */
  const rested = async (id: string) => {
    const known = session(id)
    // Idle without a word that it was compacted: the compaction came to nothing.
    known.summary = undefined
    known.isBusy = false
    if (known.answers.length > 0) show(id, known.answers.splice(0).join("\n\n"))
    if (server.welcome().passes) tell(id, "idle", { session: id })
    await known.measured
    const text = known.intervention
    if (!text || known.isBusy || IS_RUN) return
    known.intervention = undefined
    await tell(id, "advised", { session: id })
    toast({ message: text, variant: "info" })
    quietly(() => client.session.promptAsync({ path: { id }, body: { ...known.voice, parts: [{ type: "text", text, synthetic: true }] } }))
  }

  /** Offers the small model for the server's questions; what a crash left of earlier ones goes. */
  const offerModel = async () => {
    if (!server.welcome().asks || !config) return
    const answer = await quietly(() => server.ask("pass", { smallModel: textIn(config.small_model) }, DELIVERY_DEADLINE))
    if (answer?.clear) await quietly(() => clear("mdmem pass ", (title) => OWN_TITLE.test(title) && !questions.has(title)))
  }

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
    await quietly(() => within(DELIVERY_DEADLINE, "the deletion", clear(title, (found) => found === title)))
    // A server that hears nothing of it gives up by itself.
    await quietly(() => server.ask("passed", { title, ...result }, DELIVERY_DEADLINE))
  }

  const deleted = (id: string, info: any) => {
    const known = session(id)
    if (info) known.parent = parentIn(info)
    // It may go with the conversation that it is about, while OpenCode still asks the model, over and over.
    if (known.question !== undefined) quietly(() => client.session.abort({ path: { id } }))
    if (spoken === id) spoken = undefined
    // OpenCode asks for prompts of sessions that it has just deleted, and does not say any more whom they worked for.
    server.post("deleted", { session: id }, () => known.parent || sessions.delete(id))
  }

  /** What each event of OpenCode's means here. */
  const events: Record<string, (properties: any) => unknown> = {
    "session.created": ({ info }) => Object.assign(session(info.id), { question: questions.get(info.title), parent: parentIn(info) }),
    "session.status": ({ sessionID, status }) => void (session(sessionID).isBusy = status?.type !== "idle"),
    "session.idle": ({ sessionID }) => rested(sessionID),
    "session.compacted": ({ sessionID }) => compacted(sessionID),
    "session.deleted": ({ sessionID, info }) => deleted(sessionID ?? info.id, info),
    "message.updated": ({ info }) => finished(info),
    "message.part.updated": ({ part }) => part?.type === "compaction" && session(part.sessionID).compacting?.(),
  }

  try {
    const { tools } = await server.start().hello
    for (const offer of Array.isArray(tools) ? tools.filter(isOffer) : []) offers.set(offer.name, offer)
  } catch (error) {
    if (!server.isMissing()) warn(`there are no memory tools until OpenCode starts again: ${messageOf(error)}`)
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
      if (server.isMissing()) return
      // Without a word about it, OpenCode allows what it is asked for the first time.
      config.permission ??= {}
      if (isRecord(config.permission)) config.permission[PERMISSION] ??= "ask"
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
      known.turn += 1
      spoken = sessionID
      // What is due is told with this message.
      known.intervention = undefined
      // OpenCode makes a title from a first message alone, and takes the answer to a command for one.
      if (known.isUntitled) quietly(() => client.session.update({ path: { id: sessionID }, body: { title: text.trim().split("\n")[0].slice(0, 60) } }))
      known.isUntitled = false
      const told = [...known.untold.splice(0), ...(await heard(known, { session: sessionID, messageId: id, text }))]
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
      if (left > 0 && !server.isMissing()) warn(`${left} messages were not handed over to mdmem: what they ask to remember is not stored`, true)
    },
  }
  /** A hook that throws nothing, but where it has carried out a command. */
  const guarded =
    (name: string) =>
    async (input: any, output: any) => {
      try {
        await hooks[name](input, output)
      } catch (error: any) {
        if (error.kind === "done") throw error
        warn(`${name} came to nothing: ${messageOf(error)}`)
      }
    }
  const tools = [...offers].map(([name, offer]) => [name, tool(offer)])
  return { tool: Object.fromEntries(tools), ...Object.fromEntries(Object.keys(hooks).map((name) => [name, guarded(name)])) }
}

/** Something gave nothing: `kind` is the server's word, or one of this file's. */
class Failure extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(message)
  }
}
/** Nobody answered: there is no program, it does not run, it ended meanwhile, or it is slow. */
const UNANSWERED = new Set(["absent", "away", "lost", "late"])

/** What the server has to hear. */
type Letter = { method: string; params: any; size: number; attempts: number; arrived: (answer?: any) => void }
type Waiting = { resolve: (value: any) => void; reject: (error: Error) => void }
type Child = {
  process: ChildProcess
  hello: Promise<any>
  /** The answer to hello, once it is there. */
  welcome?: any
  waiting: Map<number, Waiting>
  /** Deadlines passed in a row. */
  silences: number
  /** The last line that it said on stderr. */
  stderr: string
}

/**
 * `mdmem serve` of one directory: started when needed, asked in JSON lines, started again when it dies; and the queue of
 * what it has to hear, in order. A letter stays there until a server has answered it, so that a server that starts again
 * misses nothing. `greeted` hears that one has begun, `asked` what it asks by itself.
 */
function connect(
  { directory, worktree }: any,
  log: (level: Level, message: string) => unknown,
  warn: (message: string) => void,
  parentOf: (id: string) => Promise<string | null | undefined>,
  greeted: () => unknown,
  asked: (question: any) => unknown,
) {
  let child: Child | undefined
  let letters: Letter[] = []
  let delivery: Promise<void> | undefined
  let [lastId, failures, retryAt, restsUntil] = [0, 0, 0, 0]
  let [wasThere, isOver] = [false, false]
  /** Why there is no server just now. */
  let trouble = new Failure("away", "the server has not been started")

  const send = (to: Child, method: string, params: object) =>
    new Promise<any>((resolve, reject) => {
      if (child !== to) return reject(trouble)
      to.waiting.set(++lastId, { resolve, reject })
      to.process.stdin?.write(line({ id: lastId, method, params }))
    })

  /** There is none for the time of a backoff; to look for the program costs next to nothing. */
  const rest = (cause: Failure) => {
    trouble = cause
    const wait = failures++ === 0 ? 0 : Math.min(MAX_BACKOFF, BACKOFF * 2 ** (failures - 2))
    retryAt = Date.now() + (cause.kind === "absent" ? REST : wait)
  }

  /** Gives a server up: who waits for it hears why, and the next one may start after the backoff. */
  const lose = (gone: Child, cause: string) => {
    if (child !== gone) return
    child = undefined
    rest(new Failure("away", cause))
    // No milder signal ends a process that is stopped, and this one must never write again.
    quietly(() => gone.process.kill("SIGKILL"))
    for (const { reject } of gone.waiting.values()) reject(new Failure("lost", cause))
    if (!isOver) warn(cause)
  }

  /** The running server, or a new one; throws when there can be none now. */
  const start = (): Child => {
    if (child) return child
    if (isOver || Date.now() < retryAt) throw trouble
    try {
      const options = { cwd: directory, env: { ...process.env, PWD: directory }, windowsHide: true }
      child = { process: spawn(program(), ["serve"], options), waiting: new Map(), silences: 0, stderr: "" } as any
    } catch (error) {
      rest(error instanceof Failure ? error : new Failure("away", messageOf(error)))
      if (trouble.kind === "absent") warn(`memory is off: ${trouble.message}`)
      throw trouble
    }
    const born = child!
    listen(born)
    born.hello = within(FIRST_PROMPT_DEADLINE, "hello", greet(born)).catch((error) => {
      lose(born, messageOf(error))
      throw trouble
    })
    // Whoever asks meets the error; when nobody does, it must not end as an unhandled rejection.
    born.hello.catch(() => {})
    return born
  }

  const greet = async (born: Child) => {
    const words = { protocol: PROTOCOL, host: "opencode", version: VERSION, directory, worktree, endsWithTurn: IS_RUN || undefined }
    const welcome = await send(born, "hello", words)
    if (welcome?.protocol !== PROTOCOL)
      throw new Error(`mdmem ${welcome?.version} speaks protocol ${welcome?.protocol}, this plugin ${PROTOCOL}: run mdmem init --with opencode --user`)
    born.welcome = welcome
    wasThere = true
    log("info", `${welcome.version} serves ${welcome.store ?? "no store yet"}`)
    greeted()
    return welcome
  }

  const listen = (born: Child) => {
    const { stdin, stdout, stderr } = born.process
    stdin?.on("error", () => {})
    eachLine(stdout, (line) => {
      let answer: any
      try {
        answer = JSON.parse(line)
      } catch {
        return lose(born, `the server said what is no answer: ${line.slice(0, 80)}`)
      }
      if (answer?.ask) return void quietly(() => asked(answer.ask))
      const waiting = born.waiting.get(answer?.id)
      born.waiting.delete(answer?.id)
      if (answer?.error) waiting?.reject(new Failure(String(answer.error.kind), String(answer.error.message)))
      else waiting?.resolve(answer?.result)
    })
    // What the server warns of is told in the log, never on the screen.
    eachLine(stderr, (line) => log("warn", (born.stderr = line.slice(0, 2_000))))
    born.process.on("error", (error) => lose(born, `the server cannot run: ${messageOf(error)}`))
    born.process.on("exit", (code, signal) =>
      lose(born, `the server ended (${signal ?? `exit code ${code}`})${born.stderr && `: ${born.stderr}`}`),
    )
  }

  /**
   * One request and its answer, within `deadline` milliseconds; that the server may first have to start is part
   * of them. An answer that comes later is handed to `late`.
   */
  const request = async (method: string, params: object, deadline: number, late: (answer: any) => void = () => {}): Promise<any> => {
    const end = Date.now() + deadline
    const asked = start()
    const answer = asked.hello.then(() => send(asked, method, params))
    const heard = () => void (failures = asked.silences = 0)
    try {
      const value = await within(deadline, method, answer, end)
      heard()
      return value
    } catch (error: any) {
      if (error.kind !== "late") throw error
      // Slow is not stuck.
      answer.then((value) => (heard(), late(value))).catch(() => {})
      asked.silences += 1
      if (asked.silences >= MAX_SILENCES) lose(asked, `the server left ${asked.silences} requests unanswered`)
      throw error
    }
  }

  /** A request that comes after all that was posted before it, as far as that can be delivered now. */
  const ask = async (method: string, params: object, deadline: number) => {
    await quietly(() => within(DEADLINE, "what came before", deliver()))
    return request(method, params, deadline)
  }

  /** For how long nothing can be delivered, in milliseconds. */
  const rests = () => Math.max(0, restsUntil - Date.now(), child ? 0 : retryAt - Date.now())

  /** Delivers, until there is nothing left or the server cannot take it. Never fails. */
  const deliver = (): Promise<void> => (delivery ??= deliverAll())

  const deliverAll = async () => {
    // By now `delivery` is set.
    await undefined
    while (letters.length > 0 && rests() === 0 && (await deliverOne(letters[0])));
    delivery = undefined
  }

  /** Whether the next one may follow. */
  const deliverOne = async (letter: Letter): Promise<boolean> => {
    const { method, params } = letter
    const parent = await parentOf(params.session)
    if (parent === undefined) return false
    // Slow is as good as in time: it must not be said twice.
    const taken = (answer?: any) => {
      drop(letter)
      letter.arrived(answer)
    }
    try {
      // What a sub-agent does is thrown away.
      taken(parent === null ? await request(method, params, DELIVERY_DEADLINE, taken) : undefined)
      return true
    } catch ({ kind, message }: any) {
      if (kind === "absent" || kind === "away") return true
      const waits = UNANSWERED.has(kind) || kind === "gone" || kind === "failed"
      warn(`${method} ${waits ? "waits" : "was not taken"}: ${message}`)
      if (!waits) taken()
      if (kind === "gone" || kind === "failed") restsUntil = Date.now() + REST
      // A store on a disk that is not mounted comes back: that is no fault of the letter's.
      if (kind !== "gone" && ++letter.attempts === MAX_ATTEMPTS) {
        drop(letter)
        letter.attempts = 0
        if (method === "message") letters.push(letter)
      }
      return kind !== "late"
    }
  }

  const drop = (letter: Letter) => void (letters = letters.filter((kept) => kept !== letter))

  /** Adds a letter and delivers what can be delivered now; false when this one must wait. `arrived` hears the answer. */
  const post = (method: string, params: object, arrived: (answer: any) => unknown = () => {}) =>
    new Promise<boolean>((resolve) => {
      const settled = (answer: any) => {
        arrived(answer)
        resolve(true)
      }
      letters.push({ method, params, size: line(params).length, attempts: 0, arrived: settled })
      // When there is too much, what tools did goes first; then the last letter is refused.
      while (letters.length > 1 && letters.reduce((sum, { size }) => sum + size, 0) > MAX_KEPT) {
        const letter = letters.find(({ method }) => method === "tool") ?? letters[letters.length - 1]
        drop(letter)
        warn(`too much waits for the server: a ${letter.method} is thrown away`)
        letter.arrived({ told: { text: NOT_KEPT, toast: { message: NOT_KEPT, variant: "warning" } } })
      }
      deliver().then(() => resolve(false))
    })

  /** Delivers what can be delivered in a few seconds, ends the server, and gives the number of messages that are left. */
  const end = async (): Promise<number> => {
    const end = Date.now() + DISPOSE_DEADLINE
    // What the server refuses for now, it refuses a moment later too; nor does one that keeps dying come to life.
    while (letters.length > 0 && rests() <= BACKOFF && Date.now() < end) {
      await pause(Math.max(rests(), 10))
      await quietly(() => within(end - Date.now(), "the last delivery", deliver()))
    }
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

  return {
    request,
    ask,
    post,
    deliver,
    start,
    end,
    /** What the running server said to hello; nothing where none runs. */
    welcome: () => child?.welcome ?? {},
    isAway: () => !child,
    /** No server has ever answered, because there is no program: memory is off, and the log says so. */
    isMissing: () => !child && !wasThere && trouble.kind === "absent",
  }
}

/** The program: the one that MDMEM_BIN names, else the first on PATH, else cargo's. */
function program(): string {
  const name = process.platform === "win32" ? "mdmem.exe" : "mdmem"
  const named = process.env.MDMEM_BIN
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), join(homedir(), ".cargo", "bin")]
  const found = (named ? [named] : folders.map((folder) => resolve(folder, name))).find(isProgram)
  if (found) return found
  const message = named
    ? `MDMEM_BIN names no program: ${named}`
    : "there is no mdmem on PATH or in ~/.cargo/bin: put it there, or set MDMEM_BIN to its full path"
  throw new Failure("absent", message)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
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
    "What came before the conversation below was summarised like this. The summary goes when yours is there: carry over what still holds.",
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

/** A line of JSON. Half a character, as a cut may leave it, is no JSON for every reader: it is replaced. */
function line(request: object): string {
  return JSON.stringify(request, (_, value) => (typeof value === "string" ? cut(value, MAX_TEXT).toWellFormed() : value)) + "\n"
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

/** A number as the protocol takes it; undefined for zero, which means "not known" here, and for what is no number. */
function whole(value: unknown): number | undefined {
  return typeof value === "number" && value >= 1 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : undefined
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

/** The value of `promise`, or a failure after `deadline` milliseconds, which may have begun before: they `end`. */
function within<T>(deadline: number, what: string, promise: Promise<T>, end = Date.now() + deadline): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<never>((_, reject) => {
    const reason = new Failure("late", `${what} took more than ${deadline} ms`)
    timer = setTimeout(() => reject(reason), Math.max(end - Date.now(), 0))
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
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
