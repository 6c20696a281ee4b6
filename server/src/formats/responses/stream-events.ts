import type { Fields } from "../json-values.ts"
import { formatTypedEvent, formatTypedEventInPieces } from "../sse-events.ts"
import { type ResponseText, toJson, toJsonPieces } from "./response-object.ts"

/** An event of a stream, with the response as it is by then if it contains one. */
export interface StreamEvent {
  event: Fields
  response?: ResponseText
}

/** The end of an event that contains a response follows `response`. */
const formatStart = (event: Fields): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event).slice(0, -1)},"response":`

const formatStreamEvent = ({ event, response }: StreamEvent): string =>
  response ? `${formatStart(event)}${toJson(response)}}\n\n` : formatTypedEvent(event)

export const formatStreamEvents = (events: readonly StreamEvent[]): string => {
  let text = ""
  for (const event of events) text += formatStreamEvent(event)
  return text
}

export function* formatInPieces(events: readonly StreamEvent[]): Generator<string> {
  for (const { event, response } of events) {
    if (response) {
      yield formatStart(event)
      yield* toJsonPieces(response)
      yield "}\n\n"
    } else yield* formatTypedEventInPieces(event)
  }
}
