import { failFilter } from "./errors.ts"

export interface FilterToken {
  kind: "word" | "text" | "number" | "mark" | "end"
  /** As written, or the decoded value of a string. */
  text: string
  at: number
}

const whitespace = /\s*/y
const identifier = /[A-Za-z$][\w.:$-]*/y
const number = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y
const quotedString = /"(?:[^"\\]|\\.)*"/y
const punctuation = /[()[\].]/y

const parseJsonString = (text: string): string => {
  try {
    return String(JSON.parse(text))
  } catch {
    return failFilter(`${text.slice(0, 80)} is not a valid JSON string.`)
  }
}

const unquote = (quotedText: string): string => {
  const text = parseJsonString(quotedText)
  if (!text.includes("\0") && text.isWellFormed()) return text
  return failFilter("Strings in a filter must not contain U+0000 or lone surrogates.")
}

const kinds = [
  ["word", identifier],
  ["text", quotedString],
  ["number", number],
  ["mark", punctuation],
] as const

/** Tokenizes filters and paths (RFC 7644 §3.4.2.2, §3.5.2). @throws {ScimError} `invalidFilter` */
export const tokenizeFilter = (source: string): FilterToken[] => {
  const tokens: FilterToken[] = []
  let at = 0

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(source)?.[0]
  }
  const next = (): FilterToken => {
    for (const [kind, pattern] of kinds) {
      const text = match(pattern)
      if (text !== undefined) return { kind, text, at }
    }
    return failFilter(`Unexpected character at position ${at + 1} of the filter.`)
  }

  for (;;) {
    at += match(whitespace)?.length ?? 0
    if (at >= source.length) break
    const token = next()
    at += token.text.length
    tokens.push(token.kind === "text" ? { ...token, text: unquote(token.text) } : token)
  }
  tokens.push({ kind: "end", text: "", at })
  return tokens
}
