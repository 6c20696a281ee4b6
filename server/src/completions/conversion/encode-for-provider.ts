import { originKeyOf } from "../../formats/answer-origin.ts"
import { type ReportDropped, toPlainChatRequest } from "../../formats/canonical-request.ts"
import type { Fields } from "../../formats/json-values.ts"
import { toAcceptedEffort } from "../../providers/openai-parameters.ts"
import type { ProviderModel } from "../../providers/provider.ts"
import { type ProviderKind, providers } from "../../providers/registry.ts"

/** The endpoint that a prompt is sent to; can be passed to a thread. */
export interface EncodingTarget {
  kind: ProviderKind
  baseUrl: string
  model: ProviderModel
}

/** The request in the format of an endpoint. @param canonical a canonical prompt @throws {Failure} */
export const encodeForProvider = (
  canonical: Fields,
  { kind, baseUrl, model }: EncodingTarget,
  report: ReportDropped,
): Fields => {
  const provider = providers[kind]
  if (provider.chatFormat) return provider.chatFormat.encodeRequest(canonical, model, report)
  const toEffort = toAcceptedEffort(model, baseUrl, canonical)
  const origin = originKeyOf(baseUrl, model.name)
  const plain = toPlainChatRequest(canonical, toEffort, { origin, report })
  return provider.adaptChatRequest?.(plain, baseUrl, report) ?? plain
}
