/** Pieces of words with their scores; the index is the piece's id. */
export type Pieces = readonly (readonly [piece: string, score: number])[]

const hashStart = 0x811c9dc5
const addToHash = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193)

/** Joins the pieces' UTF-16 units; the units of piece `id` are from `starts[id]` to `starts[id + 1]`. */
const joinPieces = (pieces: Pieces) => {
  const starts = new Uint32Array(pieces.length + 1)
  for (const [id, [piece]] of pieces.entries()) starts[id + 1] = (starts[id] ?? 0) + piece.length
  const units = new Uint16Array(starts.at(-1) ?? 0)
  for (const [id, [piece]] of pieces.entries()) {
    for (let at = 0; at < piece.length; at++) units[(starts[id] ?? 0) + at] = piece.charCodeAt(at)
  }
  return { starts, units }
}

/**
 * A vocabulary in typed arrays: as a map of strings, one of 250,000 pieces would take 200 MB more.
 */
export const createPieceVocabulary = (pieces: Pieces) => {
  const { starts, units } = joinPieces(pieces)
  const scores = Float32Array.from(pieces, ([, score]) => score)
  const mask = 2 ** Math.ceil(Math.log2(pieces.length * 2 + 1)) - 1
  /** Open addressing; a slot contains an id plus 1, or 0. */
  const slots = new Uint32Array(mask + 1)
  let maxLength = 1
  for (const [id, [piece]] of pieces.entries()) {
    let hash = hashStart
    for (let at = 0; at < piece.length; at++) hash = addToHash(hash, piece.charCodeAt(at))
    let slot = hash & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = id + 1
    maxLength = Math.max(maxLength, piece.length)
  }

  const isPiece = (id: number, text: string, from: number, to: number): boolean => {
    const start = starts[id] ?? 0
    if ((starts[id + 1] ?? 0) - start !== to - from) return false
    for (let at = from; at < to; at++) {
      if (units[start + at - from] !== text.charCodeAt(at)) return false
    }
    return true
  }

  const find = (text: string, from: number, to: number, hash: number): number | undefined => {
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const id = (slots[slot] ?? 0) - 1
      if (isPiece(id, text, from, to)) return id
    }
    return undefined
  }

  return {
    scoreOf: (id: number): number => scores[id] ?? 0,
    minScore: scores.reduce((min, score) => Math.min(min, score), 0),

    /** The pieces that `text` contains at `from`. */
    *startingAt(text: string, from: number): Generator<{ id: number; end: number }> {
      const last = Math.min(text.length, from + maxLength)
      let hash = hashStart
      for (let end = from + 1; end <= last; end++) {
        hash = addToHash(hash, text.charCodeAt(end - 1))
        const id = find(text, from, end, hash)
        if (id !== undefined) yield { id, end }
      }
    },
  }
}
