import { encodingByLabel } from "./decode-bytes.ts"
import type { TextEncoding } from "./text-encodings.ts"

/** Bytes within which a document states its encoding. */
const headBytes = 4096

/** Where documents state their encoding; each pattern captures the label. */
const declarations = [
  /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)/,
  /<meta\s[^<>]*charset\s*=["'\s]*([\w.:-]+)/i,
  /^@charset\s+"([\w.:-]+)"/,
  // A line at the top of source code, for Python, Ruby, Emacs or Vim.
  /^(?:[^\n]*\n)?[^\n]*?coding[:=]\s*([\w.-]+)/,
  /\\usepackage\s*\[(\w+)\]\s*\{inputenc\}/,
  // Headers of translations (PO files) and saved messages.
  /content-type:\s*text\/[\w.+-]+\s*;\s*charset\s*=\s*"?([\w.:-]+)/i,
  // vCard 2.1 and iCalendar.
  /;charset=([\w.:-]+)[:;]/i,
]

const findLabel = (text: string, patterns: readonly RegExp[]): TextEncoding | null => {
  for (const pattern of patterns) {
    const encoding = encodingByLabel(pattern.exec(text)?.[1] ?? "")
    if (encoding) return encoding
  }
  return null
}

/** The encoding that the document or its content type states; null if none is known. */
export const declaredEncoding = (bytes: Buffer, contentType: string): TextEncoding | null => {
  const stated =
    findLabel(contentType, [/;\s*charset\s*=\s*"?([\w.:-]+)/i]) ??
    findLabel(bytes.toString("latin1", 0, headBytes), declarations)
  // The declaration could not be read as ASCII if it were true.
  return stated?.startsWith("utf-16") ? null : stated
}
