import { type Fields, isObject, objectsIn, textOf } from "../../formats/json-values.ts"
import { partsOf } from "../../formats/message-content.ts"

/** The length up to which tokenizers usually have one token for a word. */
const maxWholeWord = 4
const tokensPerDigitOrSymbol = 0.6
/** For the indentation of code; a single space belongs to the word after it. */
const tokensPerRepeatedSpace = 0.25
/** Of two bytes in UTF-8, such as Greek, Cyrillic, Hebrew and Arabic. */
const tokensPerTwoByteCharacter = 1.1
/** Such as Thai, Devanagari, Chinese and Japanese, and the halves of an emoji. */
const tokensPerWideCharacter = 1.5

const isAsciiLetter = (code: number): boolean =>
  (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

const tokensOfCharacter = (code: number, previous: number): number => {
  if (code >= 0x800) return tokensPerWideCharacter
  if (code >= 0x80) return tokensPerTwoByteCharacter
  if (code > 0x20) return tokensPerDigitOrSymbol
  return previous <= 0x20 ? tokensPerRepeatedSpace : 0
}

const estimateTokens = (text: string): number => {
  let tokens = 0
  let wordLength = 0
  let previous = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    wordLength = isAsciiLetter(code) ? wordLength + 1 : 0
    if (wordLength === 0) tokens += tokensOfCharacter(code, previous)
    else if (wordLength === 1) tokens += 1
    else if (wordLength > maxWholeWord) tokens += 1 / maxWholeWord
    previous = code
  }
  return tokens
}

/** What an image of the usual maximum size takes. */
const tokensPerImage = 1600
/** Of a document, per character of its base64 encoding: a page of a PDF has a few thousand. */
const tokensPerFileCharacter = 0.2
/** For the roles and separators of a message. */
const tokensPerMessage = 8
/** Tokenizers differ. */
const margin = 1.25

const tokensOfPart = (part: Fields): number => {
  if (part.type === "image_url") return tokensPerImage
  if (part.type === "text") return estimateTokens(textOf(part.text))
  if (part.type !== "file") return estimateTokens(JSON.stringify(part))
  const data = isObject(part.file) ? textOf(part.file.file_data) : ""
  return data.length * tokensPerFileCharacter
}

const tokensOfMessage = ({ content, ...message }: Fields): number => {
  const rest = estimateTokens(JSON.stringify(message))
  return partsOf(content).reduce((sum, part) => sum + tokensOfPart(part), rest + tokensPerMessage)
}

/** Estimates the tokens of a canonical prompt, rather too many than too few. */
export const estimatePromptTokens = ({ messages, tools, response_format }: Fields): number => {
  const declared = estimateTokens(JSON.stringify([tools, response_format]))
  const tokens = objectsIn(messages).reduce((sum, one) => sum + tokensOfMessage(one), declared)
  return Math.ceil(tokens * margin)
}
