import {
  type JsonMember,
  keyAt,
  readMembers,
  skipSpace,
  spliceMembers,
} from "../http/json-members.ts"

/** A response object that is too large to be parsed on the event loop. */
export interface LargeResponse {
  /** Its JSON. */
  bytes: Buffer
  /** What contains it, with other members of the response: an event, or the response itself. */
  withMembers: (members: object) => Buffer
}

export interface LargeResponseEvent extends LargeResponse {
  type: string
}

const openBrace = 0x7b
const openBracket = 0x5b
const newline = 0x0a
const quote = 0x22
const dataField = Buffer.from("data:")

/** The data of an event in one line: line breaks of JSON are white space. */
const dataOf = (frame: Buffer): Buffer => {
  const lines: Buffer[] = []
  for (let at = 0; at < frame.length; ) {
    const found = frame.indexOf(newline, at)
    const end = found < 0 ? frame.length : found
    const line = frame.subarray(at, end)
    if (line.subarray(0, dataField.length).equals(dataField))
      lines.push(line.subarray(dataField.length))
    at = end + 1
  }
  const data = Buffer.concat(lines)
  return data.subarray(skipSpace(data, 0))
}

const objectMembers = (bytes: Buffer): JsonMember[] =>
  bytes[skipSpace(bytes, 0)] === openBrace ? readMembers(bytes) : []

const replaceMembers = (bytes: Buffer, members: object): Buffer => {
  const changes = Object.entries(members).map(([name, value]): [string, string] => [
    name,
    JSON.stringify(value),
  ])
  return spliceMembers(bytes, readMembers(bytes), new Map(changes))
}

/** Null if the event has no response object. */
export const readLargeEvent = (frame: Buffer): LargeResponseEvent | null => {
  const data = dataOf(frame)
  const found = objectMembers(data)
  const type = found.find(({ key }) => key === "type")
  const response = found.find(({ key }) => key === "response")
  if (!(type && response) || data[response.valueStart] !== openBrace) return null
  if (data[type.valueStart] !== quote) return null
  const { valueStart, valueEnd } = response
  const bytes = data.subarray(valueStart, valueEnd)
  const name = keyAt(data, type.valueStart, type.valueEnd)
  return {
    type: name,
    bytes,
    withMembers: (members) =>
      Buffer.concat([
        Buffer.from(`event: ${name}\ndata: `),
        data.subarray(0, valueStart),
        replaceMembers(bytes, members),
        data.subarray(valueEnd),
        Buffer.from("\n\n"),
      ]),
  }
}

/** Null if the body is no response object. */
export const readLargeBody = (bytes: Buffer): LargeResponse | null => {
  const output = objectMembers(bytes).find(({ key }) => key === "output")
  if (!output || bytes[output.valueStart] !== openBracket) return null
  return { bytes, withMembers: (members) => replaceMembers(bytes, members) }
}

const boundaries = ["\n\n", "\n\r\n"].map((text) => Buffer.from(text))

/** Finds where events end; a kind of boundary that does not occur is searched for only once. */
const createBoundarySearch = (frames: Buffer) => {
  const ends = boundaries.map(() => 0)
  return (from: number): number => {
    for (const [kind, boundary] of boundaries.entries()) {
      if ((ends[kind] ?? 0) > from) continue
      const start = frames.indexOf(boundary, from)
      ends[kind] = start < 0 ? Number.POSITIVE_INFINITY : start + boundary.length
    }
    return Math.min(frames.length, ...ends)
  }
}

/** Splits whole events; what follows the last one is not complete. */
export const splitFrames = (frames: Buffer): Buffer[] => {
  const endAfter = createBoundarySearch(frames)
  const found: Buffer[] = []
  for (let at = 0; at < frames.length; ) {
    const end = endAfter(at)
    found.push(frames.subarray(at, end))
    at = end
  }
  return found
}
