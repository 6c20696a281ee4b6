import type { ReasoningDetail } from "../canonical-request.ts"
import { type Fields, objectsIn, textOf } from "../json-values.ts"
import { decodeGatewayContent, encodeGatewayContent } from "../opaque-content.ts"
import { isProviderState } from "../provider-state.ts"

/** The `encrypted_content` of a reasoning item: what its provider needs to recognize it. */
export const encodeReasoning = (detail: ReasoningDetail): string =>
  isProviderState(detail.data) ? textOf(detail.data) : encodeGatewayContent(detail)

/** Clients may have changed it. */
const decodeEncrypted = (encrypted: string): ReasoningDetail | null => {
  const { type, text, signature, data } = decodeGatewayContent(encrypted) ?? {}
  if (type === "provider_state") return { type: "reasoning.encrypted", data: encrypted }
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
