import { randomBytes } from "node:crypto"
import type { ExportedChat, ExportedMessage } from "./transfer-schema.ts"

type Shown = Pick<ExportedMessage, "role" | "model" | "content" | "created_at">

const headingOf = ({ role, model }: Shown): string => (role === "user" ? "You" : (model ?? "Model"))

/**
 * The shown branch as Markdown. Each message begins with a comment that holds a word of this
 * export alone: no message can contain it, so that what is read back is what was written.
 */
export const toMarkdown = (title: string, branch: readonly Shown[]): string => {
  const word = randomBytes(6).toString("hex")
  const parts = branch.map((message) => {
    const { role, model, created_at } = message
    const facts = JSON.stringify({ role, model, created_at }).replaceAll("-->", "--\\u003e")
    return `<!-- ${word} ${facts} -->\n## ${headingOf(message).replace(/\s+/g, " ")}\n\n${message.content}\n`
  })
  return `<!-- portico chat ${word} -->\n# ${title.replace(/\s+/g, " ")}\n\n${parts.join("\n")}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null

const factsOf = (text: string): Omit<Shown, "content"> => {
  const facts: unknown = JSON.parse(text)
  if (!isObject(facts)) throw new SyntaxError("no facts")
  const role = facts.role === "assistant" ? "assistant" : "user"
  const model = typeof facts.model === "string" ? facts.model.slice(0, 300) : null
  const at = Number(facts.created_at)
  return { role, model, created_at: Number.isSafeInteger(at) && at > 0 ? at : 0 }
}

/** What stands under a message's comment, without its heading and the blank lines around it. */
const contentOf = (text: string): string =>
  text.replace(/^\n?## [^\n]*\n\n?/, "").replace(/\n\n?$/, "")

const ownMessages = (text: string, word: string): Shown[] => {
  const pieces = text.split(new RegExp(`^<!-- ${word} (.*) -->$`, "m")).slice(1)
  const messages: Shown[] = []
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    messages.push({ ...factsOf(pieces[at] ?? ""), content: contentOf(pieces[at + 1] ?? "") })
  }
  return messages
}

const speaker = /^#{1,3} +(you|user|human|assistant|model|ai)\b[^\n]*$/im

/** Other programs' exports: headings that name who speaks. */
const foreignMessages = (text: string): Shown[] => {
  const pieces = text.split(new RegExp(speaker.source, "gim")).slice(1)
  const messages: Shown[] = []
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    const role = /^(you|user|human)$/i.test(pieces[at] ?? "") ? "user" : "assistant"
    messages.push({ role, model: null, created_at: 0, content: (pieces[at + 1] ?? "").trim() })
  }
  return messages
}

/** @returns null when no conversation can be found in it */
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
