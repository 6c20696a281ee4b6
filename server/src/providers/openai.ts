import { z } from "zod"
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

/** An OpenAI-style provider; its base URL is followed by `/chat/completions`. */
export const openai: Provider = {
  kind: "openai",
  connection_type: "external",
  operationPath: (operation) => `/${operation}`,
  credentialHeaders: bearerHeaders,
  listModels: async ({ client, headers, signal }) => {
    const reply = await client.ask({ method: "GET", path: "/models", headers }, signal)
    return ModelList.parse(reply).flatMap(toModel)
  },
  listLoaded: async () => null,
}
