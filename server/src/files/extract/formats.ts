import { sniff } from "../sniff.ts"
import { type Extracted, unreadable } from "./blocks.ts"
import { decode } from "./decode.ts"
import { readCode, readMarkdown, readPlain } from "./plain.ts"

export interface Source {
  bytes: Buffer
  filename: string
  contentType: string
}

export interface Limits {
  /** Of text. */
  characters: number
  /** Of a packed document, unpacked. */
  unpacked: number
  pages: number
}

type Reader = (source: Source, limits: Limits) => Extracted | Promise<Extracted>

const code =
  /\.(c|h|cc|cpp|hpp|cs|css|go|java|js|jsx|mjs|cjs|ts|tsx|kt|lua|php|pl|py|r|rb|rs|scala|sh|bash|sql|swift|vue|svelte|toml|ini|cfg|conf|dockerfile|makefile|gradle|tf|proto)$/i
const markdown = /\.(md|markdown|mdx)$/i

const readText: Reader = ({ bytes, filename, contentType }) => {
  const text = decode(bytes)
  if (markdown.test(filename) || contentType === "text/markdown") {
    return { format: "markdown", blocks: readMarkdown(text) }
  }
  if (code.test(filename)) return { format: "code", blocks: readCode(text) }
  return { format: "text", blocks: readPlain(text) }
}

/** Reads a document by what its bytes say it is. @throws {Unreadable} with a sentence that helps */
export const extract: Reader = (source, limits) => {
  const kind = sniff(source.bytes.subarray(0, 4096))
  if ("unreadable" in kind) return unreadable(`It is ${kind.unreadable}, which holds no text.`)
  if (source.bytes.length > limits.unpacked) unreadable("It is too large to be read.")
  return readText(source, limits)
}
