import { randomBytes } from "node:crypto"
import { isObject } from "../formats/json-values.ts"
import { type ExportedChat, ExportedMessage } from "./import-export-schema.ts"
import type { Passage } from "./source-schema.ts"

type Shown = Pick<
  ExportedMessage,
  "role" | "model" | "content" | "created_at" | "files" | "sources" | "sources_skipped"
>

const headingOf = ({ role, model }: Shown): string => (role === "user" ? "You" : (model ?? "Model"))

const plain = (text: string): string =>
  text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|!~]/g, "\\$&")

const placeOf = ({ page, slide, sheet, row, heading }: Passage): string =>
  [
    page && `page ${page}`,
    slide && `slide ${slide}`,
    sheet && `sheet ${sheet}${row ? `, row ${row}` : ""}`,
    heading?.join(" › "),
  ]
    .filter(Boolean)
    .map((text) => `, ${plain(String(text))}`)
    .join("")

/** The sources of an answer: as JSON in a comment, and as a readable list. */
const sourcesOf = (word: string, { sources, sources_skipped }: Shown): string => {
  if (!sources) return ""
  const facts = escaped({ sources, sources_skipped })
  const lines = sources.map((source, index) => {
    const told = source ? `${plain(source.name)}${placeOf(source)}` : "(not shared)"
    return `${index + 1}. ${told}\n`
  })
  return `\n<!-- ${word}-sources ${facts} -->\n\nSources:\n\n${lines.join("")}`
}

/** Escaped so that it cannot end an HTML comment. */
const escaped = (value: unknown): string => JSON.stringify(value).replaceAll("-->", "--\\u003e")

/**
 * Writes the current branch as Markdown. Each message begins with a comment that contains a random
 * marker of this export: no message can contain it, so reading the file back restores the messages
 * exactly.
 */
export const createMarkdownWriter = (title: string) => {
  const word = randomBytes(6).toString("hex")
  return {
    head: `<!-- portico chat ${word} -->\n# ${title.replace(/\s+/g, " ")}\n\n`,

    write: (message: Shown): string => {
      const { role, model, created_at, files } = message
      const facts = escaped({ role, model, created_at, ...(files.length > 0 && { files }) })
      const heading = headingOf(message).replace(/\s+/g, " ")
      const said = `## ${heading}\n\n${message.content}\n`
      return `<!-- ${word} ${facts} -->\n${said}${sourcesOf(word, message)}`
    },
  }
}

const { files: Files, sources: Sources, sources_skipped: AllSkipped } = ExportedMessage.shape

const factsOf = (text: string): Pick<Shown, "role" | "model" | "created_at" | "files"> => {
  const facts: unknown = JSON.parse(text)
  if (!isObject(facts)) throw new SyntaxError("no facts")
  const role = facts.role === "assistant" ? "assistant" : "user"
  const model = typeof facts.model === "string" ? facts.model.slice(0, 300) : null
  const at = Number(facts.created_at)
  const created_at = Number.isSafeInteger(at) && at > 0 ? at : 0
  return { role, model, created_at, files: Files.catch([]).parse(facts.files) }
}

/** The text below a message's comment, without its heading and surrounding blank lines. */
const contentOf = (text: string): string =>
  text.replace(/^\n?## [^\n]*\n\n?/, "").replace(/\n\n?$/, "")

const toldUnder = (
  text: string,
  word: string,
): Pick<Shown, "content" | "sources" | "sources_skipped"> => {
  const [said = "", facts] = text.split(new RegExp(`^<!-- ${word}-sources (.*) -->$`, "m"))
  const told: unknown = JSON.parse(facts ?? "{}")
  const { sources, sources_skipped } = isObject(told) ? told : {}
  return {
    content: contentOf(said),
    sources: Sources.catch(null).parse(sources),
    sources_skipped: AllSkipped.catch([]).parse(sources_skipped),
  }
}

const ownMessages = (text: string, word: string): Shown[] => {
  const pieces = text.split(new RegExp(`^<!-- ${word} (.*) -->$`, "m")).slice(1)
  const messages: Shown[] = []
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    messages.push({ ...factsOf(pieces[at] ?? ""), ...toldUnder(pieces[at + 1] ?? "", word) })
  }
  return messages
}

const speaker = /^#{1,3} +(you|user|human|assistant|model|ai)\b[^\n]*$/im

/** Exports of other programs, in which headings name the speaker. */
const foreignMessages = (text: string): Shown[] => {
  const pieces = text.split(new RegExp(speaker.source, "gim")).slice(1)
  const messages: Shown[] = []
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    const role = /^(you|user|human)$/i.test(pieces[at] ?? "") ? "user" : "assistant"
    const bare = { model: null, created_at: 0, files: [], sources: null, sources_skipped: [] }
    messages.push({ role, ...bare, content: (pieces[at + 1] ?? "").trim() })
  }
  return messages
}

/** @returns null if the text contains no conversation */
export const fromMarkdown = (source: string, now: number): ExportedChat | null => {
  const text = source.replaceAll("\r\n", "\n")
  const word = /^<!-- portico chat ([0-9a-f]{12}) -->\n/.exec(text)?.[1]
  const found = word ? ownMessages(text, word) : foreignMessages(text)
  if (found.length === 0) return null
  const title = /^# (.*)$/m.exec(text)?.[1]?.trim().slice(0, 200) ?? ""
  const messages = found.map((message, index) => ({
    ...message,
    id: String(index),
    parent_id: index === 0 ? null : String(index - 1),
    batch: null,
    reasoning: "",
    images: [],
    state: "completed" as const,
    created_at: message.created_at || now,
  }))
  const times = { created_at: messages[0]?.created_at ?? now, updated_at: now }
  const own = { folder: null, tags: [], models: [], system: "", params: {} }
  return { title, ...own, ...times, current_id: messages.at(-1)?.id ?? null, messages }
}
