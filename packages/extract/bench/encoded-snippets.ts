import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import iconv from "iconv-lite"
import type { TextEncoding } from "../src/text/text-encodings.ts"

/** Part of a text, in an encoding that is in use for its language. */
export interface EncodedSnippet {
  encoding: TextEncoding
  text: string
  bytes: Buffer
}

const western = ["windows-1252", "iso-8859-15", "ibm850", "ibm437", "macintosh"] as const
const central = ["windows-1250", "iso-8859-2", "ibm852"] as const
const unicode = ["utf-8", "utf-16le", "utf-16be"] as const

const encodingsByLanguage: Record<string, readonly TextEncoding[]> = {
  ...{ de: western, fr: western, es: western, it: western, sv: western, pt: western },
  ...{ ca: ["windows-1252"], da: ["windows-1252", "ibm850"], nl: ["windows-1252"] },
  ...{ nb: ["windows-1252"], fi: ["windows-1252", "ibm850"], is: ["windows-1252"] },
  ...{ pl: central, cs: central, hu: central, hr: ["windows-1250", "iso-8859-2"] },
  ...{ ro: ["windows-1250", "iso-8859-2"], sl: ["windows-1250"], vi: ["windows-1258"] },
  ...{ ru: ["windows-1251", "koi8-r", "ibm866", "iso-8859-5", "x-mac-cyrillic"] },
  ...{ uk: ["windows-1251", "koi8-u"], bg: ["windows-1251"], sr: ["windows-1251"] },
  ...{ el: ["windows-1253", "iso-8859-7"], tr: ["windows-1254"], th: ["windows-874"] },
  ...{ he: ["windows-1255", "iso-8859-8"], ar: ["windows-1256", "iso-8859-6"] },
  ...{ fa: ["windows-1256"], et: ["windows-1257"], lt: ["windows-1257", "iso-8859-13"] },
  ...{ lv: ["windows-1257", "iso-8859-13"], ko: ["euc-kr"], zh: ["gbk"], "zh-cn": ["gbk"] },
  ...{ ja: ["shift_jis", "euc-jp", "iso-2022-jp"], "zh-tw": ["big5"], "zh-hant": ["big5"] },
}

/** What writers put for signs that their code page lacks. */
const replacements: Record<string, string> = {
  ...{ "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'" },
  ...{ "–": "-", "—": "-", "−": "-", "…": "...", "\u00a0": " ", "•": "*", ș: "ş", ț: "ţ" },
}

const latin1Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

/** ISO-2022-JP has the characters of EUC-JP without their top bits, between escape sequences. */
const encodeIso2022Jp = (text: string): Buffer => {
  const pieces = text.match(/\p{ASCII}+|\P{ASCII}+/gu) ?? []
  const encoded = pieces.map((piece) => {
    const bytes = iconv.encode(piece, "euc-jp").map((byte) => byte & 0x7f)
    return /\p{ASCII}/u.test(piece)
      ? bytes
      : Buffer.from(`\x1b$B${latin1Of(bytes)}\x1b(B`, "latin1")
  })
  return Buffer.concat(encoded)
}
const encode = (text: string, encoding: TextEncoding): Buffer => {
  if (encoding === "iso-2022-jp") return encodeIso2022Jp(text)
  return iconv.encode(text, encoding === "x-mac-cyrillic" ? "maccyrillic" : encoding)
}

const tableOf = (encoding: TextEncoding): TextEncoding =>
  encoding === "iso-2022-jp" ? "euc-jp" : encoding

const isEncodable = (character: string, encoding: TextEncoding): boolean => {
  const bytes = encode(character, tableOf(encoding))
  const isInJis = encoding !== "iso-2022-jp" || (bytes.length === 2 && (bytes[0] ?? 0) > 0xa0)
  const name = encoding === "x-mac-cyrillic" ? "maccyrillic" : tableOf(encoding)
  return iconv.decode(bytes, name) === character && isInJis
}

const fitCharacter = (character: string, encoding: TextEncoding): string => {
  if (isEncodable(character, encoding)) return character
  const parts = [...(replacements[character] ?? character.normalize("NFD"))]
  return parts.every((part) => part < "\x80" || isEncodable(part, encoding)) ? parts.join("") : ""
}

const fitText = (text: string, encoding: TextEncoding): string => {
  if (unicode.some((one) => one === encoding)) return text
  const fitted = new Map<string, string>()
  return text.replace(/\P{ASCII}/gu, (character) => {
    const known = fitted.get(character) ?? fitCharacter(character, encoding)
    fitted.set(character, known)
    return known
  })
}

const languageOf = (filename: string): string => {
  const name = filename.toLowerCase().replace("_", "-").replace(/\..*/, "")
  return name in encodingsByLanguage ? name : (name.split("-")[0] ?? name)
}

/** Starts of snippets, spread over the text in a fixed order. */
const startOf = (text: string, index: number): number => {
  const near = Math.floor(text.length * ((index * 0.618_034 + 0.07) % 1))
  const space = text.slice(near, near + 400).search(/\s/)
  return near + space + 1
}

const otherScripts = new Set("ru uk bg sr el th he ar fa ko ja zh zh-cn zh-tw zh-hant".split(" "))

/** Excludes parts that were not translated, or that are the same in all code pages. */
const isInLanguage = (snippet: string, language: string): boolean => {
  const letters = snippet.match(/[^\P{L}A-Za-z]/gu)?.length ?? 0
  return letters >= 2 && letters / snippet.length >= (otherScripts.has(language) ? 0.1 : 0.005)
}

const snippetsOf = (text: string, language: string, length: number, count: number): string[] =>
  Array.from({ length: count * 8 }, (_, index) => {
    const start = startOf(text, index)
    return text.slice(start, start + length).replace(/[\ud800-\udbff]$/, "")
  })
    .filter((snippet) => isInLanguage(snippet, language))
    .slice(0, count)

/**
 * Encodes parts of the texts of a folder.
 * @param folder UTF-8 texts, named by their language, such as `de.txt` or `zh-TW.html`
 */
export function* encodedSnippets(
  folder: string,
  lengths: readonly number[],
  count: number,
): Generator<EncodedSnippet> {
  for (const filename of readdirSync(folder).toSorted()) {
    const language = languageOf(filename)
    const legacy = encodingsByLanguage[language] ?? []
    const whole = readFileSync(join(folder, filename), "utf8").normalize("NFC")
    for (const encoding of legacy.length > 0 ? [...legacy, ...unicode] : []) {
      for (const snippet of lengths.flatMap((length) =>
        snippetsOf(whole, language, length, count),
      )) {
        const text = fitText(snippet, encoding)
        const bytes = encode(text, encoding)
        yield { encoding, text: text.normalize("NFC"), bytes }
      }
    }
  }
}
