import { MalformedResponse } from "../formats/malformed-response.ts"

/** Limit for one event; a generated image takes a few million characters. */
const maxEventCharacters = 16_000_000

/**
 * Incremental decoder for server-sent events; input may be split at any byte. `read` and `end`
 * return the `data` of each completed event and ignore all other fields.
 * @throws {MalformedResponse} for an event of more than 16 million characters
 */
export const createSseDecoder = () => {
  const decoder = new TextDecoder()
  /** The incomplete last line. */
  let line = ""
  let data: string[] = []
  let characters = 0

  const count = (more: number): void => {
    characters += more
    if (characters <= maxEventCharacters) return
    throw new MalformedResponse(`it has an event of more than ${maxEventCharacters / 1e6} MB`)
  }

  const endEvent = (events: string[]): void => {
    const whole = data.join("\n")
    data = []
    characters = 0
    if (whole !== "") events.push(whole)
  }

  const endLine = (text: string, events: string[]): void => {
    if (text === "") endEvent(events)
    else if (text.startsWith("data:")) data.push(text.slice(text[5] === " " ? 6 : 5))
  }

  return {
    read: (chunk: Buffer): string[] => {
      const text = decoder.decode(chunk, { stream: true })
      const events: string[] = []
      let from = 0
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
        count(at - from)
        const whole = line + text.slice(from, at)
        line = ""
        endLine(whole.endsWith("\r") ? whole.slice(0, -1) : whole, events)
        from = at + 1
      }
      count(text.length - from)
      line += text.slice(from)
      return events
    },

    /** Returns a final event whose blank line is missing; the standard would discard it. */
    end: (): string[] => {
      const events: string[] = []
      endLine(line + decoder.decode(), events)
      line = ""
      endEvent(events)
      return events
    },
  }
}
