import { jsonPieces } from "./json-pieces.ts"
import type { Fields } from "./json-values.ts"

/** Server-sent events, possibly none; large ones in pieces, to be read before the next are asked for. */
export type EventText = string | Generator<string>

/** More are encoded one by one, so that other work can be done in between. */
const maxAtOnce = 16

function* encodeInPieces<T>(
  items: readonly T[],
  encode: (item: T) => EventText,
): Generator<string> {
  for (const item of items) {
    const text = encode(item)
    if (typeof text === "string") yield text
    else yield* text
  }
}

function* followPieces(
  before: string,
  pieces: Generator<string>,
  rest: Generator<string>,
): Generator<string> {
  yield before
  yield* pieces
  yield* rest
}

/** Encodes each of several items, in pieces if they are many or one of them is large. */
export const encodeEach = <T>(items: readonly T[], encode: (item: T) => EventText): EventText => {
  if (items.length > maxAtOnce) return encodeInPieces(items, encode)
  let encoded = ""
  for (const [at, item] of items.entries()) {
    const text = encode(item)
    if (typeof text !== "string")
      return followPieces(encoded, text, encodeInPieces(items.slice(at + 1), encode))
    encoded += text
  }
  return encoded
}

export const joinPieces = (text: EventText): string =>
  typeof text === "string" ? text : [...text].join("")

/** Formats an event that names its type, as Anthropic's API and the Responses API do. */
export const formatTypedEvent = (event: Fields): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** A large event like `formatTypedEvent`, in pieces. */
export function* formatTypedEventInPieces(event: Fields): Generator<string> {
  yield `event: ${event.type}\ndata: `
  yield* jsonPieces(event)
  yield "\n\n"
}
