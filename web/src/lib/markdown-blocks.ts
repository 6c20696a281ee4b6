import { Marked, type MarkedToken, type Token, type TokenizerExtension } from "marked"
import { BoundedLexer } from "./bounded-lexer.ts"
import { countElements } from "./count-elements.ts"
import { isMostlyEmptyTable } from "./is-mostly-empty-table.ts"

interface MathToken {
  type: "formula"
  raw: string
  text: string
  display: boolean
}

/** A formula ends at the next mark, so that marks without an end are not searched for again. */
const blockRules = [
  /^\$\$((?:[^$]|\$(?!\$))+)\$\$(?=[^\S\n]*(?:\n|$))/,
  /^\\\[((?:[^\\]|\\[^[\]])+)\\\](?=[^\S\n]*(?:\n|$))/,
]
/** Where a paragraph ends before a formula; not at every mark, as each end reads the rest again. */
const blockFormulaStart =
  /\$\$(?:[^$]|\$(?!\$))+\$\$(?=[^\S\n]*(?:\n|$))|(?<!\\)\\\[(?:[^\\]|\\[^[\]])+\\\](?=[^\S\n]*(?:\n|$))/
const inlineRules: readonly (readonly [RegExp, boolean])[] = [
  [/^\$\$([^$]+?)\$\$/, true],
  [/^\\\[([\s\S]+?)\\\]/, true],
  [/^\\\(([\s\S]+?)\\\)/, false],
  // Dollar amounts are not math: no space inside the dollar signs and no digit after them.
  [/^\$(?![\s$])((?:\\.|[^\\$\n])+?)(?<!\s)\$(?!\d)/, false],
]

const createMathToken = (raw: string, text: string, display: boolean): MathToken => ({
  type: "formula",
  raw,
  text: text.trim(),
  display,
})

const blockFormula: TokenizerExtension = {
  name: "formula",
  level: "block",
  start: (source) => {
    const at = source.search(blockFormulaStart)
    return at < 0 ? undefined : at
  },
  tokenizer: (source) => {
    for (const rule of blockRules) {
      const match = rule.exec(source)
      if (match) return createMathToken(match[0], match[1] ?? "", true)
    }
    return undefined
  },
}

const inlineFormula: TokenizerExtension = {
  name: "formula",
  level: "inline",
  start: (source) => {
    const at = source.search(/\$|\\[([]/)
    return at < 0 ? undefined : at
  },
  tokenizer: (source) => {
    for (const [rule, display] of inlineRules) {
      const match = rule.exec(source)
      if (match) return createMathToken(match[0], match[1] ?? "", display)
    }
    return undefined
  },
}

const marked = new Marked({
  gfm: true,
  extensions: [blockFormula, inlineFormula],
  // `false` means marked's own rule.
  tokenizer: { table: (source) => (isMostlyEmptyTable(source) ? undefined : false) },
})

const parse = (text: string): Token[] => new BoundedLexer(marked.defaults, text.length).lex(text)

export type MarkdownToken = MarkedToken | MathToken

/** A top-level Markdown block. `start` is its offset in the text. */
export interface MarkdownBlock {
  start: number
  raw: string
  token: Token
  /** About how many elements of the page it takes. */
  elements: number
}

const splitBlocks = (text: string, from: number): MarkdownBlock[] => {
  const blocks: MarkdownBlock[] = []
  let start = from
  for (const token of parse(text.slice(from))) {
    const { type, raw } = token
    if (type !== "space") blocks.push({ start, raw, token, elements: countElements(token) })
    start += token.raw.length
  }
  return blocks
}

/**
 * Splits a text that may still grow into blocks. All but the last two blocks are reused without
 * parsing and keep their identity, so React does not re-render them.
 */
export const createBlockSplitter = () => {
  let text = ""
  let blocks: MarkdownBlock[] = []
  return (next: string): readonly MarkdownBlock[] => {
    if (next === text) return blocks
    const grows = text !== "" && next.startsWith(text)
    const unchanged = grows ? blocks.slice(0, -2) : []
    const from = blocks[unchanged.length]?.start ?? 0
    const parsed = splitBlocks(next, grows ? from : 0)
    const before = new Map(blocks.map((block) => [block.start, block]))
    const blocksWithIdentity = parsed.map((block) => {
      const known = before.get(block.start)
      return known?.raw === block.raw ? known : block
    })
    text = next
    blocks = [...unchanged, ...blocksWithIdentity]
    return blocks
  }
}
