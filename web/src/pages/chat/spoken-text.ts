import type { Token } from "marked"
import { createBlockSplitter, type MarkdownToken } from "../../lib/markdown-blocks.ts"

const citation = /\[\d+(?:, ?\d+)*\]/g

const joinTokens = (tokens: readonly Token[], separator = ""): string =>
  tokens.map(spokenToken).join(separator)

const rowText = (cells: readonly { tokens: Token[] }[]): string =>
  cells.map(({ tokens }) => joinTokens(tokens)).join(", ")

const spokenToken = (untypedToken: Token): string => {
  // The lexer only emits its own tokens and `formula`.
  const token = untypedToken as MarkdownToken
  switch (token.type) {
    case "code":
    case "html":
    case "hr":
    case "def":
      return ""
    case "br":
      return "\n"
    case "list":
      return joinTokens(token.items, "\n")
    case "list_item":
      return joinTokens(token.tokens, "\n")
    case "table":
      return [token.header, ...token.rows].map(rowText).join("\n")
    default:
      return "tokens" in token && token.tokens ? joinTokens(token.tokens) : textOf(token)
  }
}

const textOf = (token: MarkdownToken): string =>
  "text" in token && typeof token.text === "string" ? token.text : ""

/** The text of an answer as it is read aloud: without Markdown, code blocks and citations. */
export const toSpokenText = (markdown: string): string =>
  createBlockSplitter()(markdown)
    .map(({ token }) => spokenToken(token))
    .join("\n")
    .replace(citation, "")
