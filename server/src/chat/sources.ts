import { randomUUID } from "node:crypto"
import { z } from "zod"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import { parsedWhole } from "../http/json-object.ts"
import { members, without } from "../http/members.ts"
import { type Cited, type Citing, FileReference, type Lent } from "../knowledge/citing.ts"
import { promptFor } from "../knowledge/fence.ts"
import { estimateTokens } from "../knowledge/retrieval.ts"
import type { Catalogue, Resolved } from "../models/catalogue.ts"
import type { ModelRequest } from "./request.ts"

const References = z.array(FileReference).max(100)

/** A question shorter than this is searched for together with the one before it. */
const shortQuestion = 40
/** Tokens, where nobody says how long the model's context is. */
const usualContext = 8192
const leastBudget = 500
const mostBudget = 12_000

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((part) => (typeof part?.text === "string" ? part.text : ""))
    .filter(Boolean)
    .join("\n")
}

/** What the sources are searched by: the last message of the person's. */
const questionOf = (messages: unknown): string => {
  if (!Array.isArray(messages)) return ""
  const asked = messages
    .filter((message) => message?.role === "user")
    .map(({ content }) => textOf(content))
  const last = asked.at(-1) ?? ""
  const before = asked.at(-2)
  const short = last.length < shortQuestion && before
  return (short ? `${before}\n${last}` : last).trim().slice(0, 10_000)
}

/** Half of what the conversation leaves of the model's context. */
const budgetFor = (resolved: Resolved, messages: unknown): number => {
  const lengths = resolved.offers.flatMap(({ model }) => model.context_length ?? [])
  const context = lengths.length > 0 ? Math.min(...lengths) : usualContext
  const said = estimateTokens(JSON.stringify(messages ?? ""))
  return Math.max(leastBudget, Math.min(mostBudget, Math.floor((context - said) / 2)))
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

interface Needs {
  citing: Citing
  ownerOf: Catalogue["ownerOf"]
  template: () => string
}

/** Whether a request or its model asks for passages of files. */
export const asksForFiles = ({ operation, fields }: ModelRequest, resolved: Resolved): boolean =>
  operation === "chat/completions" &&
  ("files" in fields || resolved.workspace.some(({ meta }) => Array.isArray(meta.knowledge)))

/** The request with the passages it asks for in place of its `files`. @throws {Failure} */
export const withSources = async (
  { citing, ownerOf, template }: Needs,
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
  const cited = await citing.cite(caller, {
    references: parsed.data,
    lent: attached,
    query: questionOf(fields.messages),
    budget: budgetFor(resolved, fields.messages),
    signal,
  })
  return { request: { ...bare, context: promptFor(cited.passages, template()) }, cited }
}

/** What a reply says of its sources, in the forms of a whole one and of a stream. */
export interface SourceWords {
  whole(body: Buffer): Buffer
  chunk: string
}

const openBrace = 0x7b
const closeBrace = 0x7d

export const wordsOf = ({ sources, sources_skipped }: Cited, model: string): SourceWords => {
  const told = { sources, ...(sources_skipped.length > 0 && { sources_skipped }) }
  const text = JSON.stringify(told).slice(1, -1)
  const chunk = {
    id: `chatcmpl-${randomUUID()}`,
    object: "chat.completion.chunk",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [],
    ...told,
  }
  return {
    chunk: `data: ${JSON.stringify(chunk)}\n\n`,
    /** As first members, so that the rest stays as it came. */
    whole: (body) => {
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
