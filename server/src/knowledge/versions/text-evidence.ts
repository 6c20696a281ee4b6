import { isVersionLabel, isVersionWord } from "./version-name.ts"

/** What is compared of the texts of two files. */
export interface TextEvidence {
  /** The words of the first line; null if it is too long for a title. */
  title: ReadonlySet<string> | null
  /** Distinct words without digits. */
  words: ReadonlySet<string>
  /** Names of models in the first line, such as "P2010" and "1.6". */
  models: ReadonlySet<string>
  /** The words before a legal form, such as "Acme" in "Acme Ltd". */
  companies: ReadonlySet<string>
  /** How often numbers follow words, such as "pump 2010"; not after words such as "version". */
  phrases: ReadonlyMap<string, number>
  /** Those of them that have a capital letter within a sentence. */
  names: ReadonlySet<string>
  /** Those among the first words, where a letter or contract says whom it is for. */
  openingNames: ReadonlySet<string>
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
/** Distinct words at the beginning of a text. */
const openingWords = 25

const legalForm =
  /^(?:gmbh|ag|kg|ohg|gbr|ug|ltd|limited|llc|llp|inc|corp|corporation|plc|sarl|sas|srl|spa|bv|nv|oy|ab)$/i
/** "GmbH & Co", "Ltd" and such are no part of a name; shorter ones such as "AB" are upper case. */
const isLegalForm = (run: string): boolean =>
  legalForm.test(run) && (run.length > 2 || run === run.toUpperCase())

/** "Q3", "v2" and "Rev3" are no models, nor are quantities such as "40Nm". */
const isModel = (run: string, before: string): boolean => {
  if (isVersionLabel(before.toLowerCase()) || quantity.test(run)) return false
  if (/^\d{1,2}\.\d{1,2}$/.test(run)) return true
  if (/^\d{3,6}$/.test(run)) return !/^(?:19\d|20[0-4])\d$/.test(run)
  return /^(?!v|rev|q\d$|h\d$)\p{L}[\p{L}\p{N}./-]*\d/iu.test(run)
}

const readTitle = (text: string): Pick<TextEvidence, "title" | "models"> => {
  const line = text.split("\n", 20).find((one) => /\p{L}/u.test(one)) ?? ""
  const runs = [...line.slice(0, 300).matchAll(token)].map(([run]) => run)
  const words = runs.flatMap(wordsOf).filter((word) => !/\p{N}/u.test(word) && !isVersionWord(word))
  const models = runs.slice(0, maxTitleWords).filter((run, at) => isModel(run, runs[at - 1] ?? ""))
  return {
    title: words.length > maxTitleWords ? null : new Set(words),
    models: new Set(models.map((run) => run.toLowerCase())),
  }
}

/** Whether a number identifies something, after these two words. */
const isIdentifying = (number: string, [before, label]: readonly [string, string]): boolean => {
  if (isVersionLabel(label.toLowerCase()) || isVersionLabel(before.toLowerCase())) return false
  return identifierLabel.test(label) || isIdentifier(number)
}

class EvidenceReader {
  readonly words = new Set<string>()
  readonly names = new Set<string>()
  readonly openingNames = new Set<string>()
  readonly companies = new Set<string>()
  readonly numbers = new Set<string>()
  readonly phrases = new Map<string, number>()
  readonly identifiers = new Set<string>()
  readonly identifiersByLabel = new Map<string, Set<string>>()

  /** @param context the two words before the number */
  addNumber(number: string, context: readonly [string, string]): void {
    const label = context[1].toLowerCase()
    this.numbers.add(number)
    if (!isVersionLabel(label)) {
      const phrase = `${label} ${number.toLowerCase()}`
      this.phrases.set(phrase, (this.phrases.get(phrase) ?? 0) + 1)
    }
    if (!isIdentifying(number, context)) return
    this.identifiers.add(number)
    const identifiers = this.identifiersByLabel.get(label) ?? new Set()
    this.identifiersByLabel.set(label, identifiers.add(number))
  }

  addName(name: string): void {
    this.names.add(name)
    if (this.words.size <= openingWords) this.openingNames.add(name)
  }

  /** @param before the word before the run */
  addWords(run: string, before: string): void {
    for (const word of wordsOf(run)) this.words.add(word)
    if (isLegalForm(run)) this.companies.add(before.toLowerCase())
  }
}

export const readTextEvidence = (text: string): TextEvidence => {
  const reader = new EvidenceReader()
  let context: readonly [string, string] = ["", ""]
  for (const { 0: run, index } of text.matchAll(token)) {
    if (/\p{N}/u.test(run)) reader.addNumber(run, context)
    else {
      reader.addWords(run, context[1])
      const lowerCase = run.toLowerCase()
      if (run !== lowerCase && !beginsSentence(text, index)) reader.addName(lowerCase)
    }
    context = [context[1], run]
  }
  const { words, names, openingNames, companies } = reader
  const { numbers, phrases, identifiers, identifiersByLabel } = reader
  return {
    ...readTitle(text),
    ...{ words, names, openingNames, companies },
    ...{ numbers, phrases, identifiers, identifiersByLabel },
  }
}

/** Share of the smaller set that is in both; 1 if one is empty. */
export const overlapOf = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const smaller = Math.min(a.size, b.size)
  return smaller === 0 ? 1 : a.intersection(b).size / smaller
}
