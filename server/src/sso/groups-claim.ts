import { isObject } from "../formats/json-values.ts"

/** Why a claim names no groups: `shape` describes its type, without its content. */
export interface UnreadableClaim {
  shape: string
}

const maxGroups = 1000
/** Fields that name a group within an object. */
const nameFields = ["name", "displayName", "display"]

const isText = (value: unknown): value is string => typeof value === "string"

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

const describeShape = (value: unknown): string =>
  Array.isArray(value)
    ? `array of ${[...new Set(value.map(typeOf))].join(", ") || "nothing"}`
    : typeOf(value)

/** The common name of a distinguished name (RFC 4514), such as `CN=dev,OU=groups`. */
const commonName = /^cn=((?:[^,+\\]|\\.)+)/i
const domainAndName = /^[^\\]+\\([^\\]+)$/
/** Keycloak writes groups as paths; a group within another one is not meant by its last name. */
const rootedPath = /^\/(.+)$/
const hexEscapes = /(?:\\[0-9a-f]{2})+/gi

const unescapeName = (name: string): string =>
  name
    .replace(hexEscapes, (text) => Buffer.from(text.replaceAll("\\", ""), "hex").toString())
    .replace(/\\(.)/g, "$1")
    .trim()

/** The name of a group as written, and without its directory's path or domain. */
const spellingsOf = (text: string): string[] => {
  const common = commonName.exec(text)?.[1]
  if (common !== undefined) return [text, unescapeName(common)]
  const named = (domainAndName.exec(text) ?? rootedPath.exec(text))?.[1]
  return named === undefined ? [text] : [text, named]
}

/** A text may be a list, as JSON or as Java prints it: `["dev","ops"]`, `[dev, ops]`. */
const parseListText = (text: string): unknown => {
  const trimmed = text.trim()
  if (!(trimmed.startsWith("[") && trimmed.endsWith("]"))) return text
  try {
    return JSON.parse(trimmed)
  } catch {
    return trimmed.slice(1, -1)
  }
}

/** The names in one text. Spaces are part of names unless the setting says otherwise. */
const splitNames = (text: string, separator: string | null): string[] => {
  if (separator !== null) return text.split(separator === "space" ? /\s+/ : separator)
  if (/[;\r\n]/.test(text)) return text.split(/[;\r\n]+/)
  return commonName.test(text) ? [text] : [text, ...text.split(/[,|]/)]
}

/** Undefined if the value names no group. */
const nameOf = (value: unknown): string | undefined => {
  if (isText(value)) return value
  if (!isObject(value)) return undefined
  return nameFields.map((field) => value[field]).find(isText)
}

/** Zitadel sends an object whose keys are the names. */
const namesOfObject = (value: Record<string, unknown>): string[] | undefined => {
  const name = nameOf(value)
  if (name !== undefined) return [name]
  return Object.values(value).every(isObject) ? Object.keys(value) : undefined
}

const namesIn = (claim: unknown, separator: string | null): string[] | undefined => {
  const value = isText(claim) ? parseListText(claim) : claim
  if (isText(value)) return splitNames(value, separator)
  if (isObject(value)) return namesOfObject(value)
  if (!Array.isArray(value)) return undefined
  const names = value.filter((one) => one !== null).map(nameOf)
  return names.every(isText) ? names : undefined
}

/**
 * The names of groups in a claim, in the shapes that identity providers use: a list of names or of
 * objects with a name, one text, or an object with names as keys.
 */
export const readGroupNames = (
  value: unknown,
  separator: string | null,
): string[] | UnreadableClaim => {
  const names = namesIn(value, separator)
  if (!names) return { shape: describeShape(value) }
  if (names.length > maxGroups) return { shape: `more than ${maxGroups} names` }
  return [...new Set(names.map((name) => name.trim()).flatMap(spellingsOf))]
}
