import { z } from "zod"
import { type Fields, isObject, objectOf } from "../formats/json-values.ts"
import { decodeMessage, decodeMessagesError } from "../formats/messages/decode-response.ts"
import { createMessageStreamDecoder } from "../formats/messages/decode-stream.ts"
import { encodeMessagesRequest } from "../formats/messages/encode-request.ts"
import type { ThinkingSupport } from "../formats/messages/thinking-parameters.ts"
import { translatable } from "../i18n/message.ts"
import { thinkingSupportOfName } from "./claude-thinking.ts"
import type { ChatFormat, Provider, ProviderModel } from "./provider.ts"

const apiVersion = "2023-06-01"
const defaultUrl = "https://api.anthropic.com"

const ModelInfo = z.looseObject({
  id: z.string(),
  created_at: z.string().catch(""),
  max_input_tokens: z.number().nullable().catch(null),
  max_tokens: z.number().nullable().catch(null),
  capabilities: z.record(z.string(), z.unknown()).nullable().catch(null),
})
type ModelInfo = z.output<typeof ModelInfo>
const ModelPage = z.object({ data: z.array(z.unknown()) })

/** Undefined if the list does not say. */
const isSupported = (capability: unknown): boolean | undefined =>
  isObject(capability) ? capability.supported === true : undefined

/** Undefined if the list does not say. */
const capabilityOf = (info: ModelInfo | undefined, name: string): Fields | undefined => {
  const found = info?.capabilities?.[name]
  return isObject(found) ? found : undefined
}

const supports = (info: ModelInfo | undefined, name: string): boolean | undefined =>
  isSupported(capabilityOf(info, name))

const toModel = (listing: unknown): ProviderModel[] => {
  const info = ModelInfo.safeParse(listing).data
  if (!info) return []
  const vision = supports(info, "image_input") ?? true
  const thinking = supports(info, "thinking") ?? false
  return [
    {
      name: info.id,
      created: Math.floor((Date.parse(info.created_at) || 0) / 1000),
      owned_by: "anthropic",
      capabilities: { completion: true, tools: true, vision, thinking },
      context_length: info.max_input_tokens,
      digest: null,
      listing,
    },
  ]
}

const effortsOf = (info: ModelInfo | undefined): ReadonlySet<string> => {
  const levels = Object.entries(capabilityOf(info, "effort") ?? {})
  return new Set(levels.filter(([, level]) => isSupported(level)).map(([name]) => name))
}

const thinkingSupportOf = (name: string, info: ModelInfo | undefined): ThinkingSupport => {
  if (!info?.capabilities) return thinkingSupportOfName(name)
  const { supported, types } = capabilityOf(info, "thinking") ?? {}
  const listed = objectOf(types)
  const supportsEffort = supports(info, "effort") === true
  const onlyHasBudget = supported === true && !supportsEffort ? true : undefined
  return {
    ...{ supportsEffort, efforts: effortsOf(info) },
    adaptive: isSupported(listed.adaptive),
    budget: isSupported(listed.enabled) ?? onlyHasBudget,
    disabled: isSupported(listed.disabled),
  }
}

const encodeRequest: ChatFormat["encodeRequest"] = (request, { name, listing }, reportDropped) => {
  const info = ModelInfo.safeParse(listing).data
  const model = { name, maxTokens: info?.max_tokens ?? null, ...thinkingSupportOf(name, info) }
  return encodeMessagesRequest(request, model, reportDropped)
}

/** Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages */
export const anthropic: Provider = {
  label: translatable("anthropic"),
  apiLabel: translatable("anthropic_api"),
  connection_type: "external",
  defaultUrl,
  presets: [{ name: "Anthropic", base_url: defaultUrl, is_local: false }],
  baseUrlHint: translatable("base_url_without_v1"),
  variables: {
    urls: ["ANTHROPIC_BASE_URLS", "ANTHROPIC_BASE_URL"],
    keys: ["ANTHROPIC_API_KEYS", "ANTHROPIC_API_KEY"],
    usesDefaultUrl: "with a key",
  },
  api: "anthropic",
  operationPath: ({ name, isChatCompletion }) =>
    isChatCompletion ? "/v1/messages" : `/v1/${name}`,
  credentialHeaders: (key) => ({
    "anthropic-version": apiVersion,
    ...(key !== "" && { "x-api-key": key }),
  }),
  listModels: async (client) => {
    const reply = await client.ask({ method: "GET", path: "/v1/models?limit=1000" })
    return ModelPage.parse(reply).data.flatMap(toModel)
  },
  listLoaded: null,
  chatFormat: {
    encodeRequest,
    decodeResponse: (response, { name }, reports) => {
      reports.usage(objectOf(response.usage))
      return decodeMessage(response, name, reports.dropped)
    },
    createStreamDecoder: ({ name }, reports) => createMessageStreamDecoder(name, reports),
    decodeError: decodeMessagesError,
  },
}
