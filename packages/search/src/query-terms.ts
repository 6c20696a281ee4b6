import { stopWords } from "./stop-words.ts"
import { hashTerm, splitWords, subwordTermsOf, type TermKind, termWeights } from "./tokenizer.ts"

export interface QueryTerm {
  hash: number
  kind: TermKind
  /** Relative to a word that occurs once in the query. */
  weight: number
  /** The hash of another term: this one counts only if no passage has that. */
  insteadOf: number | null
}

/**
 * Otherwise, the prefix and the trigrams of any longer word would outweigh a short code, and
 * passages with that word the only one with the code.
 */
const identifierWeight = 4
/** Single digits occur everywhere. */
const digitWeight = 2

/** Words, also several that are joined as in "A-12/3.4", "E 36" or "ER 10". */
const candidates =
  /(?:\p{L}|\p{Lu}{2,3}) \p{N}[\p{L}\p{N}]*|[\p{L}\p{N}]+(?:[-‐‑–./_][\p{L}\p{N}]+)*/gu
const hasDigit = /\p{N}/u
const singleDigit = /^\p{N}$/u
/** Several capital letters. */
const capitals = /^\p{Lu}{2,}$/u
const lettersOrDigits = /\p{L}+|\p{N}+/gu

/**
 * The parts of a question that look like a code, an abbreviation or a number, such as "E36",
 * "F07.2", "ERR" or "4711-2026".
 */
const findIdentifiers = (query: string): string[] => {
  const words = query.match(candidates) ?? []
  const shouted = words.filter((word) => capitals.test(word))
  const isShouting = words.length > 1 && shouted.length > words.length / 2
  return words.filter((word) =>
    hasDigit.test(word) ? !singleDigit.test(word) : !isShouting && capitals.test(word),
  )
}

/** Words with the same prefix add their weights; trigrams count once. */
const addTerm = (terms: Map<number, QueryTerm>, term: QueryTerm): void => {
  const known = terms.get(term.hash)
  if (!known) terms.set(term.hash, term)
  else if (term.kind === "trigram") known.weight = Math.max(known.weight, term.weight)
  else known.weight += term.weight
}

const weightOf = (word: string, isIdentifier: boolean): number => {
  if (!isIdentifier) return termWeights.word
  return singleDigit.test(word) ? digitWeight : identifierWeight
}

const addWord = (
  terms: Map<number, QueryTerm>,
  word: string,
  { count, isIdentifier }: { count: number; isIdentifier: boolean },
): void => {
  const weight = weightOf(word, isIdentifier) * count
  addTerm(terms, { hash: hashTerm(word), kind: "word", weight, insteadOf: null })
  for (const { kind, term } of subwordTermsOf(word)) {
    addTerm(terms, {
      hash: hashTerm(term),
      kind,
      weight: termWeights[kind] * count,
      insteadOf: null,
    })
  }
}

/**
 * Adds other spellings of an identifier: "E36" is also found as "E-36" or "E 36", and the other way
 * round. The parts of a joined spelling occur in other passages too, so they count only if it has no
 * match.
 */
const addSpellings = (terms: Map<number, QueryTerm>, identifier: string): void => {
  const words = splitWords(identifier)
  const parts = words.join(" ").match(lettersOrDigits) ?? []
  const joined = parts.join("")
  const addSpelling = (word: string, insteadOf: number | null): void => {
    const hash = hashTerm(word)
    // A joined spelling counts as much as its parts together.
    const weight = identifierWeight * (insteadOf === null ? words.length : 1)
    if (!words.includes(word) && !stopWords.has(word) && !terms.has(hash))
      terms.set(hash, { hash, kind: "word", weight, insteadOf })
  }
  addSpelling(joined, null)
  const [word] = words
  if (word === undefined || words.length > 1) return
  for (const part of parts) addSpelling(part, hashTerm(word))
}

/** The terms of a question. Words that occur more than once count twice. */
export const extractQueryTerms = (query: string): QueryTerm[] => {
  const identifiers = findIdentifiers(query)
  const identifierWords = new Set(identifiers.flatMap(splitWords))
  const counts = new Map<string, number>()
  for (const word of splitWords(query)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const terms = new Map<number, QueryTerm>()
  for (const [word, count] of counts) {
    if (stopWords.has(word)) continue
    const isIdentifier = identifierWords.has(word)
    addWord(terms, word, { count: Math.min(2, count), isIdentifier })
  }
  for (const identifier of identifiers) addSpellings(terms, identifier)
  return [...terms.values()]
}
