import { decodeBytes, encodingByLabel } from "./decode-bytes.ts"
import type { TextEncoding } from "./text-encodings.ts"
import { textPlausibility } from "./text-plausibility.ts"

/** Bytes for the detector, taken from around the first characters outside of ASCII. */
const sampleBytes = 4096
/** Bytes of ASCII text on both sides that tell the language. */
const contextBytes = 40

/** The encodings to detect, as the detector names them. */
const detectedEncodings = [
  ...["cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"],
  ...["iso8859-2", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-13", "iso8859-15"],
  ...["koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "cp866", "cp437", "cp850", "cp852", "cp857"],
  ...["cp874", "cp932", "shift_jis_2004", "euc_jis_2004", "gb18030", "big5hkscs", "cp949"],
]

/** How much likelier than others an encoding is in documents, beyond what its text tells. */
const prior: Partial<Record<TextEncoding, number>> = {
  "windows-1252": 0.4,
  "iso-8859-15": 0.2,
  "windows-1258": -0.3,
  "koi8-u": -0.2,
  macintosh: -0.2,
  ibm437: -0.3,
  ibm850: -0.2,
  ibm852: -0.2,
  ibm857: -0.3,
}

interface Candidate {
  encoding: TextEncoding
  sampleText: string
  score: number
}

export interface DetectedEncoding {
  encoding: TextEncoding
  /** Characters are damaged, or another encoding gives a text that is nearly as likely. */
  isDoubtful: boolean
}

const isForeign = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x80

/** Line ends, tabs, quotes and signs of markup and tables; none is part of a longer character. */
const separators = new Set([...'\n\r\t<>";'].map((sign) => sign.charCodeAt(0)))
const space = 0x20

const nextForeign = (bytes: Buffer, from: number): number => {
  for (let at = from; at < bytes.length; at++) if (isForeign(bytes[at])) return at
  return -1
}

/** Start of the whole words before `at`, up to a separator. */
const contextStart = (bytes: Buffer, from: number, at: number): number => {
  const first = Math.max(from, at - contextBytes)
  let start = at
  for (let index = at - 1; index >= first; index--) {
    const byte = bytes[index] ?? space
    if (separators.has(byte)) return index + 1
    if (byte === space || index === from) start = index
  }
  return start
}

/** End of the text that follows the character at `at`, up to a separator. */
const contextEnd = (bytes: Buffer, at: number): number => {
  let lastForeign = at
  for (let index = at + 1; index < bytes.length; index++) {
    if (isForeign(bytes[index])) lastForeign = index
    else if (index - lastForeign > contextBytes || separators.has(bytes[index] ?? space))
      return index
    if (index - at > sampleBytes) return index
  }
  return bytes.length
}

/** The parts of the text that tell its encoding, without markup and other text in ASCII. */
const sampleOf = (bytes: Buffer): Buffer => {
  const pieces: Buffer[] = []
  let length = 0
  let end = 0
  for (let at = nextForeign(bytes, 0); at >= 0; at = nextForeign(bytes, end)) {
    const start = contextStart(bytes, end, at)
    end = contextEnd(bytes, at)
    pieces.push(Buffer.from("\n"), bytes.subarray(start, end))
    length += end - start
    if (length >= sampleBytes) break
  }
  return Buffer.concat(pieces)
}

const countForeign = (text: string): number => text.match(/[^\p{ASCII}]/gu)?.length ?? 0

interface Proposal {
  encoding: TextEncoding | null
  confidence: number
}

/**
 * Japanese encodings for text that is mostly kana, such as names in a table: the detector wants
 * more different characters.
 */
const proposeForKana = (sample: Buffer): Proposal[] =>
  (["shift_jis", "euc-jp"] as const)
    .filter((encoding) => {
      const text = decodeBytes(sample, encoding)
      const kana = text.match(/[\u3040-\u30ff]/g)?.length ?? 0
      return kana > 0.6 * countForeign(text)
    })
    .map((encoding) => ({ encoding, confidence: 0.1 }))

const proposeEncodings = async (sample: Buffer): Promise<Proposal[]> => {
  const { detectAll } = await import("jschardet")
  const detected = detectAll(sample, { minimumThreshold: 0, detectEncodings: detectedEncodings })
  const proposals = detected.map(({ encoding, confidence }) => ({
    encoding: encodingByLabel(encoding ?? ""),
    confidence,
  }))
  return [...proposals, ...proposeForKana(sample)]
}

/** All possible encodings, the likeliest first. */
const rankEncodings = async (sample: Buffer): Promise<Candidate[]> => {
  const candidates = new Map<TextEncoding, Candidate>()
  for (const { encoding, confidence } of await proposeEncodings(sample)) {
    if (encoding === null || candidates.has(encoding)) continue
    const sampleText = decodeBytes(sample, encoding)
    const score =
      1.5 * Math.log(confidence + 0.01) + textPlausibility(sampleText) + (prior[encoding] ?? 0)
    candidates.set(encoding, { encoding, sampleText, score })
  }
  return [...candidates.values()].toSorted((a, z) => z.score - a.score)
}

/** UTF-8 with few damaged characters, as in logs that were cut. */
const isDamagedUtf8 = (sample: Buffer): boolean => {
  const text = decodeBytes(sample, "utf-8")
  const damaged = text.match(/\ufffd/g)?.length ?? 0
  return damaged * 10 <= countForeign(text)
}

/**
 * Detects the encoding of bytes that are no valid Unicode: a detector proposes encodings with its
 * confidence in each, and what the text would look like decides between them.
 */
export const detectEncoding = async (bytes: Buffer): Promise<DetectedEncoding> => {
  const sample = sampleOf(bytes)
  if (isDamagedUtf8(sample)) return { encoding: "utf-8", isDoubtful: true }
  const candidates = await rankEncodings(sample)
  const [best] = candidates
  if (!best) return { encoding: "windows-1252", isDoubtful: true }
  const other = candidates.find(({ sampleText }) => sampleText !== best.sampleText)
  const minLead = 1 / Math.sqrt(countForeign(best.sampleText))
  const isDoubtful = other !== undefined && best.score - other.score < minLead
  return { encoding: best.encoding, isDoubtful }
}
