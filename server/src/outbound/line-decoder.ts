import { MalformedResponse } from "../formats/malformed-response.ts"

/** Limit for one line, as for a server-sent event. */
const maxLineCharacters = 16_000_000

/**
 * Incremental decoder for newline-delimited JSON; input may be split at any byte. `read` and `end`
 * return the completed lines that are not blank.
 * @throws {MalformedResponse} for a line of more than 16 million characters
 */
export const createLineDecoder = () => {
  const decoder = new TextDecoder()
  /** The incomplete last line. */
  let line = ""

  const split = (text: string): string[] => {
    const [first = "", ...others] = text.split("\n")
    const lines = [line + first, ...others]
    line = lines.pop() ?? ""
    if ([...lines, line].some(({ length }) => length > maxLineCharacters)) {
      throw new MalformedResponse(`it has a line of more than ${maxLineCharacters / 1e6} MB`)
    }
    return lines.filter((one) => one.trim() !== "")
  }

  return {
    push: (chunk: Buffer): string[] => split(decoder.decode(chunk, { stream: true })),
    /** Returns a final line whose newline is missing. */
    end: (): string[] => split(`${decoder.decode()}\n`),
  }
}
