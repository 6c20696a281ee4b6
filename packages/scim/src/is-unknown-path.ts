import { findAttribute, resolveAttributePath } from "./attribute-paths.ts"
import { filterOperators } from "./filter-operators.ts"
import type { FilterToken } from "./filter-tokenizer.ts"
import type { ResourceType } from "./resource-type.ts"

const name = "[A-Za-z$][\\w$-]*"
const attributePath = new RegExp(`^(?:urn:[\\w.:-]+:)?${name}(?:\\.${name})?$`, "i")
const attributeName = new RegExp(`^${name}$`)

const operators: readonly string[] = filterOperators
const literals = new Set(["true", "false", "null"])

/** One letter per token, so that a regular expression can check the grammar of a value filter. */
const letterOf = ({ kind, text }: FilterToken): string => {
  if (kind === "mark") return text
  if (kind !== "word") return "v"
  const word = text.toLowerCase()
  if (word === "and" || word === "or") return "&"
  if (word === "not") return "!"
  if (word === "pr") return "p"
  if (literals.has(word)) return "v"
  return operators.includes(word) ? "o" : "a"
}
const valueFilter = /^[!(]*a(?:ov|p)\)*(?:&[!(]*a(?:ov|p)\)*)*$/

interface PathParts {
  /** The attribute, with its schema's URN and sub-attribute as written. */
  path: string
  /** The attributes that the filter in […] compares. */
  filterNames: string[]
  /** The sub-attribute after […]. */
  sub: string | undefined
}

/** The name after `.`; undefined if the tokens are anything else. */
const subNameOf = ([dot, word, ...more]: FilterToken[]): string | undefined =>
  more.length === 0 && dot?.text === "." && word?.kind === "word" && attributeName.test(word.text)
    ? word.text
    : undefined

/** Undefined if the path is malformed. */
const splitPath = (tokens: readonly FilterToken[]): PathParts | undefined => {
  const [first, ...rest] = tokens.filter(({ kind }) => kind !== "end")
  if (first?.kind !== "word" || !attributePath.test(first.text)) return undefined
  const path = first.text
  if (rest.length === 0) return { path, filterNames: [], sub: undefined }
  const close = rest.findIndex(({ kind, text }) => kind === "mark" && text === "]")
  const inner = rest.slice(1, close)
  if (rest[0]?.text !== "[" || !valueFilter.test(inner.map(letterOf).join(""))) return undefined
  const filterNames = inner.filter((token) => letterOf(token) === "a").map(({ text }) => text)
  const following = rest.slice(close + 1)
  const sub = subNameOf(following)
  return following.length === 0 || sub !== undefined ? { path, filterNames, sub } : undefined
}

/**
 * Whether a path (RFC 7644 §3.5.2) is well-formed, but names an attribute, a sub-attribute or an
 * attribute in its filter that no schema of the type defines.
 */
export const isUnknownPath = (type: ResourceType, tokens: readonly FilterToken[]): boolean => {
  const parts = splitPath(tokens)
  if (!parts) return false
  const found = resolveAttributePath(type, parts.path)
  if (!found) return true
  const subAttributes = found.attribute.subAttributes
  // A filter on an attribute without values is an error of its own.
  if (!subAttributes) return false
  const named = parts.sub === undefined ? parts.filterNames : [...parts.filterNames, parts.sub]
  return named.some((one) => !findAttribute(subAttributes, one))
}
