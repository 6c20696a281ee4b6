export type Utf16Encoding = "utf-16le" | "utf-16be"

/** Bytes from which the encoding is detected. */
const sampleBytes = 4096
/** Text in other encodings has hardly any of these control characters. */
const minControlShare = 0.01
/** Names in programs and databases, which end with zeros, have more ASCII than UTF-16 can have. */
const maxAsciiShare = 0.8
const minPlausibility = 0.9

/** Blocks of the characters that texts mostly consist of, by first and last code unit. */
const commonBlocks = [
  [0x20, 0x7e],
  [0xa0, 0x24f],
  [0x2b0, 0x52f],
  [0x531, 0x6ff],
  [0x900, 0xeff],
  [0x10a0, 0x11ff],
  [0x1e00, 0x1fff],
  [0x2010, 0x206f],
  [0x20a0, 0x20bf],
  [0x2100, 0x22ff],
  [0x2500, 0x25ff],
  [0x3000, 0x30ff],
  [0x3400, 0x9fff],
  [0xac00, 0xd7a3],
  [0xd800, 0xdfff],
  [0xff00, 0xffef],
] as const
const endsOfLines = new Set([0x09, 0x0a, 0x0c, 0x0d])
/** 一 and the ideographic space: frequent characters whose second byte is zero. */
const frequentWithZero = new Set([0x4e00, 0x3000])

const plausibilityOf = (unit: number): number => {
  if (endsOfLines.has(unit)) return 1
  // ASCII in the other byte order.
  if (unit % 0x100 === 0 && !frequentWithZero.has(unit)) return -1
  return commonBlocks.some(([first, last]) => unit >= first && unit <= last) ? 1 : 0
}

/** Share of the code units that are usual in text, read as UTF-16 in one byte order. */
const utf16Plausibility = (sample: Buffer, encoding: Utf16Encoding): number => {
  const length = sample.length & ~1
  let sum = 0
  for (let at = 0; at < length; at += 2) {
    const isLittle = encoding === "utf-16le"
    sum += plausibilityOf(isLittle ? sample.readUInt16LE(at) : sample.readUInt16BE(at))
  }
  return sum / (length / 2)
}

const isControl = (byte: number): boolean => byte < 0x20 && !endsOfLines.has(byte) && byte !== 0x1b

const isPrintableAscii = (byte: number): boolean => byte >= 0x20 && byte < 0x7f

const countBytes = (bytes: Buffer, isCounted: (byte: number) => boolean): number =>
  bytes.reduce((count, byte) => count + (isCounted(byte) ? 1 : 0), 0)

/**
 * Detects UTF-16 by its byte order mark, or by code units that are usual in text. Latin text has a
 * zero in every other byte, Cyrillic a 4, and even Chinese has many bytes that are control
 * characters in other encodings.
 */
export const detectUtf16 = (bytes: Buffer): Utf16Encoding | null => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le"
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be"
  const sample = bytes.subarray(0, sampleBytes)
  const controls = countBytes(sample, isControl)
  if (sample.length < 4 || controls < 2 || controls < sample.length * minControlShare) return null
  if (countBytes(sample, isPrintableAscii) > sample.length * maxAsciiShare) return null
  const little = utf16Plausibility(sample, "utf-16le")
  const big = utf16Plausibility(sample, "utf-16be")
  if (Math.max(little, big) < minPlausibility || little === big) return null
  return little > big ? "utf-16le" : "utf-16be"
}
