import { z } from "zod"
import { type Asking, bearer, type Provider, type ProviderModel } from "./provider.ts"

const closelyAtOnce = 4

const Tag = z.looseObject({
  name: z.string(),
  modified_at: z.string().catch(""),
  digest: z.string().catch(""),
})
type Tag = z.output<typeof Tag>
const Tags = z.object({ models: z.array(Tag).nullable() })
const Running = z.object({ models: z.array(z.looseObject({ name: z.string() })).nullable() })
const Shown = z.object({
  capabilities: z.array(z.string()).catch([]),
  model_info: z.record(z.string(), z.unknown()).catch({}),
})

const contextLength = (info: Record<string, unknown>): number | null => {
  const found = Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1]
  return typeof found === "number" ? found : null
}

/** Capabilities and context length, which only `/api/show` returns; null if that fails. */
const lookClosely = async ({ client, headers, signal }: Asking, model: string) => {
  try {
    const request = { method: "POST", path: "/api/show", headers, json: { model } }
    const shown = Shown.parse(await client.ask(request, signal))
    return {
      capabilities: Object.fromEntries(shown.capabilities.map((name) => [name, true])),
      context_length: contextLength(shown.model_info),
    }
  } catch {
    return null
  }
}

const seconds = (time: string): number => Math.floor((Date.parse(time) || 0) / 1000)

/** Ollama: its own API at the base URL, the OpenAI API below `/v1`. */
export const ollama: Provider = {
  kind: "ollama",
  connection_type: "local",
  pathOf: (operation) => `/v1/${operation}`,
  credentialHeaders: bearer,

  listModels: async (asking, known) => {
    const { client, headers, signal } = asking
    const reply = await client.ask({ method: "GET", path: "/api/tags", headers }, signal)
    const tags = Tags.parse(reply).models ?? []
    const knownByName = new Map(known.map((model) => [model.name, model]))
    const toModel = async (tag: Tag): Promise<ProviderModel> => {
      const before = knownByName.get(tag.name)
      const same = before && before.digest === tag.digest ? before : null
      const close = same ?? (await lookClosely(asking, tag.name))
      const told = close ?? before
      return {
        name: tag.name,
        created: seconds(tag.modified_at),
        owned_by: "ollama",
        capabilities: told?.capabilities ?? {},
        context_length: told?.context_length ?? null,
        // Without a digest, the next refresh requests the details again.
        digest: close ? tag.digest : null,
        listing: tag,
      }
    }
    const models: ProviderModel[] = []
    for (let at = 0; at < tags.length; at += closelyAtOnce) {
      models.push(...(await Promise.all(tags.slice(at, at + closelyAtOnce).map(toModel))))
    }
    return models
  },

  listLoaded: async ({ client, headers, signal }) => {
    const reply = await client.ask({ method: "GET", path: "/api/ps", headers }, signal)
    return (Running.parse(reply).models ?? []).map(({ name }) => name)
  },
}
