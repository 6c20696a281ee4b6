import { isUtf8 } from "node:buffer"

/** The type detected from the first bytes: readable, or a description of why it has no text. */
export type DetectedFileType =
  | { readable: "pdf" | "zip" | "ole" | "rtf" | "text" }
  | { unreadable: string }

const hasSignature = (head: Buffer, signature: string, at = 0): boolean =>
  head.subarray(at, at + signature.length).equals(Buffer.from(signature, "latin1"))

const signatures: [signature: string, name: string, at?: number][] = [
  ["\x89PNG\r\n\x1a\n", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["II*\0", "a TIFF image"],
  ["MM\0*", "a TIFF image"],
  ["WEBP", "a WebP image", 8],
  ["WAVE", "an audio file", 8],
  ["AVI ", "a video", 8],
  ["ftyp", "a video, image or audio file", 4],
  ["OggS", "an audio file"],
  ["ID3", "an audio file"],
  ["\xff\xfb", "an audio file"],
  ["fLaC", "an audio file"],
  ["\x1aE\xdf\xa3", "a video"],
  ["7z\xbc\xaf'\x1c", "a 7z archive"],
  ["Rar!", "a RAR archive"],
  ["\x1f\x8b", "a gzip archive"],
  ["BZh", "a bzip2 archive"],
  ["\xfd7zXZ\0", "an xz archive"],
  ["\x7fELF", "an executable"],
  ["MZ\x90\0", "an executable"],
  ["\xca\xfe\xba\xbe", "an executable"],
  ["\0asm", "a WebAssembly program"],
  ["SQLite format 3\0", "a database"],
  ["wOFF", "a font"],
  ["wOF2", "a font"],
]

/** Detects UTF-16 by its byte order mark, or by the zero in every other byte of Latin text. */
export const detectUtf16 = (head: Buffer): "utf-16le" | "utf-16be" | null => {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le"
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be"
  const zeros = [0, 0]
  const length = Math.min(head.length, 4000) & ~1
  for (let at = 0; at < length; at++) {
    if (head[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  }
  const [even = 0, odd = 0] = zeros.map((count) => count / (length / 2))
  if (length >= 8 && odd > 0.4 && even < 0.05) return "utf-16le"
  return length >= 8 && even > 0.4 && odd < 0.05 ? "utf-16be" : null
}

const controlShare = (head: Buffer): number => {
  let controls = 0
  for (const byte of head) {
    if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) {
      controls++
    }
  }
  return controls / Math.max(1, head.length)
}

const isText = (head: Buffer): boolean => {
  if (detectUtf16(head)) return true
  if (head.includes(0)) return false
  // The sample may end in the middle of a character.
  const whole = head.subarray(0, Math.max(0, head.length - 3))
  return isUtf8(whole) || controlShare(head) < 0.02
}

/** @param head the first 4 KB, or the whole file if shorter */
export const detectFileType = (head: Buffer): DetectedFileType => {
  const before = head.subarray(0, 1024)
  if (before.includes("%PDF-")) return { readable: "pdf" }
  if (hasSignature(head, "PK\x03\x04") || hasSignature(head, "PK\x05\x06"))
    return { readable: "zip" }
  if (hasSignature(head, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) return { readable: "ole" }
  if (hasSignature(head, "{\\rtf")) return { readable: "rtf" }
  const known = signatures.find(([signature, , at = 0]) => hasSignature(head, signature, at))
  if (known) return { unreadable: known[1] }
  return isText(head) ? { readable: "text" } : { unreadable: "a binary file of unknown type" }
}
