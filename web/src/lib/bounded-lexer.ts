import { Lexer, type MarkedOptions, type Token, type TokensList } from "marked"
import { splitLongMarkdown } from "./split-long-markdown.ts"

/** Quotes, lists, emphasis, and links inside each other; what is nested deeper is plain text. */
const maxDepth = 100
/** How often a text may be read again because of nesting, on average. */
const maxReadings = 20
/** Characters; for each text, whatever its length. */
const freeReading = 20_000
/** Characters. Some of marked's inline rules take a time that is quadratic in the length. */
const maxInlineLength = 2000

const asText = (raw: string): Token[] =>
  raw === "" ? [] : [{ type: "text", raw, text: raw, escaped: false }]

/** Where a long text is cut: after a line, a sentence, or a word, or between two characters. */
const findCut = (text: string, from: number): number => {
  const end = from + maxInlineLength
  if (end >= text.length) return text.length
  const least = from + maxInlineLength / 2
  for (const mark of ["\n", ". ", " "]) {
    const at = text.lastIndexOf(mark, end - mark.length)
    if (at >= least) return at + mark.length
  }
  const code = text.charCodeAt(end)
  return code >= 0xdc00 && code <= 0xdfff ? end - 1 : end
}

const splitInline = (text: string): string[] => {
  const pieces: string[] = []
  let from = 0
  while (from < text.length) {
    const cut = findCut(text, from)
    pieces.push(text.slice(from, cut))
    from = cut
  }
  return pieces
}

/**
 * marked's lexer calls itself for everything that is nested and reads its text again each time.
 * This one stops at a depth and after an amount of text, and cuts long inline texts, so that its
 * stack is bounded and its time proportional to the text.
 */
export class BoundedLexer extends Lexer {
  #depth = 0
  #readable = 0

  constructor(options: MarkedOptions, length: number) {
    super(options)
    this.#readable = maxReadings * length + freeReading
  }

  /** Runs a rule one level deeper, unless it is too deep or has read too much. */
  #descend(source: string, tokens: Token[], read: () => void): Token[] {
    if (this.#depth >= maxDepth || source.length > this.#readable) {
      tokens.push(...asText(source))
      return tokens
    }
    this.#readable -= source.length
    this.#depth += 1
    try {
      read()
    } finally {
      this.#depth -= 1
    }
    return tokens
  }

  /** As marked's own, but block by block in sections, whose rules never see the whole text. */
  override lex(source: string) {
    for (const section of splitLongMarkdown(source)) this.blockTokens(section, this.tokens)
    for (const { src, tokens } of this.inlineQueue) this.inlineTokens(src, tokens)
    this.inlineQueue = []
    return this.tokens
  }

  override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): Token[]
  override blockTokens(source: string, tokens?: TokensList, isClipped?: boolean): TokensList
  override blockTokens(source: string, tokens: Token[] = [], isClipped = false): Token[] {
    return this.#descend(source, tokens, () => super.blockTokens(source, tokens, isClipped))
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    return this.#descend(source, tokens, () => {
      if (source.length <= maxInlineLength) super.inlineTokens(source, tokens)
      else for (const piece of splitInline(source)) super.inlineTokens(piece, tokens)
    })
  }
}
