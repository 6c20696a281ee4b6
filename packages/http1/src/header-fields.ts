import { MalformedHttpError } from "./malformed-http-error.ts"

/** A token, the syntax of header names and methods (RFC 9110 §5.6.2). */
export const tokenPattern = /^[!#$%&'*+\-.^_`|~\w]+$/
const invalidValueCharacter = /[^\t\u0020-\u007e\u0080-\u00ff]/

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the characters to reject
const controlCharacters = /[\u0000-\u0008\u000a-\u001f\u007f]/
const space = 0x20
const tab = 0x09

/** Fields that define the message length or control the connection. */
const framingFields = new Set(
  "connection content-length proxy-connection transfer-encoding upgrade".split(" "),
)

export const isFramingField = (name: string): boolean => framingFields.has(name.toLowerCase())

const isBlank = (code: number): boolean => code === space || code === tab

/** Trims only spaces and tabs from `text.slice(from, to)`; `trim` would remove line feeds too. */
const trimBlanks = (text: string, from: number, to: number): string => {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** Whether the whitespace before `end` contains a tab. */
const endsInTab = (text: string, from: number, end: number): boolean => {
  let at = end - 1
  while (at > from && text.charCodeAt(at) === space) at--
  return text.charCodeAt(at) === tab
}

/**
 * Parses field lines (RFC 9112 §5) separated by CR LF.
 * @param lines decoded as Latin-1, one character per byte
 * @returns alternating names and values
 * @throws {MalformedHttpError}
 */
export const parseFieldLines = (lines: string, from: number): string[] => {
  const fields: string[] = []
  for (let start = from; start < lines.length; ) {
    const lineEnd = lines.indexOf("\r\n", start)
    const end = lineEnd < 0 ? lines.length : lineEnd
    const colon = lines.indexOf(":", start)
    const name = colon < 0 || colon > end ? "" : lines.slice(start, colon)
    const value = trimBlanks(lines, colon + 1, end)
    if (!tokenPattern.test(name) || controlCharacters.test(value)) {
      throw new MalformedHttpError("a response header is invalid")
    }
    // llhttp treats a trailing tab as part of the value, so parsers would disagree.
    if (
      isBlank(lines.charCodeAt(end - 1)) &&
      isFramingField(name) &&
      endsInTab(lines, colon, end)
    ) {
      throw new MalformedHttpError(`the response header ${name} ends in a tab`)
    }
    fields.push(name, value)
    start = end + 2
  }
  return fields
}

/** Whether a comma-separated header value contains `token`, given in lower case. */
export const includesToken = (value: string, token: string): boolean =>
  value.split(",").some((item) => trimBlanks(item, 0, item.length).toLowerCase() === token)

/** All values of the header, joined by commas; null if absent. @param name in lower case */
export const headerOf = (rawHeaders: readonly string[], name: string): string | null => {
  let value: string | null = null
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] ?? ""
    if (field.length !== name.length || field.toLowerCase() !== name) continue
    value = value === null ? (rawHeaders[at + 1] ?? "") : `${value},${rawHeaders[at + 1]}`
  }
  return value
}

/** Formats a header line, in Latin-1. @throws {TypeError} if the name or value is invalid */
export const formatHeaderField = (name: string, value: string): string => {
  if (!tokenPattern.test(name) || invalidValueCharacter.test(value)) {
    throw new TypeError(`the header "${name.slice(0, 50)}" cannot be sent`)
  }
  return `${name}: ${value}\r\n`
}
