const fnvOffset = 0x811c9dc5
const fnvPrime = 0x01000193
const numberHash = 0x23
/** Chinese and Japanese characters are words of their own. */
const firstIdeograph = 0x2e80
/** One in so many pairs is kept, the same ones in each text. */
const sampling = 4

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

const isWordCode = (code: number): boolean => {
  if (code < 0x80) return isDigit(code) || (code >= 0x61 && code <= 0x7a)
  return code >= 0xaa && !(code >= 0x2000 && code < 0x2070) && code !== 0xd7
}

/** The position after the word that starts at `start`. */
const findWordEnd = (text: string, start: number): number => {
  if (text.charCodeAt(start) >= firstIdeograph) return start + 1
  let end = start
  for (let code = text.charCodeAt(end); isWordCode(code) && code < firstIdeograph; ) {
    end++
    code = text.charCodeAt(end)
  }
  return end
}

/** FNV-1a; all words that begin with a digit are equal. */
const hashWord = (text: string, start: number, end: number): number => {
  if (isDigit(text.charCodeAt(start))) return numberHash
  let hash = fnvOffset
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), fnvPrime)
  return hash
}

/**
 * Hashes of a sample of the pairs of adjacent words in a text, numbers being equal. The share of
 * them that is in another text's sample estimates that of all pairs.
 */
export const samplePairs = (text: string): Set<number> => {
  const lowerCase = text.toLowerCase()
  const pairs = new Set<number>()
  let before = 0
  for (let at = 0; at < lowerCase.length; ) {
    if (!isWordCode(lowerCase.charCodeAt(at))) {
      at++
      continue
    }
    const end = findWordEnd(lowerCase, at)
    const word = hashWord(lowerCase, at, end)
    const pair = Math.imul(before ^ (word >>> 15), fnvPrime) ^ word
    if ((pair >>> 8) % sampling === 0) pairs.add(pair)
    before = word
    at = end
  }
  return pairs
}
