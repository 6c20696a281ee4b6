import { stopWords } from "./stop-words.ts"

/** Weight of a term in a query, by kind, relative to a whole word. */
export const termWeights = { word: 1, beginning: 0.3, pair: 0.5, trigram: 0.25 } as const
export type TermKind = keyof typeof termWeights

let segmenter: Intl.Segmenter | undefined
const ideographs = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+$/u
const minCompoundLength = 4
const maxWordLength = 64
/** Maximum characters per call of the segmenter, which is not linear in text without spaces. */
const maxSegmentLength = 20_000

/** Removes case, accents and width, so that equivalent text compares equal. */
const fold = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase().toLowerCase()

/** The folded words of a text in order, including scripts without spaces. */
export const splitWords = (text: string): string[] => {
  const words: string[] = []
  // Created on first use, as it takes 20 ms.
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" })
  for (let at = 0; at < text.length; at += maxSegmentLength) {
    for (const { segment, isWordLike } of segmenter.segment(
      fold(text.slice(at, at + maxSegmentLength)),
    )) {
      if (isWordLike) words.push(segment.slice(0, maxWordLength))
    }
  }
  return words
}

/** The first two thirds of a word, which inflected forms usually share. */
const prefixOf = (word: string): string =>
  word.slice(0, Math.max(4, Math.min(6, Math.ceil(word.length * 0.65))))

const addSubwordTerms = (word: string, addTerm: (kind: TermKind, term: string) => void): void => {
  if (ideographs.test(word)) {
    for (let at = 0; at + 2 <= word.length; at++) addTerm("pair", `#${word.slice(at, at + 2)}`)
    return
  }
  if (word.length < minCompoundLength) return
  if (word.length > minCompoundLength) addTerm("beginning", `^${prefixOf(word)}`)
  const edged = `_${word}_`
  for (let at = 0; at + 3 <= edged.length; at++) addTerm("trigram", `~${edged.slice(at, at + 3)}`)
}

/** The terms for parts of a word. */
export const subwordTermsOf = (word: string): { kind: TermKind; term: string }[] => {
  const terms: { kind: TermKind; term: string }[] = []
  addSubwordTerms(word, (kind, term) => terms.push({ kind, term }))
  return terms
}

export interface TextTerms {
  /** Frequency of each term; always 1 for trigrams. */
  counts: Map<string, number>
  kinds: Map<string, TermKind>
  /** Number of words, without stop words. */
  length: number
}

/** The terms by which a text is indexed and searched. */
export const extractTerms = (text: string): TextTerms => {
  const counts = new Map<string, number>()
  const kinds = new Map<string, TermKind>()
  let length = 0
  const addTerm = (kind: TermKind, term: string): void => {
    counts.set(term, kind === "trigram" ? 1 : (counts.get(term) ?? 0) + 1)
    kinds.set(term, kind)
  }
  for (const word of splitWords(text)) {
    if (stopWords.has(word)) continue
    length++
    addTerm("word", word)
    addSubwordTerms(word, addTerm)
  }
  return { counts, kinds, length }
}

/** 32-bit FNV-1a hash of a term's UTF-16 units. */
export const hashTerm = (term: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < term.length; at++) {
    hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}
