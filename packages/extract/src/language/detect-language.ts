import { eld } from "eld/extrasmall"

/** 1 % of samples of prose and 90 % of samples of program code have a larger share of these. */
const codeSymbols = /[{}[\]()=<>;_\\/*&#"`$]/g
const maxSymbolShare = 0.08
/**
 * The best language's score must exceed the second one's by this divided by the number of letters:
 * related languages have close scores, which differ reliably only in longer texts.
 */
const marginTimesLetters = 0.2
const minLetters = 8
/** A word of Chinese, Japanese or Korean takes one to three characters. */
const minEastAsianLetters = 4
/** The detector considers about 350 bytes of a text. */
const sampleLength = 350
/** Spread evenly over a text, so that a title page or an appendix does not decide alone. */
const maxSamples = 15

const asciiTokens = /[\w@/\\=.<>[\]{};|-]+/g
/** Marks addresses, codes, numbers and identifiers, whose letters belong to no language. */
const notOfWords = /[\d_@/\\=<>[\]{};|]/
const letters = /[\p{L}\p{M}]/gu
const latinLetters = /\p{Script=Latin}/gu
const eastAsianLetters = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

const isCode = (sample: string): boolean =>
  countMatches(sample, codeSymbols) > countMatches(sample, /\S/g) * maxSymbolShare

const detectSample = (sample: string): string | null => {
  if (isCode(sample)) return null
  const words = sample.replace(asciiTokens, (token) => (notOfWords.test(token) ? " " : token))
  const letterCount = countMatches(words, letters)
  if (letterCount < minLetters && countMatches(words, eastAsianLetters) < minEastAsianLetters)
    return null
  const result = eld.detect(words)
  const [best = 0, second] = Object.values(result.getScores()).sort((a, b) => b - a)
  if (second === undefined && countMatches(words, latinLetters) === 0) {
    // The only language of its script, such as Korean.
    return result.language || null
  }
  const margin = best - (second ?? 0)
  return result.isReliable() && margin >= marginTimesLetters / letterCount ? result.language : null
}

const takeSamples = (text: string): string[] => {
  const count = Math.min(maxSamples, Math.ceil(text.length / sampleLength))
  const distance = count > 1 ? (text.length - sampleLength) / (count - 1) : 0
  return Array.from({ length: count }, (_, at) => {
    const start = Math.round(at * distance)
    return text.slice(start, start + sampleLength)
  })
}

/**
 * The ISO 639-1 code of the language in which most of a document or a question is written; `no` for
 * both forms of Norwegian. Only samples of a long text are read.
 * @returns null if the text is too short, or no language prevails
 */
export const detectLanguage = (text: string): string | null => {
  const languages = takeSamples(text.trim())
    .map(detectSample)
    .filter((language) => language !== null)
  const counts = Map.groupBy(languages, (language) => language)
  for (const [language, { length }] of counts) {
    if (length > languages.length / 2) return language
  }
  return null
}
