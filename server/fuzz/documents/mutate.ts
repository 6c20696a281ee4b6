import { deflateRawSync, inflateRawSync } from "node:zlib"
import { createZip } from "../../test/files/make-documents.ts"
import type { Chooser } from "../../test/harness/random.ts"
import type { SampleDocument } from "./corpus.ts"

const maxBytes = 3_000_000
const longRun = 300_000

/** Byte sequences that trigger edge cases in parsers, as Latin-1. */
const fragments = [
  ..." \t\n\r\0<>&\"'/\\(){}[]#*=-_~`|,;:.%+?!@",
  ...["\r\n", "--", "]]>", "<!--", "-->", "<![CDATA[", "<?xml", "<!DOCTYPE", "<!ENTITY a 'b'>"],
  ...[
    "&amp;",
    "&#0;",
    "&#x110000;",
    "&a;",
    '""',
    "\\u0000",
    "\\'",
    "\\bin999999 ",
    "{\\*",
    "\\u-1 ",
  ],
  ...["=?utf-8?q?", "?=", "Content-Type: multipart/mixed; boundary=b\n\n--b\n", "\n--b\n", "\n\n"],
  ...[
    "```",
    "---\n",
    "# ",
    "\u00e2\u0080\u00a8",
    "\u00ed\u00a0\u0080",
    "\u00ff\u00fe",
    "\u00ef\u00bb\u00bf",
  ],
  ...[
    "<b>",
    "</b>",
    "<td>",
    "<tr>",
    "<table>",
    "<p>",
    "<w:p>",
    "<w:tc>",
    "<w:tbl>",
    "<c r='A1'>",
    "<row>",
  ],
  ...[
    "1 0 R",
    "2 0 R",
    "3 0 R",
    "endobj",
    "stream\n",
    "endstream",
    "<<",
    ">>",
    "/Kids[2 0 R]",
    "obj",
  ],
  ...["-1", "0", "4294967295", "99999999999", "1e999", "NaN", "null"],
]

const splice = (bytes: Buffer, from: number, to: number, inserted: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(to)])

type Change = (random: Chooser, bytes: Buffer, other: Buffer) => Buffer

const cutOf = (random: Chooser, bytes: Buffer, max: number) => {
  const from = random.below(bytes.length + 1)
  return { from, to: Math.min(bytes.length, from + random.below(max)) }
}

const numbers = (random: Chooser, bytes: Buffer): Buffer => {
  const text = bytes.toString("latin1")
  const found = [...text.matchAll(/\d{1,10}/g)]
  if (found.length === 0) return bytes
  const { index, 0: digits } = random.pick(found)
  const value = random.pick(["0", "-1", "1", "65536", "2147483647", "4294967296", "9".repeat(30)])
  return Buffer.from(text.slice(0, index) + value + text.slice(index + digits.length), "latin1")
}

const changes: Change[] = [
  /** Changes some bytes. */
  (random, bytes) => {
    const changed = Buffer.from(bytes)
    for (let n = 1 + random.below(8); n > 0 && changed.length > 0; n--) {
      changed[random.below(changed.length)] = random.below(256)
    }
    return changed
  },
  (random, bytes) => bytes.subarray(0, random.below(bytes.length + 1)),
  (random, bytes) => {
    const { from, to } = cutOf(random, bytes, 200)
    return splice(bytes, from, to, Buffer.alloc(0))
  },
  (random, bytes) => {
    const at = random.below(bytes.length + 1)
    return splice(bytes, at, at, Buffer.from(random.pick(fragments), "latin1"))
  },
  /** Inserts a long run, which exposes quadratic behavior. */
  (random, bytes) => {
    const at = random.below(bytes.length + 1)
    const unit = random.pick(fragments) + (random.chance(0.5) ? random.pick(fragments) : "")
    const run = Buffer.alloc(1 + random.below(longRun), Buffer.from(unit, "latin1"))
    return splice(bytes, at, at, run)
  },
  /** Repeats a piece many times. */
  (random, bytes) => {
    const { from, to } = cutOf(random, bytes, 120)
    if (to === from) return bytes
    return splice(bytes, to, to, Buffer.alloc(random.below(longRun), bytes.subarray(from, to)))
  },
  (random, bytes, other) => {
    const { from, to } = cutOf(random, bytes, 2000)
    const theirs = cutOf(random, other, 2000)
    return splice(bytes, from, to, other.subarray(theirs.from, theirs.to))
  },
  numbers,
]

const change: Change = (random, bytes, other) => {
  let changed = bytes
  for (let n = 1 + random.below(3); n > 0; n--)
    changed = random.pick(changes)(random, changed, other)
  return changed.subarray(0, maxBytes)
}

/** Entries of a valid archive; null if this simple reader cannot parse it. */
const partsOf = (bytes: Buffer): Record<string, Buffer> | null => {
  const parts: Record<string, Buffer> = {}
  try {
    const end = bytes.lastIndexOf("PK\x05\x06")
    let at = bytes.readUInt32LE(end + 16)
    for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
      const nameLength = bytes.readUInt16LE(at + 28)
      const name = bytes.toString("utf8", at + 46, at + 46 + nameLength)
      const offset = bytes.readUInt32LE(at + 42)
      const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
      const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + 20))
      parts[name] = bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)
      at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
    }
    return parts
  } catch {
    return null
  }
}

/** Mutates an entry's uncompressed content, so that it reaches the parser of the format. */
const changeParts: Change = (random, bytes, other) => {
  const parts = partsOf(bytes)
  const names = Object.keys(parts ?? {})
  if (!parts || names.length === 0) return change(random, bytes, other)
  for (let n = 1 + random.below(2); n > 0; n--) {
    const name = random.pick(names)
    const part = parts[name] ?? Buffer.alloc(0)
    parts[name] = random.chance(0.05) ? deflateRawSync(part) : change(random, part, other)
  }
  return createZip(parts)
}

/** Mutates a document. */
export const mutate = (
  random: Chooser,
  document: SampleDocument,
  other: SampleDocument,
): SampleDocument => {
  const isPacked = document.bytes.subarray(0, 2).toString("latin1") === "PK"
  const how = isPacked && random.chance(0.8) ? changeParts : change
  return { name: document.name, bytes: how(random, document.bytes, other.bytes) }
}
