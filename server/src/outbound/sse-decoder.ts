import { MalformedResponse } from "./upstream-error.ts"

/** Of one event; an image in a reply has a few million. */
const maxEventCharacters = 16_000_000

/**
 * Takes a stream of server-sent events apart, cut anywhere; gives the data of each that is whole.
 * @throws {MalformedResponse} for an event of more than 16 MB
 */
export const createSseDecoder = () => {
  const decoder = new TextDecoder()
  /** The line that is not whole yet. */
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

    /** The event that lacks its blank line when the stream ends: it counts all the same. */
    end: (): string[] => {
      const events: string[] = []
      endLine(line + decoder.decode(), events)
      line = ""
      endEvent(events)
      return events
    },
  }
}
