import { jsonPieces } from "./json-pieces.ts"
import type { Fields } from "./json-values.ts"

/** Server-sent events, possibly none; large ones in pieces, to be read before the next are asked for. */
export type EventText = string | Generator<string>

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

/** The data of one server-sent event. */
export const dataOfEvent = (event: string): string =>
  event
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5))
    .join("\n")
