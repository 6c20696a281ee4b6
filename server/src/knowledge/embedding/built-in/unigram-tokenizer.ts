import { createPieceVocabulary, type Pieces } from "./piece-vocabulary.ts"

/** The parts of a `tokenizer.json` that are used. */
export interface UnigramTokenizerFile {
  added_tokens: readonly { id: number; content: string }[]
  model: { type: "Unigram"; unk_id: number; vocab: Pieces }
}

/** How much less an unknown character scores than the rarest piece, as in SentencePiece. */
const unknownPenalty = 10
const wordStart = "\u2581"

/** What SentencePiece's `nmt_nfkc` drops and replaces by a space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is dropped
const dropped = /[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]/g
const spaces =
  /[\t\n\f\r\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2581\u3000\ufeff\ufffd]/g

const splitIntoWords = (text: string): string[] =>
  text
    .replace(dropped, "")
    .replace(spaces, " ")
    .normalize("NFKC")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => wordStart + word)

/** Finds the sequence of pieces with the highest sum of scores (Viterbi). */
const createBestPath = (length: number) => {
  const totals = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY)
  const ids = new Int32Array(length + 1)
  const starts = new Int32Array(length + 1)
  totals[0] = 0
  return {
    isReachable: (at: number): boolean => totals[at] !== Number.NEGATIVE_INFINITY,

    add: (start: number, end: number, id: number, score: number): void => {
      const total = (totals[start] ?? 0) + score
      if (total <= (totals[end] ?? 0)) return
      totals[end] = total
      ids[end] = id
      starts[end] = start
    },

    ids: (): number[] => {
      const found: number[] = []
      for (let end = length; end > 0; end = starts[end] ?? 0) found.push(ids[end] ?? 0)
      return found.reverse()
    },
  }
}

type BestPath = ReturnType<typeof createBestPath>

/**
 * Tokenizes like SentencePiece's unigram model, from a `tokenizer.json` of XLM-RoBERTa. Takes a tenth
 * of the memory of `@huggingface/tokenizers`. A special token's name in a text is ordinary text.
 * @throws if a special token is missing
 */
export const createUnigramTokenizer = ({ added_tokens: added, model }: UnigramTokenizerFile) => {
  const special = new Set(added.map(({ id }) => id))
  const vocabulary = createPieceVocabulary(model.vocab)
  const unknown = { id: model.unk_id, score: vocabulary.minScore - unknownPenalty }

  const idOf = (name: string): number => {
    const token = added.find(({ content }) => content === name)
    if (!token) throw new Error(`The tokenizer has no token ${name}`)
    return token.id
  }

  /** Adds the pieces at `at`, or its character as an unknown one. */
  const addPieces = (path: BestPath, word: string, at: number): void => {
    const next = at + String.fromCodePoint(word.codePointAt(at) ?? 0).length
    let isKnown = false
    for (const { id, end } of vocabulary.startingAt(word, at)) {
      if (special.has(id)) continue
      path.add(at, end, id, vocabulary.scoreOf(id))
      isKnown ||= end === next
    }
    if (!isKnown) path.add(at, next, unknown.id, unknown.score)
  }

  const tokenizeWord = (word: string): number[] => {
    const path = createBestPath(word.length)
    for (let at = 0; at < word.length; at++) if (path.isReachable(at)) addPieces(path, word, at)
    // Successive unknown characters are one token.
    return path.ids().filter((id, at, ids) => id !== unknown.id || ids[at - 1] !== unknown.id)
  }

  return {
    start: idOf("<s>"),
    end: idOf("</s>"),
    encode: (text: string): number[] => splitIntoWords(text).flatMap(tokenizeWord),
  }
}
