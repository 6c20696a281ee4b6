import { languageEvidence } from "./language-evidence.ts"

const latin = /\p{Script=Latin}/u
const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u
const scripts = [
  ...[latin, eastAsian, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Hebrew}/u],
  ...[/\p{Script=Arabic}/u, /\p{Script=Thai}/u],
]

interface CharacterClass {
  isLetter: boolean
  isUpper: boolean
  isLower: boolean
  isDigit: boolean
  /** The letter's script; undefined if it belongs to several or to none of the above. */
  script: RegExp | undefined
}

const classByCharacter = new Map<string, CharacterClass>()
const maxCachedClasses = 20_000

const classify = (character: string): CharacterClass => ({
  isLetter: /[\p{L}\p{M}]/u.test(character),
  isUpper: /\p{Lu}/u.test(character),
  isLower: /\p{Ll}/u.test(character),
  isDigit: /\d/.test(character),
  script: scripts.find((script) => script.test(character)),
})

const classOf = (character: string): CharacterClass => {
  const known = classByCharacter.get(character)
  if (known) return known
  const created = classify(character)
  if (classByCharacter.size < maxCachedClasses) classByCharacter.set(character, created)
  return created
}

/** A character outside of ASCII and what surrounds it. */
interface Occurrence {
  character: string
  own: CharacterClass
  before: CharacterClass
  after: CharacterClass
  /** The characters beyond these: of the neighboring words, if this is a word of one letter. */
  beyond: readonly CharacterClass[]
}

type Rule = readonly [points: number, applies: (occurrence: Occurrence) => boolean]

const isMeaningless: Rule[1] = ({ character }) => /[\ufffd\p{Cc}\p{Co}\p{Cn}]/u.test(character)

const isLatinLetter = ({ isLetter, script }: CharacterClass): boolean =>
  isLetter && script === latin

/** East Asian text surrounds names in Latin letters, but is not surrounded by them. */
const interruptsLatinWord: Rule[1] = ({ own, before, after }) =>
  own.script === eastAsian && isLatinLetter(before) && isLatinLetter(after)

const mixesScripts: Rule[1] = ({ own, before, after }) =>
  [before, after].some(({ isLetter, script }) => isLetter && script && script !== own.script)

const hasWrongCase: Rule[1] = ({ own, before, after }) =>
  (own.isUpper && before.isLower) || (own.isLower && before.isUpper && after.isUpper)

const oneLetterWords = new Set("àáèéêíîòóôöøåúůавеиікосуяйє")

/** Words of other scripts do not occur alone in Latin text. */
const isOneLetterWord: Rule[1] = ({ character, own, beyond }) =>
  oneLetterWords.has(character) &&
  (own.script === latin || beyond.some(({ script }) => script === own.script))

/** The first rule that applies to a letter gives its points. */
const letterRules: readonly Rule[] = [
  [-4, isMeaningless],
  [-3, ({ character }) => /[\uff61-\uff9f]/.test(character)],
  [-5, interruptsLatinWord],
  [0.8, ({ own }) => own.script === eastAsian],
  [-5, ({ own, ...around }) => own.script !== undefined && mixesScripts({ own, ...around })],
  [-8, hasWrongCase],
  [-0.7, ({ before, after }) => before.isDigit || after.isDigit],
  [0.8, ({ before, after }) => before.isLetter || after.isLetter],
  [0.8, isOneLetterWord],
  [-0.4, () => true],
]

const isInsideWord: Rule[1] = ({ before, after }) => before.isLetter && after.isLetter

const isQuote: Rule[1] = ({ character, before, after }) =>
  (/[„“«‘‚»]/.test(character) && !before.isLetter && (after.isLetter || after.isDigit)) ||
  (/[“”’»«]/.test(character) && !after.isLetter)

/** Signs that stand before numbers, or between spaces. */
const touchesWord: Rule[1] = ({ character, before, after }) =>
  (/[€£§½¼¡¿–—]/.test(character) && before.isLower) || (/[–—]/.test(character) && after.isLower)

const isEastAsianPunctuation: Rule[1] = ({ character, before, after }) =>
  (before.script === eastAsian || after.script === eastAsian) &&
  /[\u3000-\u3020・，（）：；？！～“”]/.test(character)

/** The first rule that applies to another character gives its points. */
const symbolRules: readonly Rule[] = [
  [-4, isMeaningless],
  [0.8, isEastAsianPunctuation],
  [0.6, ({ character }) => /[’·\u00ad]/.test(character)],
  [-3, (occurrence) => /[\u00a0—–]/.test(occurrence.character) && isInsideWord(occurrence)],
  [-5, isInsideWord],
  [-2, touchesWord],
  [0.6, isQuote],
  [0.6, ({ character }) => /[\u00a0–—…§°©®€×²³½¼¡¿£ªº№•]/.test(character)],
  [-2, () => true],
]

const pointsOf = (occurrence: Occurrence): number => {
  const rules = occurrence.own.isLetter ? letterRules : symbolRules
  return rules.find(([, applies]) => applies(occurrence))?.[0] ?? 0
}

/**
 * How much decoded text looks like text in some language, by the surroundings of its characters
 * outside of ASCII. Right results reach about 0.5 to 2; most wrong ones are below 0.
 */
export const textPlausibility = (text: string): number => {
  const characters = [...text.normalize("NFC")]
  const foreign: Occurrence[] = []
  for (const [at, character] of characters.entries()) {
    if (character < "\x80") continue
    const [before, after, ...beyond] = [-1, 1, -2, 2].map((distance) =>
      classOf(characters[at + distance] ?? " "),
    )
    if (before && after) foreign.push({ character, own: classOf(character), before, after, beyond })
  }
  if (foreign.length === 0) return 0
  const points = foreign.reduce((sum, occurrence) => sum + pointsOf(occurrence), 0)
  const accented = foreign.filter(({ own }) => isLatinLetter(own)).map((one) => one.character)
  return (
    points / foreign.length + languageEvidence(text, accented, accented.length / foreign.length)
  )
}
