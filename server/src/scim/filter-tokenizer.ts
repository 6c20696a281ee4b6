import { refuse } from "./errors.ts"

export interface Token {
  kind: "word" | "text" | "number" | "mark" | "end"
  /** As written, or the decoded value of a string. */
  text: string
  at: number
}

const white = /\s*/y
const word = /[A-Za-z$][\w.:$-]*/y
const number = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y
const quoted = /"(?:[^"\\]|\\.)*"/y
const mark = /[()[\].]/y

const parsed = (text: string): string => {
  try {
    return String(JSON.parse(text))
  } catch {
    return refuse("invalidFilter", `${text.slice(0, 80)} is not a valid JSON string.`)
  }
}

const unquote = (quotedText: string): string => {
  const text = parsed(quotedText)
  if (!text.includes("\0") && text.isWellFormed()) return text
  return refuse("invalidFilter", "Strings in a filter must not contain U+0000 or lone surrogates.")
}

const kinds = [
  ["word", word],
  ["text", quoted],
  ["number", number],
  ["mark", mark],
] as const

/** Tokenizes filters and paths (RFC 7644 §3.4.2.2, §3.5.2). @throws {Failure} `invalidFilter` */
export const tokenize = (source: string): Token[] => {
  const tokens: Token[] = []
  let at = 0

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(source)?.[0]
  }
  const next = (): Token => {
    for (const [kind, pattern] of kinds) {
      const text = match(pattern)
      if (text !== undefined) return { kind, text, at }
    }
    return refuse("invalidFilter", `Unexpected character at position ${at + 1} of the filter.`)
  }

  for (;;) {
    at += match(white)?.length ?? 0
    if (at >= source.length) break
    const token = next()
    at += token.text.length
    tokens.push(token.kind === "text" ? { ...token, text: unquote(token.text) } : token)
  }
  tokens.push({ kind: "end", text: "", at })
  return tokens
}
