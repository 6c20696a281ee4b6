import { type Fields, isObject, parseObject } from "../../formats/json-values.ts"
import type { RewrittenQuery } from "./schema.ts"

/** Characters of one query; a longer text is no question. */
export const maxQueryLength = 1000

/** A query in one line; null if the value is none. */
const queryOf = (value: unknown): string | null => {
  if (typeof value !== "string" || value.length > maxQueryLength) return null
  const text = value.replaceAll("\0", "").replace(/\s+/g, " ").trim().toWellFormed()
  return text === "" ? null : text
}

/** Places where an object may begin that are tried: braces may stand in a sentence before it. */
const maxObjectStarts = 5

/** The outermost object in an answer, which may be fenced, or stand between sentences. */
const objectIn = (answer: string): Fields | null => {
  const to = answer.lastIndexOf("}") + 1
  let from = answer.indexOf("{")
  for (let tries = 0; tries < maxObjectStarts && from >= 0 && from < to; tries++) {
    const found = parseObject(answer.slice(from, to))
    if (found) return found
    from = answer.indexOf("{", from + 1)
  }
  return null
}

/** By lower-case code: "DE" and "de-CH" are "de". */
const translationsIn = (value: unknown, languages: readonly string[]): RewrittenQuery[] => {
  if (!isObject(value)) return []
  return languages.flatMap((language): RewrittenQuery[] => {
    const own = Object.keys(value).find((key) => key.toLowerCase().split(/[-_]/, 1)[0] === language)
    const text = own === undefined ? null : queryOf(value[own])
    return text === null ? [] : [{ kind: "translation", text, language }]
  })
}

/** Texts that differ only in case or punctuation find the same. */
const comparable = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/**
 * Reads a model's answer, whatever surrounds its JSON. Members that are missing, too long or were
 * not requested are left out, as are queries that repeat the question or each other.
 * @param languages the requested ones
 * @returns null if there is no JSON object with one of the members in it
 */
export const parseRewriting = (
  answer: string,
  { question, languages }: { question: string; languages: readonly string[] },
): RewrittenQuery[] | null => {
  const found = objectIn(answer)
  if (!found) return null
  const queries: RewrittenQuery[] = [
    ...(["standalone", "paraphrase"] as const).flatMap((kind): RewrittenQuery[] => {
      const text = queryOf(found[kind])
      return text === null ? [] : [{ kind, text, language: null }]
    }),
    ...translationsIn(found.translations, languages),
  ]
  if (queries.length === 0) return null
  const known = new Set([comparable(question)])
  return queries.filter(({ text }) => {
    const key = comparable(text)
    if (known.has(key)) return false
    known.add(key)
    return true
  })
}
