import type { ReasoningDetail } from "../canonical-request.ts"
import { type Fields, objectsIn, parseObject, textOf } from "../json-values.ts"

/** Distinguishes the gateway's own content from that of OpenAI, which only OpenAI can read. */
const prefix = "portico."

/** The `encrypted_content` of a reasoning item: what its provider needs to recognize it. */
export const encodeReasoning = (detail: ReasoningDetail): string =>
  prefix + Buffer.from(JSON.stringify(detail)).toString("base64url")

export const isGatewayReasoning = (encrypted: string): boolean => encrypted.startsWith(prefix)

/** Clients may have changed it. */
const decodeEncrypted = (encrypted: string): ReasoningDetail | null => {
  if (!isGatewayReasoning(encrypted)) return null
  const json = Buffer.from(encrypted.slice(prefix.length), "base64url").toString("utf8")
  const { type, text, signature, data } = parseObject(json) ?? {}
  if (type === "reasoning.encrypted") return { type, data: textOf(data) }
  if (type !== "reasoning.text") return null
  return { type, text: textOf(text), signature: textOf(signature) }
}

const joinTexts = (parts: unknown): string =>
  objectsIn(parts)
    .map(({ text }) => textOf(text))
    .join("\n\n")

export interface DecodedReasoning {
  /** Reasoning that its provider recognizes by a signature. */
  detail: ReasoningDetail | null
  /** Reasoning without a signature. */
  text: string
  /** Whether the item contains something that only OpenAI can read. */
  isForeign: boolean
}

/** Reads a reasoning item of a request. */
export const decodeReasoning = ({
  encrypted_content,
  content,
  summary,
}: Fields): DecodedReasoning => {
  const encrypted = textOf(encrypted_content)
  const detail = decodeEncrypted(encrypted)
  const isSigned = detail?.type === "reasoning.encrypted" || textOf(detail?.signature) !== ""
  if (detail && isSigned) return { detail, text: "", isForeign: false }
  const text = textOf(detail?.text) || joinTexts(content) || joinTexts(summary)
  return { detail: null, text, isForeign: encrypted !== "" && !detail }
}
