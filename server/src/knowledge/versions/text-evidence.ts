import { isVersionWord } from "./version-name.ts"

/** What is compared of the texts of two files. */
export interface TextEvidence {
  /** The words of the first line; null if it is too long for a title. */
  title: ReadonlySet<string> | null
  /** Distinct words without digits. */
  words: ReadonlySet<string>
  /** Those of them that have a capital letter within a sentence. */
  names: ReadonlySet<string>
  /** Distinct numbers. */
  numbers: ReadonlySet<string>
  /** Numbers of invoices, customers or articles, which say what a text is about. */
  identifiers: ReadonlySet<string>
  /** The identifiers by the word before them, such as "No" in "Invoice No. 1042". */
  identifiersByLabel: ReadonlyMap<string, ReadonlySet<string>>
}

const token =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+|[\p{L}\p{M}\p{N}]+(?:[-./][\p{L}\p{M}\p{N}]+)*/gu
const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u

/** Words before an identifier, such as "Invoice No. 1042" and "Kundennummer 17". */
const identifierLabel = /(?:^(?:nr|no|id|ref)|nummer|number|numéro|número|numero)$/iu
/** Words of which the number differs between versions. */
const versionLabel = /^(?:v|ver|version|rev|revision|fassung|ausgabe|edition|issue|release|stand)$/i
const yearInIdentifier = /(?:19|20)\d\d/g
const quantity = /^\d+\p{L}{1,4}$/u

/** Scripts without spaces are compared by pairs of characters. */
const pairsOf = (run: string): string[] => {
  const characters = [...run]
  return characters.length === 1
    ? characters
    : characters.slice(1).map((one, at) => `${characters[at]}${one}`)
}

/** Dates, amounts and quantities are no identifiers. */
const isIdentifier = (text: string): boolean => {
  if (!/\p{L}/u.test(text))
    return text.split(/[-./]/).some((part) => /^0\d{2,}$|^\d{7,}$/.test(part))
  if (quantity.test(text)) return false
  return text.length >= 4 && text.replace(yearInIdentifier, "").replace(/\D/g, "").length >= 2
}

/** Also after a colon, in a list or in a cell of a table. */
const beginsSentence = (text: string, index: number): boolean => {
  const before = text.slice(Math.max(0, index - 3), index)
  const last = before.replace(/["'(]/, "").trimEnd().at(-1)
  return last === undefined || before.includes("\n") || ".!?:|•*-".includes(last)
}

const wordsOf = (run: string): string[] => (unspaced.test(run) ? pairsOf(run) : [run.toLowerCase()])

const maxTitleWords = 12

const readTitle = (text: string): ReadonlySet<string> | null => {
  const line = text.split("\n", 20).find((one) => /\p{L}/u.test(one)) ?? ""
  const words = [...line.slice(0, 300).matchAll(token)]
    .flatMap(([run]) => wordsOf(run))
    .filter((word) => !/\p{N}/u.test(word) && !isVersionWord(word))
  return words.length > maxTitleWords ? null : new Set(words)
}

/** Whether a number identifies something, after these two words. */
const isIdentifying = (number: string, [before, label]: readonly [string, string]): boolean => {
  if (versionLabel.test(label) || versionLabel.test(before)) return false
  return identifierLabel.test(label) || isIdentifier(number)
}

export const readTextEvidence = (text: string): TextEvidence => {
  const words = new Set<string>()
  const names = new Set<string>()
  const numbers = new Set<string>()
  const identifiers = new Set<string>()
  const identifiersByLabel = new Map<string, Set<string>>()
  const addNumber = (number: string, context: readonly [string, string]): void => {
    numbers.add(number)
    if (!isIdentifying(number, context)) return
    identifiers.add(number)
    const label = context[1].toLowerCase()
    identifiersByLabel.set(label, (identifiersByLabel.get(label) ?? new Set()).add(number))
  }
  let context: readonly [string, string] = ["", ""]
  for (const { 0: run, index } of text.matchAll(token)) {
    const lowerCase = run.toLowerCase()
    if (/\p{N}/u.test(run)) addNumber(run, context)
    else {
      for (const word of wordsOf(run)) words.add(word)
      if (run !== lowerCase && !beginsSentence(text, index)) names.add(lowerCase)
    }
    context = [context[1], run]
  }
  return { title: readTitle(text), words, names, numbers, identifiers, identifiersByLabel }
}

/** Share of the smaller set that is in both; 1 if one is empty. */
export const overlapOf = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const smaller = Math.min(a.size, b.size)
  return smaller === 0 ? 1 : a.intersection(b).size / smaller
}
