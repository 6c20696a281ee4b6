import type { Endpoint } from "../connections/connection-registry.ts"
import type { FunctionModel } from "../functions/function-registry.ts"
import type { EndpointPrices } from "../prices/endpoint-prices.ts"
import { factsOfEndpoint, pickFacts } from "./model-facts.ts"
import type { ModelRecord, ModelSummary } from "./schema.ts"

const maxListedDescription = 500
const maxListedTags = 10

/** A record as it appears in lists: there may be thousands, each with a long description. */
export const shortenRecord = (record: ModelRecord): ModelRecord => {
  const { description, tags } = record
  const isLong = description.length > maxListedDescription
  const start = description.slice(0, maxListedDescription).toWellFormed()
  return {
    ...record,
    description: isLong ? `${start}…` : description,
    tags: tags.slice(0, maxListedTags),
  }
}

/** An empty list if no connection offers the model. */
export const endpointRecord = (
  id: string,
  endpoints: readonly Endpoint[],
  prices: EndpointPrices,
): ModelRecord[] => {
  const [first] = endpoints
  if (!first) return []
  const { model, connection } = first
  return [
    {
      id,
      object: "model",
      created: model.created,
      owned_by: connection.config.kind,
      name: id,
      description: "",
      connection_type: connection.provider.connection_type,
      tags: [],
      capabilities: model.capabilities,
      ...factsOfEndpoint(first, prices),
      connections: endpoints.map(({ connection: { config } }) => ({
        id: config.id,
        name: config.name,
      })),
      is_active: true,
      available: endpoints.some((endpoint) => endpoint.connection.isAvailable()),
    },
  ]
}

export const functionRecord = (model: FunctionModel): ModelRecord => ({
  id: model.id,
  object: "model",
  created: model.fn.created_at,
  owned_by: "function",
  name: model.name,
  description: model.description,
  connection_type: "function",
  tags: model.fn.meta.tags,
  capabilities: { completion: true },
  connections: [],
  is_active: true,
  available: true,
})

/** @param base record of the chain's last model; undefined if nothing can answer */
export const workspaceRecord = (
  model: ModelSummary,
  base: ModelRecord | undefined,
): ModelRecord => ({
  id: model.id,
  object: "model",
  created: model.created_at,
  owned_by: base?.owned_by ?? "unknown",
  name: model.name,
  description: model.meta.description,
  connection_type: base?.connection_type ?? "external",
  tags: model.meta.tags,
  capabilities: base?.capabilities ?? {},
  ...(base && pickFacts(base)),
  base_model_id: model.base_model_id,
  starters: model.meta.starters,
  connections: base?.connections ?? [],
  is_active: model.is_active,
  available: base?.available ?? false,
})
