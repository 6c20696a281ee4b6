import { z } from "zod"
import { translatable } from "../i18n/message.ts"
import { adaptToMistral, isMistralHost } from "./adapt-to-mistral.ts"
import { adaptToOpenAIModel } from "./openai-parameters.ts"
import { bearerHeaders, type Provider, type ProviderModel } from "./provider.ts"

const Capability = z.record(z.string(), z.unknown()).optional()

/**
 * OpenAI's list with the extensions of vLLM, OpenRouter, Mistral and others; deliberately lenient.
 */
const ListedModel = z.looseObject({
  id: z.string(),
  created: z.number().catch(0),
  owned_by: z.string().catch("openai"),
  context_length: z.number().optional().catch(undefined),
  max_model_len: z.number().optional().catch(undefined),
  max_context_length: z.number().optional().catch(undefined),
  capabilities: Capability.catch(undefined),
})
const ModelList = z.union([
  z.object({ data: z.array(z.unknown()) }).transform(({ data }) => data),
  z.array(z.unknown()),
])

const booleanCapabilities = (
  capabilities: Record<string, unknown> | undefined,
): Record<string, boolean> =>
  Object.fromEntries(
    Object.entries(capabilities ?? {}).filter(
      (entry): entry is [string, boolean] => typeof entry[1] === "boolean",
    ),
  )

const toModel = (listing: unknown): ProviderModel[] => {
  const parsed = ListedModel.safeParse(listing)
  if (!parsed.success) return []
  const { id, created, owned_by, capabilities, ...model } = parsed.data
  const context = model.context_length ?? model.max_model_len ?? model.max_context_length ?? null
  return [
    {
      name: id,
      created: Math.floor(created),
      owned_by,
      capabilities: booleanCapabilities(capabilities),
      context_length: context,
      digest: null,
      listing,
    },
  ]
}

const defaultUrl = "https://api.openai.com/v1"

/** An OpenAI-style provider; its base URL is followed by `/chat/completions`. */
export const openai: Provider = {
  label: translatable("openai_compatible"),
  apiLabel: translatable("openai_style_api"),
  connection_type: "external",
  defaultUrl,
  // They list their models at `/models` and accept the key as a bearer token.
  presets: [
    { name: "vLLM", base_url: "http://127.0.0.1:8000/v1", is_local: true },
    { name: "LM Studio", base_url: "http://127.0.0.1:1234/v1", is_local: true },
    { name: "OpenAI", base_url: defaultUrl, is_local: false },
    { name: "Mistral", base_url: "https://api.mistral.ai/v1", is_local: false },
    { name: "Groq", base_url: "https://api.groq.com/openai/v1", is_local: false },
    { name: "OpenRouter", base_url: "https://openrouter.ai/api/v1", is_local: false },
  ],
  baseUrlHint: translatable("base_url_ends_in_v1"),
  variables: {
    urls: ["OPENAI_API_BASE_URLS", "OPENAI_API_BASE_URL"],
    keys: ["OPENAI_API_KEYS", "OPENAI_API_KEY"],
    usesDefaultUrl: "with a key",
  },
  api: "openai",
  chatFormat: null,
  adaptChatRequest: (request, baseUrl, reportDropped) =>
    isMistralHost(baseUrl)
      ? adaptToMistral(request)
      : adaptToOpenAIModel(request, baseUrl, reportDropped),
  operationPath: ({ name }) => `/${name}`,
  credentialHeaders: bearerHeaders,
  listModels: async (client) => {
    const reply = await client.ask({ method: "GET", path: "/models" })
    return ModelList.parse(reply).flatMap(toModel)
  },
  listLoaded: null,
}
