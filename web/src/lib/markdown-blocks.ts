import { Marked, type MarkedToken, type Token, type TokenizerExtension } from "marked"

interface MathToken {
  type: "formula"
  raw: string
  text: string
  display: boolean
}

const blockRules = [/^\$\$([\s\S]+?)\$\$(?=\s*(?:\n|$))/, /^\\\[([\s\S]+?)\\\](?=\s*(?:\n|$))/]
const inlineRules: readonly (readonly [RegExp, boolean])[] = [
  [/^\$\$([^$]+?)\$\$/, true],
  [/^\\\[([\s\S]+?)\\\]/, true],
  [/^\\\(([\s\S]+?)\\\)/, false],
  // Dollar amounts are not math: no space inside the dollar signs and no digit after them.
  [/^\$(?![\s$])((?:\\.|[^\\$\n])+?)(?<!\s)\$(?!\d)/, false],
]

const found = (raw: string, text: string, display: boolean): MathToken => ({
  type: "formula",
  raw,
  text: text.trim(),
  display,
})

const blockFormula: TokenizerExtension = {
  name: "formula",
  level: "block",
  start: (source) => {
    const at = source.search(/\$\$|\\\[/)
    return at < 0 ? undefined : at
  },
  tokenizer: (source) => {
    for (const rule of blockRules) {
      const match = rule.exec(source)
      if (match) return found(match[0], match[1] ?? "", true)
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
      if (match) return found(match[0], match[1] ?? "", display)
    }
    return undefined
  },
}

const marked = new Marked({ gfm: true, extensions: [blockFormula, inlineFormula] })

export type MarkdownToken = MarkedToken | MathToken

/** A top-level Markdown block. `start` is its offset in the text. */
export interface Block {
  start: number
  raw: string
  token: Token
}

const cut = (text: string, from: number): Block[] => {
  const blocks: Block[] = []
  let start = from
  for (const token of marked.lexer(text.slice(from))) {
    if (token.type !== "space") blocks.push({ start, raw: token.raw, token })
    start += token.raw.length
  }
  return blocks
}

/**
 * Splits a text that may still grow into blocks. All but the last two blocks are reused without
 * parsing and keep their identity, so React does not re-render them.
 */
export const createBlockCutter = () => {
  let text = ""
  let blocks: Block[] = []
  return (next: string): readonly Block[] => {
    if (next === text) return blocks
    const grows = text !== "" && next.startsWith(text)
    const kept = grows ? blocks.slice(0, -2) : []
    const from = blocks[kept.length]?.start ?? 0
    const again = cut(next, grows ? from : 0)
    const before = new Map(blocks.map((block) => [block.start, block]))
    const same = again.map((block) => {
      const known = before.get(block.start)
      return known?.raw === block.raw ? known : block
    })
    text = next
    blocks = [...kept, ...same]
    return blocks
  }
}
