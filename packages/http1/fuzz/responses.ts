import { deepStrictEqual, ok } from "node:assert/strict"
import { MalformedHttpError } from "../src/malformed-http-error.ts"
import { ResponseParser } from "../src/response-parser.ts"
import { createGrammar, type Grammar } from "./grammar.ts"
import { createLlhttp, type ReadMessage } from "./llhttp.ts"
import { cut, mutate } from "./mutations.ts"
import { type Chooser, createChooser } from "./random.ts"

const statuses = ["200", "404", "500", "204", "304"] as const
const oddStatuses = ["100", "101", "103", "099", "999", "20", "2000", "2 0", ""] as const

const headOf = (random: Chooser, grammar: Grammar, status: string, fields: string[]): string => {
  const { mostly, oneOf, lineEnd } = grammar
  const version = mostly(random.chance(0.9) ? "HTTP/1.1" : "HTTP/1.0", [
    ...(["HTTP/2.0", "HTTP/1.2", "http/1.1", "HTTP/1.10", "HTTP/11", "ICY", "RTSP/1.0"] as const),
    ...[" HTTP/1.1", "\r\nHTTP/1.1", "HTTP/0.9", "HTTP/1,1"],
  ])
  const reason = oneOf([" OK", " Not Found", "", " "], ["\tOK", " \x00", " a\rb", "  ", " \x7f"])
  const gap = mostly(" ", ["  ", "\t", "", "\r\n"])
  return `${version}${gap}${status}${reason}${lineEnd()}${fields.join("")}${lineEnd()}`
}

const shuffled = (random: Chooser, fields: readonly string[]): string[] => {
  const left = [...fields]
  const mixed: string[] = []
  while (left.length > 0) mixed.push(...left.splice(random.below(left.length), 1))
  return mixed
}

const replyText = (random: Chooser, oddness: number): string => {
  const grammar = createGrammar(random, oddness)
  const { otherField, connectionField, framed, oneOf } = grammar
  let text = ""
  if (random.chance(0.1)) {
    const early = random.chance(oddness) ? [otherField(), connectionField()] : []
    text += headOf(random, grammar, random.pick(["100", "103"]), early)
  }
  const status = oneOf(statuses, oddStatuses)
  const { fields, body } = framed(random.pick(["counted", "counted", "chunked", "chunked", "open"]))
  const isEmpty = (status === "204" || status === "304") && !random.chance(oddness)
  const others = Array.from({ length: random.below(4) }, otherField)
  if (random.chance(0.3)) others.push(connectionField())
  text += headOf(
    random,
    grammar,
    status,
    shuffled(random, isEmpty ? others : [...fields, ...others]),
  )
  if (!isEmpty) text += body
  if (random.chance(oddness / 2))
    text += random.pick(["x", "\r\n", "\n", "HTTP/1.1 200 OK\r\n\r\n"])
  return text
}

interface Reading {
  status: number
  rawHeaders: string[]
  body: string
  hasHead: boolean
  isWhole: boolean
  isKept: boolean
  refusal: Error | null
}

const readOurs = (pieces: readonly Buffer[], isBodiless: boolean, ends: boolean): Reading => {
  const reading: Reading = {
    ...{ status: 0, rawHeaders: [], body: "", hasHead: false },
    ...{ isWhole: false, isKept: false, refusal: null },
  }
  const parser = new ResponseParser({
    onHead: (status, rawHeaders) => Object.assign(reading, { status, rawHeaders, hasHead: true }),
    onData: (chunk) => {
      reading.body += chunk.toString("latin1")
    },
    onEnd: () => {
      ok(!reading.isWhole, "the end was reported twice")
      reading.isWhole = true
    },
  })
  parser.expect(isBodiless)
  try {
    for (const piece of pieces) parser.push(piece)
    if (ends) parser.finish()
  } catch (error) {
    ok(error instanceof MalformedHttpError, `it threw ${String(error)}`)
    reading.refusal = error
  }
  reading.isKept = parser.isReusable
  return reading
}

const isFinal = ({ status }: ReadMessage): boolean => status >= 200

/** Compares replies that both parsers consider complete. */
const compareWhole = (ours: Reading, theirs: ReadMessage, isBodiless: boolean): void => {
  deepStrictEqual(
    { status: ours.status, rawHeaders: ours.rawHeaders, body: ours.body },
    { status: theirs.status, rawHeaders: theirs.rawHeaders, body: theirs.body },
  )
  // For a HEAD reply without a length, llhttp decides before it knows that there is no body.
  ok(!ours.isKept || theirs.isKept || isBodiless, "a connection is kept that llhttp closes")
}

const compare = (
  ours: Reading,
  theirs: ReturnType<typeof createLlhttp>,
  isBodiless: boolean,
): void => {
  const reply = theirs.messages.find(isFinal)
  if (ours.refusal) {
    ok(!ours.hasHead || reply, "a head was passed on that llhttp refuses")
    ok(
      !ours.hasHead || reply?.body.startsWith(ours.body) || ours.body.startsWith(reply?.body ?? ""),
    )
    return
  }
  const refused = theirs.refusal()
  if (refused) {
    ok(!ours.isWhole, `accepted a reply as complete that llhttp rejects: ${refused.message}`)
    ok(!ours.hasHead || reply, `passed on headers that llhttp rejects: ${refused.message}`)
    return
  }
  ok(ours.isWhole === (reply?.isWhole ?? false), "only one of the two takes the reply for whole")
  if (ours.isWhole && reply) compareWhole(ours, reply, isBodiless)
}

/** Result of a comparison without differences. */
export type Verdict = "accepted" | "refused" | "unfinished"

/**
 * Compares a reply, split at random, as parsed by the gateway's parser and by llhttp.
 * @throws {Error} if the gateway accepts what llhttp rejects, or both accept it but differ
 */
export const compareReplies = (seed: number): Verdict => {
  const random = createChooser(seed)
  const kind = random.below(4)
  const text = Buffer.from(replyText(random, kind === 0 ? 0 : 0.06), "latin1")
  const bytes = kind === 3 ? mutate(random, text) : text
  const isBodiless = random.chance(0.1)
  const ends = random.chance(0.5)
  const pieces = cut(random, bytes)
  const theirs = createLlhttp("reply", { isBodiless })
  for (const piece of pieces) theirs.push(piece)
  if (ends) theirs.finish()
  const ours = readOurs(pieces, isBodiless, ends)
  try {
    compare(ours, theirs, isBodiless)
    const isWell = kind === 0 && !isBodiless && theirs.refusal() === undefined
    ok(!isWell || !ours.refusal, `rejected a valid reply: ${ours.refusal?.message}`)
  } catch (error) {
    throw new Error(`seed ${seed}: ${JSON.stringify(bytes.toString("latin1"))}`, { cause: error })
  }
  if (ours.refusal) return "refused"
  return ours.isWhole ? "accepted" : "unfinished"
}
