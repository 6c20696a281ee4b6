import { z } from "zod"
import type { Upstream } from "../connections/connection.ts"
import { offeredId } from "../connections/registry.ts"
import { fail } from "../errors.ts"

/**
 * How long to wait for each runtime's list. For `tags`, a slower runtime's last known list is used.
 */
const listMs = 2000

const Listing = z.looseObject({ name: z.string().optional(), model: z.string().optional() })
type Listing = z.output<typeof Listing>
const Reply = z.object({ models: z.array(Listing).nullable() })

const nameOf = ({ name, model }: Listing): string => name ?? model ?? ""

/** Adds the connection's prefix, as in the ids that callers use. */
const underPrefix = ({ config }: Upstream, listing: Listing): Listing => {
  if (config.id_prefix === null) return listing
  const id = offeredId(config, nameOf(listing))
  return {
    ...listing,
    ...(listing.name !== undefined && { name: id }),
    ...(listing.model !== undefined && { model: id }),
  }
}

const ask = async (upstream: Upstream, path: string): Promise<Listing[]> => {
  const { client, headers } = upstream
  const signal = AbortSignal.timeout(listMs)
  return Reply.parse(await client.ask({ method: "GET", path, headers }, signal)).models ?? []
}

const lastKnown = (upstream: Upstream): Listing[] =>
  upstream.models().flatMap(({ listing }) => {
    const parsed = Listing.safeParse(listing)
    return parsed.success ? [parsed.data] : []
  })

/**
 * Merges the model lists of several runtimes, limited to the models that the caller may use. The
 * first of several equal names wins.
 * @throws {Failure} `upstream_unreachable` if no runtime responds and no model is known
 */
export const mergedListing = async (
  upstreams: readonly Upstream[],
  list: "tags" | "ps",
  mayUse: (id: string) => boolean,
): Promise<{ models: Listing[] }> => {
  let heard = 0
  const listed = await Promise.all(
    upstreams.map(async (upstream) => {
      try {
        const found = upstream.resting()
          ? lastKnownOf(list, upstream)
          : await ask(upstream, `/api/${list}`)
        if (!upstream.resting()) heard++
        return found.map((listing) => underPrefix(upstream, listing))
      } catch {
        return lastKnownOf(list, upstream).map((listing) => underPrefix(upstream, listing))
      }
    }),
  )
  const byName = new Map<string, Listing>()
  for (const listing of listed.flat()) {
    const name = nameOf(listing)
    if (!byName.has(name) && mayUse(name)) byName.set(name, listing)
  }
  if (heard === 0 && byName.size === 0) {
    fail("upstream_unreachable", "No model runtime is responding. Try again later.")
  }
  return { models: [...byName.values()] }
}

const lastKnownOf = (list: "tags" | "ps", upstream: Upstream): Listing[] =>
  list === "tags" ? lastKnown(upstream) : []
