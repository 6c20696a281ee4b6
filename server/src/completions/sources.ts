import { randomUUID } from "node:crypto"
import { z } from "zod"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import { members, without } from "../http/json-members.ts"
import { parsedWhole } from "../http/json-object.ts"
import {
  type Citations,
  type Cited,
  FileReference,
  type Lent,
  type Source,
} from "../knowledge/citations.ts"
import { createSourcePrompt } from "../knowledge/source-prompt.ts"
import { estimateTokens } from "../knowledge/tokens.ts"
import type { Catalogue, Resolved } from "../models/catalogue.ts"
import { citedNumbers } from "./cited-numbers.ts"
import type { ModelRequest } from "./request.ts"

const References = z.array(FileReference).max(100)

const maxQuestionLength = 10_000
/** Tokens, where the provider does not say how long the model's context is. */
const defaultContext = 8192
const minContextTokens = 500

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((part) => (typeof part?.text === "string" ? part.text : ""))
    .filter(Boolean)
    .join("\n")
}

/** What the sources are searched for: the user's last message, and the one before it. */
const questionOf = (messages: unknown): { question: string; previous: string | undefined } => {
  if (!Array.isArray(messages)) return { question: "", previous: undefined }
  const [question = "", previous] = messages
    .filter((message) => message?.role === "user")
    .slice(-2)
    .map(({ content }) => textOf(content).trim().slice(0, maxQuestionLength))
    .toReversed()
  return { question, previous }
}

/** Half of what the conversation leaves of the model's context. */
const contextTokensFor = (resolved: Resolved, messages: unknown): number => {
  const lengths = resolved.offers.flatMap(({ model }) => model.context_length ?? [])
  const context = lengths.length > 0 ? Math.min(...lengths) : defaultContext
  const texts = Array.isArray(messages) ? messages.map((message) => textOf(message?.content)) : []
  const said = texts.reduce((sum, text) => sum + estimateTokens(text), 0)
  return Math.max(minContextTokens, Math.floor((context - said) / 2))
}

/**
 * Collections that a workspace model brings along: ids, or records with an id. Its owner's access
 * is lent with it, unless others may change the model and so choose what is lent.
 */
const attachedTo = ({ workspace }: Resolved, ownerOf: Catalogue["ownerOf"]): Lent[] =>
  workspace.flatMap((model) => {
    const { knowledge } = model.meta
    if (!Array.isArray(knowledge)) return []
    const othersWrite = model.access_grants.some(({ permission }) => permission === "write")
    const owner = othersWrite ? undefined : ownerOf(model)
    return knowledge.flatMap((one) => {
      const id = typeof one === "string" ? one : one?.id
      return typeof id === "string" ? [{ id, owner }] : []
    })
  })

/** A request whose sources were found, and what the reply is to say of them. */
export interface Sourced {
  request: ModelRequest
  /** Null where nothing was asked for. */
  cited: Cited | null
}

interface Deps {
  citations: Citations
  ownerOf: Catalogue["ownerOf"]
  template: () => string
}

/** Whether a request or its model asks for passages of files. */
export const asksForFiles = ({ operation, fields }: ModelRequest, resolved: Resolved): boolean =>
  operation === "chat/completions" &&
  ("files" in fields || resolved.workspace.some(({ meta }) => Array.isArray(meta.knowledge)))

/** The request with the passages it asks for in place of its `files`. @throws {Failure} */
export const withSources = async (
  { citations, ownerOf, template }: Deps,
  caller: Caller,
  asked: { request: ModelRequest; resolved: Resolved; signal: AbortSignal },
): Promise<Sourced> => {
  const { resolved, signal } = asked
  const request = parsedWhole(asked.request)
  const { files, ...fields } = request.fields
  const bytes = without(request.bytes, request.members, "files")
  const bare = { ...request, fields, bytes, members: members(bytes) }
  const parsed = References.safeParse(files ?? [])
  if (!parsed.success) {
    const right = 'an array of {"type":"file" or "collection","id":"…"}'
    return fail("bad_request", `"files" must be ${right}`, { param: "files" })
  }
  const attached = attachedTo(resolved, ownerOf)
  if (parsed.data.length + attached.length === 0) return { request: bare, cited: null }
  const cited = await citations.cite(caller, {
    references: parsed.data,
    lent: attached,
    ...questionOf(fields.messages),
    contextTokens: contextTokensFor(resolved, fields.messages),
    signal,
  })
  return { request: { ...bare, context: createSourcePrompt(cited, template()) }, cited }
}

/** What a reply says of its sources, in the forms of a whole one and of a stream. */
export interface SourceWords {
  whole(body: Buffer): Buffer
  chunk: string
}

const openBrace = 0x7b
const closeBrace = 0x7d

type Reported = Pick<Cited, "sources" | "sources_skipped">

const reported = ({ sources, sources_skipped }: Reported): Partial<Reported> => ({
  sources,
  ...(sources_skipped.length > 0 && { sources_skipped }),
})

const membersOf = (cited: Reported): string => JSON.stringify(reported(cited)).slice(1, -1)

const Completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.unknown() }) })).min(1),
})

/** The text of a completion; empty where these bytes are none, or not all of one. */
const answerOf = (body: Buffer): string => {
  try {
    const { choices } = Completion.parse(JSON.parse(body.toString("utf8")))
    return textOf(choices[0]?.message.content)
  } catch {
    return ""
  }
}

/** Marks the sources that a whole completion refers to. */
const markCited = (cited: Reported, body: Buffer): Reported => {
  const numbers = citedNumbers(answerOf(body))
  const mark = (source: Source, at: number): Source =>
    numbers.has(at + 1) ? { ...source, cited: true } : source
  return { ...cited, sources: cited.sources.map(mark) }
}

export const wordsOf = ({ sources, sources_skipped }: Cited, model: string): SourceWords => {
  const chunk = {
    id: `chatcmpl-${randomUUID()}`,
    object: "chat.completion.chunk",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [],
    ...reported({ sources, sources_skipped }),
  }
  return {
    chunk: `data: ${JSON.stringify(chunk)}\n\n`,
    /** As first members, so that the rest stays as it came. */
    whole: (body) => {
      const text = membersOf(markCited({ sources, sources_skipped }, body))
      const open = body.indexOf(openBrace)
      if (open < 0) return body
      let next = open + 1
      while ((body[next] ?? 0x21) <= 0x20) next++
      const comma = body[next] === closeBrace ? "" : ","
      return Buffer.concat([
        body.subarray(0, open + 1),
        Buffer.from(text + comma),
        body.subarray(open + 1),
      ])
    },
  }
}
