// Anthropic's memory tool over `mdmem mcp`: /memories is the store of the workspace.
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"

const ROOT = "/memories"

/** The path in the store for one that the model gives; the root is empty. */
function inside(path: string): string {
  const [first, root, ...parts] = path.replace(/\/+$/, "").split("/")
  if (first !== "" || `/${root}` !== ROOT) throw new Error(`Path must start with ${ROOT}, got: ${path}`)
  const file = parts.join("/")
  // A part that is empty or begins with a dot, also where it is written as %2e.
  const plain = file.replace(/%(2e|2f|5c)/gi, (code) => decodeURIComponent(code))
  if (/(^|[/\\])[./\\]/.test(plain)) throw new Error(`Path ${path} would escape ${ROOT} directory, or is hidden`)
  return file
}

/** Memories are Markdown: a name without `.md` gets it. */
function asFile(path: string): string {
  const file = inside(path)
  if (!file) throw new Error(`The path ${path} is not a file.`)
  return file.endsWith(".md") ? file : `${file}.md`
}

const numbered = (lines: string[], first = 1) =>
  lines.map((line, index) => `${String(index + first).padStart(6)}\t${line}`).join("\n")

/** Takes a connected client of `mdmem mcp`. */
export function mdmemMemoryTool(client: Client) {
  /** What a tool of mdmem answers. A refusal names paths as the model knows them. */
  async function mdmem(tool: string, args: Record<string, string>): Promise<string> {
    const result = await client.callTool({ name: tool, arguments: { scope: "project", ...args } })
    const content = result.content as { type: string; text?: string }[]
    let text = content.map((block) => block.text ?? "").join("\n")
    if (!result.isError) return text
    for (const path of [args.path, args.to]) {
      const known = path && new RegExp(`(?<![\\w/])${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`, "g")
      if (known) text = text.replace(known, (found) => `${ROOT}/${found}`)
    }
    throw new Error(text)
  }

  /** The `rev` and the text of the memory at just this path, if there is one. */
  async function read(file: string): Promise<{ rev: string; text: string } | undefined> {
    let answer
    try {
      answer = await mdmem("memory_read", { path: file })
    } catch (error) {
      if ((error as Error).message.startsWith("no memory")) return undefined
      throw error
    }
    const end = answer.indexOf("\n\n")
    const fields = new Map(answer.slice(0, end).split("\n").map((line) => line.split(/: (.*)/) as [string, string]))
    return fields.get("path") === file ? { rev: fields.get("rev")!, text: answer.slice(end + 2) } : undefined
  }

  async function existing(path: string) {
    const file = asFile(path)
    const found = await read(file)
    if (!found) throw new Error(`The path ${path} does not exist. Please provide a valid path.`)
    return { file, ...found }
  }

  /** Paths and characters of the memories in a folder, and how many more there are (it lists 200). */
  async function files(folder: string) {
    const tree = await mdmem("memory_tree", { folder })
    const listed = [...tree.matchAll(/^(.+?\.md) \((\d+)\)/gm)].map(([, path, chars]) => ({ path: path!, chars: Number(chars) }))
    return { listed, more: Number(/^(\d+) more, /m.exec(tree)?.[1] ?? 0) }
  }

  /** The memory at a path, or all of the folder there. */
  async function below(path: string): Promise<string[]> {
    if (await read(asFile(path))) return [asFile(path)]
    const { listed, more } = await files(inside(path))
    if (!listed.length) throw new Error(`The path ${path} does not exist`)
    if (more) throw new Error(`The path ${path} has more than ${listed.length} files: take its folders one by one`)
    return listed.map((file) => file.path)
  }

  return betaMemoryTool({
    async view({ path, view_range }) {
      const folder = inside(path)
      const found = folder && (await read(asFile(path)))
      if (found) {
        const first = Math.max(view_range?.[0] ?? 1, 1)
        const last = view_range?.[1] ?? -1
        const lines = found.text.split("\n").slice(first - 1, last === -1 ? undefined : last)
        return `Here's the content of ${path} with line numbers:\n${numbered(lines, first)}`
      }
      const { listed, more } = await files(folder)
      if (folder && !listed.length) throw new Error(`The path ${path} does not exist. Please provide a valid path.`)
      const sizes = new Map([["", 0]])
      for (const file of listed) {
        const parts = file.path.slice(folder.length).replace(/^\//, "").split("/")
        for (let depth = 0; depth <= Math.min(parts.length, 2); depth++) {
          const name = parts.slice(0, depth).join("/") + (depth > 0 && depth < parts.length ? "/" : "")
          sizes.set(name, (sizes.get(name) ?? 0) + file.chars)
        }
      }
      const above = path.replace(/\/+$/, "")
      const names = [...sizes.keys()].sort()
      const rows = names.map((name) => `${sizes.get(name)}\t${above}${name && "/"}${name}`)
      if (more) rows.push(`${more} more files: view a folder of them`)
      const head = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items:`
      return [head, ...rows].join("\n")
    },

    async create({ path, file_text }) {
      const file = asFile(path)
      if (await read(file)) throw new Error(`File ${path} already exists`)
      await mdmem("memory_write", { path: file, content: file_text })
      return `File created successfully at: ${ROOT}/${file}`
    },

    async str_replace({ path, old_str, new_str }) {
      const { file, rev, text } = await existing(path)
      const parts = text.split(old_str)
      if (parts.length < 2) {
        throw new Error(`No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`)
      }
      const lines = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join(old_str).split("\n").length)
      if (lines.length > 1) {
        const which = `old_str \`${old_str}\` in lines: ${lines.join(", ")}`
        throw new Error(`No replacement was performed. Multiple occurrences of ${which}. Please ensure it is unique`)
      }
      await mdmem("memory_edit", { path: file, old: old_str, new: new_str, rev })
      const [line] = lines as [number]
      const first = Math.max(line - 2, 1)
      const shown = numbered(parts.join(new_str).split("\n").slice(first - 1, line + 2), first)
      return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${shown}`
    },

    async insert({ path, insert_line, insert_text }) {
      const { file, rev, text } = await existing(path)
      const lines = text.replace(/\n$/, "").split("\n")
      if (insert_line < 0 || insert_line > lines.length) {
        const range = `It should be within the range of lines of the file: [0, ${lines.length}]`
        throw new Error(`Invalid \`insert_line\` parameter: ${insert_line}. ${range}`)
      }
      lines.splice(insert_line, 0, insert_text.replace(/\n$/, ""))
      await mdmem("memory_write", { path: file, content: `${lines.join("\n")}\n`, rev })
      return `The file ${path} has been edited.`
    },

    async delete({ path }) {
      if (!inside(path)) throw new Error(`Cannot delete the ${ROOT} directory itself`)
      for (const file of await below(path)) await mdmem("memory_delete", { path: file })
      return `Successfully deleted ${path}`
    },

    async rename({ old_path, new_path }) {
      const [from, to] = [inside(old_path), inside(new_path)]
      if (!from) throw new Error(`Cannot rename the ${ROOT} directory itself`)
      const moved = await below(old_path)
      if (!to || (await read(asFile(new_path))) || (await files(to)).listed.length) {
        throw new Error(`The destination ${new_path} already exists`)
      }
      for (const file of moved) {
        const target = file === asFile(old_path) ? asFile(new_path) : to + file.slice(from.length)
        await mdmem("memory_move", { path: file, to: target })
      }
      return `Successfully renamed ${old_path} to ${new_path}`
    },
  })
}
