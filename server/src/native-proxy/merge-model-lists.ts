import { requestJson } from "@portico/http1"
import { z } from "zod"
import type { Connection } from "../connections/connection.ts"
import { prefixedModelId } from "../connections/connection-registry.ts"
import { fail } from "../errors.ts"

/**
 * How long to wait for each runtime's list. For `tags`, a slower runtime's last known list is used.
 */
const listTimeoutMs = 2000

const RuntimeModel = z.looseObject({ name: z.string().optional(), model: z.string().optional() })
type RuntimeModel = z.output<typeof RuntimeModel>
const RuntimeModelList = z.object({ models: z.array(RuntimeModel).nullable() })

const nameOf = ({ name, model }: RuntimeModel): string => name ?? model ?? ""

/** Adds the connection's prefix, as in the ids that callers use. */
const addPrefix = ({ config }: Connection, listing: RuntimeModel): RuntimeModel => {
  if (config.id_prefix === null) return listing
  const id = prefixedModelId(config, nameOf(listing))
  return {
    ...listing,
    ...(listing.name !== undefined && { name: id }),
    ...(listing.model !== undefined && { model: id }),
  }
}

const fetchModels = async (connection: Connection, path: string): Promise<RuntimeModel[]> => {
  const { transport, headers } = connection
  const signal = AbortSignal.timeout(listTimeoutMs)
  const reply = await requestJson(transport, { method: "GET", path, headers }, signal)
  return RuntimeModelList.parse(reply).models ?? []
}

const lastKnownModels = (connection: Connection): RuntimeModel[] =>
  connection.models().flatMap(({ listing }) => {
    const parsed = RuntimeModel.safeParse(listing)
    return parsed.success ? [parsed.data] : []
  })

/**
 * Merges the model lists of several runtimes, limited to the models that the caller may use. The
 * first of several equal names wins.
 * @throws {Failure} `upstream_unreachable` if no runtime responds and no model is known
 */
export const mergeModelLists = async (
  connections: readonly Connection[],
  list: "tags" | "ps",
  isAllowed: (id: string) => boolean,
): Promise<{ models: RuntimeModel[] }> => {
  const responses = await Promise.all(
    connections.map((connection) =>
      connection.isResting() ? null : fetchModels(connection, `/api/${list}`).catch(() => null),
    ),
  )
  const byName = new Map<string, RuntimeModel>()
  for (const [at, connection] of connections.entries()) {
    const known = responses[at] ?? (list === "tags" ? lastKnownModels(connection) : [])
    for (const model of known) {
      const listing = addPrefix(connection, model)
      const name = nameOf(listing)
      if (!byName.has(name) && isAllowed(name)) byName.set(name, listing)
    }
  }
  const hasResponse = responses.some((models) => models !== null)
  if (!hasResponse && byName.size === 0) {
    fail("upstream_unreachable", "No model runtime is responding. Try again later.")
  }
  return { models: [...byName.values()] }
}
