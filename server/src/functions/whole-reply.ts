import { type Fields, isObject } from "./completion.ts"

interface Choice {
  message: Fields
  finish_reason: unknown
}

const joined = (before: unknown, more: unknown): unknown =>
  typeof before === "string" && typeof more === "string" ? before + more : (more ?? before)

/** Calls of tools come in pieces, told apart by their index. */
const withCalls = (before: unknown, pieces: readonly unknown[]): Fields[] => {
  const calls: Fields[] = Array.isArray(before) ? before : []
  for (const piece of pieces) {
    if (!isObject(piece)) continue
    const at = typeof piece.index === "number" ? piece.index : calls.length
    const known = calls[at]
    const own = isObject(piece.function) ? piece.function : {}
    const called = isObject(known?.function) ? known.function : {}
    const args = joined(called.arguments, own.arguments)
    const { index: _index, ...rest } = piece
    calls[at] = { ...known, ...rest, function: { ...called, ...own, arguments: args } }
  }
  return calls
}

/** Gathers a stream's pieces into one reply, and takes such a reply apart again. */
export const createWholeReply = () => {
  let envelope: Fields = {}
  let usage: unknown
  let sources: unknown
  const choices: Choice[] = []

  const addDelta = (choice: Choice, delta: Fields): void => {
    for (const [name, value] of Object.entries(delta)) {
      choice.message[name] =
        name === "tool_calls" && Array.isArray(value)
          ? withCalls(choice.message.tool_calls, value)
          : name === "role"
            ? value
            : joined(choice.message[name], value)
    }
  }

  const take = (piece: unknown): void => {
    if (!isObject(piece)) return
    const at = typeof piece.index === "number" ? piece.index : 0
    const choice = choices[at] ?? {
      message: { role: "assistant", content: "" },
      finish_reason: null,
    }
    choices[at] = choice
    if (isObject(piece.delta)) addDelta(choice, piece.delta)
    choice.finish_reason = piece.finish_reason ?? choice.finish_reason
  }

  return {
    add: (chunk: Fields | null): void => {
      if (chunk === null) return
      const { choices: pieces, usage: counted, sources: cited, ...rest } = chunk
      envelope = { ...envelope, ...rest }
      usage = counted ?? usage
      sources = cited ?? sources
      if (Array.isArray(pieces)) for (const piece of pieces) take(piece)
    },

    reply: (): Fields => ({
      ...envelope,
      object: "chat.completion",
      ...(sources !== undefined && { sources }),
      choices: choices.map((choice, index) => ({ index, ...choice })),
      ...(usage !== undefined && { usage }),
    }),

    /** As events: what was a stream stays one. */
    events: (reply: Fields): string => {
      const { choices: given, usage: counted, sources: cited, ...rest } = reply
      const head = { ...rest, object: "chat.completion.chunk" }
      const event = (fields: Fields): string =>
        `data: ${JSON.stringify({ ...head, ...fields })}\n\n`
      const pieces = (Array.isArray(given) ? given : []).map((choice, index) => {
        const message = isObject(choice) && isObject(choice.message) ? choice.message : {}
        const finish_reason = (isObject(choice) && choice.finish_reason) || "stop"
        return (
          event({ choices: [{ index, delta: message, finish_reason: null }] }) +
          event({ choices: [{ index, delta: {}, finish_reason }] })
        )
      })
      const quoted = cited === undefined ? "" : event({ choices: [], sources: cited })
      const last = counted === undefined ? "" : event({ choices: [], usage: counted })
      return `${quoted}${pieces.join("")}${last}data: [DONE]\n\n`
    },
  }
}
