import { decodeEvents } from "@portico/sse"
import { type Fields, isObject, parseObject, textOf } from "../../formats/json-values.ts"
import { formatTypedEvent } from "../../formats/sse-events.ts"
import { isLarge } from "../../http/body-buffer.ts"
import {
  type JsonMember,
  keyAt,
  readMembers,
  skipSpace,
  spliceMembers,
} from "../../http/json-members.ts"

/**
 * A response object of the Responses API, with what contains it: an event, or the response itself. Large
 * ones are not parsed, as that would block the event loop.
 */
export interface EmbeddedResponse {
  /** The object, parsed or as JSON. */
  response: Fields | Buffer
  /** What contains it, with other members of the response. */
  withMembers: (members: object) => Buffer
}

export interface EmbeddedResponseEvent extends EmbeddedResponse {
  type: string
}

const openBrace = 0x7b
const openBracket = 0x5b
const newline = 0x0a
const quote = 0x22
const dataField = Buffer.from("data:")

/** The data of an event, not decoded, in one line: line breaks of JSON are white space. */
const dataOf = (event: Buffer): Buffer => {
  const lines: Buffer[] = []
  for (let at = 0; at < event.length; ) {
    const found = event.indexOf(newline, at)
    const end = found < 0 ? event.length : found
    const line = event.subarray(at, end)
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

const readLargeEvent = (event: Buffer): EmbeddedResponseEvent | null => {
  const data = dataOf(event)
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
    response: bytes,
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

/** Null if the event contains no response object. */
export const readResponseEvent = (bytes: Buffer): EmbeddedResponseEvent | null => {
  if (isLarge(bytes)) return readLargeEvent(bytes)
  const event = parseObject(decodeEvents(bytes)[0]?.data ?? "")
  const response = event?.response
  if (!isObject(response)) return null
  return {
    type: textOf(event?.type),
    response,
    withMembers: (members) =>
      Buffer.from(formatTypedEvent({ ...event, response: { ...response, ...members } })),
  }
}

const readLargeBody = (bytes: Buffer): EmbeddedResponse | null => {
  const output = objectMembers(bytes).find(({ key }) => key === "output")
  if (!output || bytes[output.valueStart] !== openBracket) return null
  return { response: bytes, withMembers: (members) => replaceMembers(bytes, members) }
}

/** Null if the body is no response object. */
export const readResponseBody = (bytes: Buffer): EmbeddedResponse | null => {
  if (isLarge(bytes)) return readLargeBody(bytes)
  const response = parseObject(bytes.toString("utf8"))
  if (!Array.isArray(response?.output)) return null
  return {
    response,
    withMembers: (members) => Buffer.from(JSON.stringify({ ...response, ...members })),
  }
}
