import { isUtf8 } from "node:buffer"
import { detectUtf16 } from "./text/utf16.ts"

const hasSignature = (head: Buffer, signature: string, at = 0): boolean =>
  head.subarray(at, at + signature.length).equals(Buffer.from(signature, "latin1"))

const signatures = [
  ["\x89PNG\r\n\x1a\n", "png_image"],
  ["\xff\xd8\xff", "jpeg_image"],
  ["GIF8", "gif_image"],
  ["II*\0", "tiff_image"],
  ["MM\0*", "tiff_image"],
  ["WEBP", "webp_image", 8],
  ["WAVE", "audio", 8],
  ["AVI ", "video", 8],
  ["ftyp", "media", 4],
  ["OggS", "audio"],
  ["ID3", "audio"],
  ["\xff\xfb", "audio"],
  ["fLaC", "audio"],
  ["\x1aE\xdf\xa3", "video"],
  ["7z\xbc\xaf'\x1c", "archive_7z"],
  ["Rar!", "archive_rar"],
  ["\x1f\x8b", "archive_gzip"],
  ["BZh", "archive_bzip2"],
  ["\xfd7zXZ\0", "archive_xz"],
  ["\x7fELF", "executable"],
  ["MZ\x90\0", "executable"],
  ["\xca\xfe\xba\xbe", "executable"],
  ["\0asm", "webassembly"],
  ["SQLite format 3\0", "database"],
  ["wOFF", "font"],
  ["wOF2", "font"],
] as const

/** What a file without text is. */
export type UnreadableFileType = (typeof signatures)[number][1] | "unknown_binary"

/** The type detected from the first bytes: readable, or what it is instead. */
export type DetectedFileType =
  | { readable: "pdf" | "zip" | "ole" | "tnef" | "rtf" | "text" }
  | { unreadable: UnreadableFileType }

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
  if (hasSignature(head, "\x78\x9f\x3e\x22")) return { readable: "tnef" }
  if (hasSignature(head, "{\\rtf")) return { readable: "rtf" }
  const known = signatures.find(([signature, , at]) => hasSignature(head, signature, at))
  if (known) return { unreadable: known[1] }
  return isText(head) ? { readable: "text" } : { unreadable: "unknown_binary" }
}
