import { type Fields, isObject, objectOf } from "../formats/json-values.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import type { Chunk } from "../formats/response-converter.ts"

interface Choice {
  message: Fields
  finish_reason: unknown
}

/** Upper limit for choice and tool-call indexes, well above any real request. */
const maxIndex = 1023

/** The index of a streamed piece. Limited, so that an upstream cannot force a huge array. */
const indexOf = (piece: Fields, fallback: number): number => {
  const { index = fallback } = piece
  if (typeof index !== "number" || !Number.isInteger(index)) return fallback
  if (index >= 0 && index <= maxIndex) return index
  throw new MalformedResponse(`it contains a piece with index ${index} (maximum ${maxIndex})`)
}

/** Members that some providers repeat in every piece. */
const repeatedNames = new Set(["id", "type", "name", "role"])

/** Texts and lists grow, and objects grow by member, as in OpenAI's libraries. */
const concatenate = (before: unknown, more: unknown): unknown => {
  if (typeof before === "string" && typeof more === "string") return before + more
  if (Array.isArray(before) && Array.isArray(more)) {
    for (const value of more) before.push(value)
    return before
  }
  return isObject(before) && isObject(more) ? withMembers(before, more) : (more ?? before)
}

const withMember = (before: Fields, name: string, value: unknown): unknown =>
  repeatedNames.has(name) ? (value ?? before[name]) : concatenate(before[name], value)

const withMembers = (before: Fields, more: Fields): Fields => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(more).map(([name, value]) => [name, withMember(before, name, value)]),
  ),
})

/** Merges streamed tool-call pieces, which are matched by their index. */
const withCalls = (before: unknown, pieces: readonly unknown[]): Fields[] => {
  const calls: Fields[] = Array.isArray(before) ? before : []
  for (const piece of pieces) {
    if (!isObject(piece)) continue
    const at = indexOf(piece, Math.min(calls.length, maxIndex))
    const { index: _index, ...rest } = piece
    calls[at] = withMembers(calls[at] ?? {}, rest)
  }
  return calls
}

const withoutHoles = (choice: Choice): Choice => {
  const { tool_calls: calls } = choice.message
  if (!Array.isArray(calls)) return choice
  return { ...choice, message: { ...choice.message, tool_calls: Object.values(calls) } }
}

/** Accumulates the chunks of a stream into one completion, and splits a completion into chunks. */
export const createCompletionAccumulator = () => {
  const envelope: Fields = {}
  let usage: unknown
  let sources: unknown
  const choices: Choice[] = []

  const addDelta = (choice: Choice, delta: Fields): void => {
    for (const [name, value] of Object.entries(delta)) {
      choice.message[name] =
        name === "tool_calls" && Array.isArray(value)
          ? withCalls(choice.message.tool_calls, value)
          : withMember(choice.message, name, value)
    }
  }

  const take = (piece: unknown): void => {
    if (!isObject(piece)) return
    const at = indexOf(piece, 0)
    const choice = choices[at] ?? {
      message: { role: "assistant", content: "" },
      finish_reason: null,
    }
    choices[at] = choice
    if (isObject(piece.delta)) addDelta(choice, piece.delta)
    choice.finish_reason = piece.finish_reason ?? choice.finish_reason
  }

  return {
    add: (chunk: Chunk): void => {
      if (chunk === null) return
      const { choices: pieces, usage: reportedUsage, sources: reportedSources, ...rest } = chunk
      Object.assign(envelope, rest)
      usage = reportedUsage ?? usage
      sources = reportedSources ?? sources
      if (Array.isArray(pieces)) for (const piece of pieces) take(piece)
    },

    completion: (): Fields => ({
      ...envelope,
      object: "chat.completion",
      ...(sources !== undefined && { sources }),
      // `flatMap` and `Object.values` skip indexes for which no piece arrived.
      choices: choices.flatMap((choice, index) => [{ index, ...withoutHoles(choice) }]),
      ...(usage !== undefined && { usage }),
    }),

    /** For clients that requested a stream. */
    toChunks: (reply: Fields): Chunk[] => {
      const {
        choices: completionChoices,
        usage: reportedUsage,
        sources: reportedSources,
        ...rest
      } = reply
      const head = { ...rest, object: "chat.completion.chunk" }
      const pieces = (Array.isArray(completionChoices) ? completionChoices : []).flatMap(
        (choice, index) => {
          const message = objectOf(objectOf(choice).message)
          const finish_reason = (isObject(choice) && choice.finish_reason) || "stop"
          return [
            { ...head, choices: [{ index, delta: message, finish_reason: null }] },
            { ...head, choices: [{ index, delta: {}, finish_reason }] },
          ]
        },
      )
      return [
        ...(reportedSources === undefined
          ? []
          : [{ ...head, choices: [], sources: reportedSources }]),
        ...pieces,
        ...(reportedUsage === undefined ? [] : [{ ...head, choices: [], usage: reportedUsage }]),
        null,
      ]
    },
  }
}
