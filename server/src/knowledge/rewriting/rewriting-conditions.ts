/** Half of the questions that stand alone are longer, and nearly all that refer back are shorter. */
const maxReferringWords = 8
/** Characters; longer questions are not counted word by word. */
const maxReferringLength = 120

let segmenter: Intl.Segmenter | undefined

/** Whether a text has at most `max` words, in any script. */
const hasAtMostWords = (text: string, max: number): boolean => {
  // Created on first use, as it takes 20 ms.
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" })
  let count = 0
  for (const { isWordLike } of segmenter.segment(text)) {
    if (isWordLike) count++
    if (count > max) return false
  }
  return true
}

/**
 * Whether a question probably refers to the conversation. It is decided by its length alone, as
 * pronouns and ellipses look different in every language.
 */
export const refersBack = (question: string, hasPrevious: boolean): boolean =>
  hasPrevious &&
  question.length <= maxReferringLength &&
  hasAtMostWords(question, maxReferringWords)

/**
 * Whether a question is in another language than some of the files.
 * @param language null if unknown
 * @param fileLanguages ISO 639-1
 */
export const isInOtherLanguage = (
  language: string | null,
  fileLanguages: readonly string[],
): boolean => language !== null && fileLanguages.some((fileLanguage) => fileLanguage !== language)
