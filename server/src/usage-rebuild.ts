import { randomUUIDv7 } from "node:crypto"
import { parseArgs } from "node:util"
import { z } from "zod"
import { readConfig } from "./config/config.ts"
import { environmentConnections } from "./connections/connection-registry.ts"
import { openForCommand } from "./db/open-for-command.ts"
import { createPriceIndex } from "./prices/price-index.ts"
import { createRequestCost } from "./prices/request-cost.ts"
import { providerOfHost } from "./prices/shipped/provider-of-host.ts"
import { shippedPrices } from "./prices/shipped/shipped-prices.ts"
import { createPriceStore } from "./prices/store.ts"
import { providerKinds } from "./providers/registry.ts"
import { createUsageRebuild } from "./usage/rebuild.ts"
import { secondsPerDay } from "./usage/sum-columns.ts"

const ProviderKind = z.enum(providerKinds)

const now = (): number => Math.floor(Date.now() / 1000)

/** @returns when the day begins in UTC, in epoch seconds */
const parseDay = (text: string): number => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new Error(`"${text}" is no day. Write it like 2026-01-31.`)
  return time / 1000
}

const printLine = (line: string): void => void process.stdout.write(`${line}\n`)

try {
  const { values } = parseArgs({
    options: {
      from: { type: "string", default: "1970-01-01" },
      to: { type: "string" },
      reprice: { type: "boolean", default: false },
    },
  })
  const span = {
    from: parseDay(values.from),
    to: values.to === undefined ? now() + secondsPerDay : parseDay(values.to) + secondsPerDay,
  }
  if (span.from >= span.to) throw new Error("--from must not be after --to.")
  const config = readConfig()
  const db = await openForCommand(config)
  const reader = db.backgroundReader
  const stored = await reader
    .selectFrom("connections")
    .select(["id", "kind", "base_url", "id_prefix"])
    .execute()
  const connections = [
    ...environmentConnections(config),
    ...stored.map((connection) => ({ ...connection, kind: ProviderKind.parse(connection.kind) })),
  ]
  const custom = await createPriceStore({ read: reader }).list()
  const prices = createPriceIndex({ custom, shipped: shippedPrices, providerOfHost })
  const rebuild = createUsageRebuild({
    db,
    requestCost: createRequestCost(prices),
    connectionsById: new Map(connections.map((connection) => [connection.id, connection])),
    newId: randomUUIDv7,
    now,
  })
  if (values.reprice) {
    const { records, changed, skipped } = await rebuild.reprice(span)
    printLine(`Computed the cost of ${records} records: ${changed} changed.`)
    if (skipped > 0)
      printLine(`${skipped} keep theirs: their connection or its model is not known any more.`)
  }
  const { hours, days } = await rebuild.sum(span)
  printLine(`Summed ${hours} hours and ${days} days.`)
  await db.close()
} catch (error) {
  process.stderr.write(
    `Could not rebuild the sums.\n${error instanceof Error ? error.message : error}\n`,
  )
  process.exitCode = 1
}
