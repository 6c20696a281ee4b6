import type { Zip } from "../zip/zip.ts"
import { walkPart } from "./walk-part.ts"

const characterEscape = /_x([0-9A-Fa-f]{4})_/g

/** Decodes escapes such as `_x000D_`, which stand for characters that XML cannot hold. */
export const decodeEscapes = (text: string): string =>
  text.includes("_x")
    ? text.replace(characterEscape, (_escape, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text

/** The strings that cells refer to by index, without their phonetic guides (§18.4). */
export const readSharedStrings = (zip: Zip, part: string): string[] => {
  const strings: string[] = []
  let text = ""
  let isText = false
  let isPhonetic = false
  walkPart(zip.readText(part), {
    open: (name) => {
      if (name === "si") text = ""
      if (name === "rPh") isPhonetic = true
      isText = name === "t" && !isPhonetic
    },
    close: (name) => {
      isText = false
      if (name === "rPh") isPhonetic = false
      if (name === "si") strings.push(decodeEscapes(text))
    },
    text: (piece) => {
      if (isText) text += piece
    },
  })
  return strings
}
