import { type Fields, isObject, objectsIn, textOf } from "../formats/json-values.ts"
import { estimateTokens } from "../knowledge/tokens.ts"

/** What an image of the usual maximum size takes. */
const tokensPerImage = 1600
/** Of a document, per character of its base64 encoding: a page of a PDF has a few thousand. */
const tokensPerFileCharacter = 0.2
/** For the roles and separators of a message. */
const tokensPerMessage = 8
/** Tokenizers differ; for code and other languages, the estimate for texts is rather low. */
const margin = 1.25

const tokensOfPart = (part: Fields): number => {
  if (part.type === "image_url") return tokensPerImage
  if (part.type !== "file") return estimateTokens(JSON.stringify(part))
  const data = isObject(part.file) ? textOf(part.file.file_data) : ""
  return Math.ceil(data.length * tokensPerFileCharacter)
}

const tokensOfMessage = ({ content, ...message }: Fields): number => {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content)
  const rest = estimateTokens(JSON.stringify(message))
  return parts.reduce((sum, part) => sum + tokensOfPart(part), rest + tokensPerMessage)
}

/** Estimates the tokens of a canonical prompt, rather too many than too few. */
export const estimatePromptTokens = ({ messages, tools, response_format }: Fields): number => {
  const declared = estimateTokens(JSON.stringify([tools, response_format]))
  const tokens = objectsIn(messages).reduce((sum, one) => sum + tokensOfMessage(one), declared)
  return Math.ceil(tokens * margin)
}
