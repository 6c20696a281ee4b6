import { z } from "zod"
import { translatable } from "../i18n/message.ts"
import {
  bearerHeaders,
  type Provider,
  type ProviderClient,
  type ProviderModel,
} from "./provider.ts"

const maxConcurrentDetails = 4

const OllamaTag = z.looseObject({
  name: z.string(),
  modified_at: z.string().catch(""),
  digest: z.string().catch(""),
})
type OllamaTag = z.output<typeof OllamaTag>
const OllamaTagList = z.object({ models: z.array(OllamaTag).nullable() })
const LoadedModelList = z.object({
  models: z.array(z.looseObject({ name: z.string() })).nullable(),
})
const ModelDetails = z.object({
  capabilities: z.array(z.string()).catch([]),
  model_info: z.record(z.string(), z.unknown()).catch({}),
})

const contextLength = (info: Record<string, unknown>): number | null => {
  const found = Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1]
  return typeof found === "number" ? found : null
}

/** Capabilities and context length, which only `/api/show` returns; null if that fails. */
const fetchDetails = async (client: ProviderClient, model: string) => {
  try {
    const request = { method: "POST", path: "/api/show", json: { model } }
    const details = ModelDetails.parse(await client.ask(request))
    return {
      capabilities: Object.fromEntries(details.capabilities.map((name) => [name, true])),
      context_length: contextLength(details.model_info),
    }
  } catch {
    return null
  }
}

const toEpochSeconds = (time: string): number => Math.floor((Date.parse(time) || 0) / 1000)

const defaultUrl = "http://127.0.0.1:11434"

/** Ollama: its own API at the base URL, the OpenAI API below `/v1`. */
export const ollama: Provider = {
  label: translatable("ollama"),
  apiLabel: translatable("ollama"),
  connection_type: "local",
  defaultUrl,
  presets: [{ name: "Ollama", base_url: defaultUrl, is_local: true }],
  baseUrlHint: translatable("base_url_without_path"),
  variables: {
    urls: ["OLLAMA_BASE_URLS", "OLLAMA_BASE_URL"],
    keys: [],
    usesDefaultUrl: "always",
  },
  api: "openai",
  outputField: "max_tokens",
  chatFormat: null,
  operationPath: ({ name }) => `/v1/${name}`,
  credentialHeaders: bearerHeaders,

  listModels: async (client, known) => {
    const reply = await client.ask({ method: "GET", path: "/api/tags" })
    const tags = OllamaTagList.parse(reply).models ?? []
    const knownByName = new Map(known.map((model) => [model.name, model]))
    const toModel = async (tag: OllamaTag): Promise<ProviderModel> => {
      const previous = knownByName.get(tag.name)
      const unchanged = previous && previous.digest === tag.digest ? previous : null
      const fresh = unchanged ?? (await fetchDetails(client, tag.name))
      const details = fresh ?? previous
      return {
        name: tag.name,
        created: toEpochSeconds(tag.modified_at),
        owned_by: "ollama",
        capabilities: details?.capabilities ?? {},
        context_length: details?.context_length ?? null,
        // Without a digest, the next refresh requests the details again.
        digest: fresh ? tag.digest : null,
        listing: tag,
      }
    }
    const models: ProviderModel[] = []
    for (let at = 0; at < tags.length; at += maxConcurrentDetails) {
      models.push(...(await Promise.all(tags.slice(at, at + maxConcurrentDetails).map(toModel))))
    }
    return models
  },

  listLoaded: async (client) => {
    const reply = await client.ask({ method: "GET", path: "/api/ps" })
    return (LoadedModelList.parse(reply).models ?? []).map(({ name }) => name)
  },
}
