import { randomBytes } from "node:crypto"
import { describeLocation } from "../../files/passage-location.ts"
import { isObject } from "../../formats/json-values.ts"
import type { ChatPassage } from "../answers/source-schema.ts"
import { type ChatToImport, MessageToImport } from "./schema.ts"

type MarkdownMessage = Omit<
  MessageToImport,
  "id" | "parent_id" | "batch" | "reasoning" | "images" | "state"
>

const speakerHeading = ({ role, model }: MarkdownMessage): string =>
  role === "user" ? "You" : (model ?? "Model")

const escapeMarkdown = (text: string): string =>
  text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>#|!~]/g, "\\$&")

const locationText = (passage: ChatPassage): string =>
  describeLocation(passage)
    .map(([field, value]) => (field === "heading" ? String(value) : `${field} ${value}`))
    .map((text) => `, ${escapeMarkdown(text)}`)
    .join("")

/** The sources of an answer: as JSON in a comment, and as a readable list. */
const sourcesSection = (marker: string, { sources, sources_skipped }: MarkdownMessage): string => {
  if (!sources) return ""
  const metadata = escapeComment({ sources, sources_skipped })
  const lines = sources.map((source, index) => {
    const label = source ? `${escapeMarkdown(source.name)}${locationText(source)}` : "(not shared)"
    return `${index + 1}. ${label}\n`
  })
  return `\n<!-- ${marker}-sources ${metadata} -->\n\nSources:\n\n${lines.join("")}`
}

const ratingSection = (marker: string, { rating }: MarkdownMessage): string => {
  if (!rating) return ""
  const reason = rating.reason === "" ? "" : `: ${escapeMarkdown(rating.reason)}`
  const label = rating.value === "up" ? "Good answer" : "Bad answer"
  return `\n<!-- ${marker}-rating ${escapeComment(rating)} -->\n\n${label}${reason}\n`
}

/** Escaped so that it cannot end an HTML comment. */
const escapeComment = (value: unknown): string =>
  JSON.stringify(value).replaceAll("-->", "--\\u003e")

/**
 * Writes the current branch as Markdown. Each message begins with a comment that contains a random
 * marker of this export: no message can contain it, so reading the file back restores the messages
 * exactly.
 */
export const createMarkdownWriter = (title: string) => {
  const marker = randomBytes(6).toString("hex")
  return {
    head: `<!-- portico chat ${marker} -->\n# ${title.replace(/\s+/g, " ")}\n\n`,

    write: (message: MarkdownMessage): string => {
      const { role, model, created_at, files, edited } = message
      const metadata = escapeComment({
        role,
        model,
        created_at,
        ...(files.length > 0 && { files }),
        ...(edited && { edited }),
      })
      const heading = speakerHeading(message).replace(/\s+/g, " ")
      const body = `## ${heading}\n\n${message.content}\n`
      return `<!-- ${marker} ${metadata} -->\n${body}${sourcesSection(marker, message)}${ratingSection(marker, message)}`
    },
  }
}

const { files: Files, sources: Sources, sources_skipped: AllSkipped } = MessageToImport.shape

const parseMetadata = (
  text: string,
): Pick<MarkdownMessage, "role" | "model" | "created_at" | "files" | "edited"> => {
  const metadata: unknown = JSON.parse(text)
  if (!isObject(metadata)) throw new SyntaxError("no facts")
  const role = metadata.role === "assistant" ? "assistant" : "user"
  const model = typeof metadata.model === "string" ? metadata.model.slice(0, 300) : null
  const at = Number(metadata.created_at)
  const created_at = Number.isSafeInteger(at) && at > 0 ? at : 0
  const files = Files.catch([]).parse(metadata.files)
  return { role, model, created_at, files, edited: metadata.edited === true }
}

/** The text below a message's comment, without its heading and surrounding blank lines. */
const contentBelow = (text: string): string =>
  text.replace(/^\n?## [^\n]*\n\n?/, "").replace(/\n\n?$/, "")

const parseBody = (
  text: string,
  marker: string,
): Pick<MarkdownMessage, "content" | "sources" | "sources_skipped"> => {
  const [whole = ""] = text.split(new RegExp(`^<!-- ${marker}-rating .* -->$`, "m"))
  const [body = "", metadata] = whole.split(new RegExp(`^<!-- ${marker}-sources (.*) -->$`, "m"))
  const parsed: unknown = JSON.parse(metadata ?? "{}")
  const { sources, sources_skipped } = isObject(parsed) ? parsed : {}
  return {
    content: contentBelow(body),
    sources: Sources.catch(null).parse(sources),
    sources_skipped: AllSkipped.catch([]).parse(sources_skipped),
  }
}

const parseOwnExport = (text: string, marker: string): MarkdownMessage[] => {
  const sections = text.split(new RegExp(`^<!-- ${marker} (.*) -->$`, "m")).slice(1)
  const messages: MarkdownMessage[] = []
  for (let at = 0; at + 1 < sections.length; at += 2) {
    messages.push({
      ...parseMetadata(sections[at] ?? ""),
      ...parseBody(sections[at + 1] ?? "", marker),
      rating: null,
    })
  }
  return messages
}

const speakerPattern = /^#{1,3} +(you|user|human|assistant|model|ai)\b[^\n]*$/im

/** Exports of other programs, in which headings name the speaker. */
const parseForeignExport = (text: string): MarkdownMessage[] => {
  const sections = text.split(new RegExp(speakerPattern.source, "gim")).slice(1)
  const messages: MarkdownMessage[] = []
  for (let at = 0; at + 1 < sections.length; at += 2) {
    const role = /^(you|user|human)$/i.test(sections[at] ?? "") ? "user" : "assistant"
    const sources = { files: [], sources: null, sources_skipped: [] }
    const defaults = { model: null, created_at: 0, edited: false, rating: null }
    messages.push({ role, ...sources, ...defaults, content: (sections[at + 1] ?? "").trim() })
  }
  return messages
}

/** @returns null if the text contains no conversation */
export const parseMarkdownChat = (source: string, now: number): ChatToImport | null => {
  const text = source.replaceAll("\r\n", "\n")
  const marker = /^<!-- portico chat ([0-9a-f]{12}) -->\n/.exec(text)?.[1]
  const found = marker ? parseOwnExport(text, marker) : parseForeignExport(text)
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
  const defaults = { folder: null, tags: [], models: [], system: "", params: {} }
  return { title, ...defaults, ...times, current_id: messages.at(-1)?.id ?? null, messages }
}
