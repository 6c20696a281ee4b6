import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Client, type FeatureResults, features } from "./client.ts"
import type { TestedProvider } from "./clients-testbed.ts"

const page = join(import.meta.dirname, "../../../docs/clients.md")
const start =
  "<!-- The tests write this table: UPDATE_CLIENTS_TABLE=1 npm test -- server/test/clients -->"
const end = "<!-- End of the table -->"

export interface TestedPair {
  client: Client
  provider: TestedProvider
  results: FeatureResults
}

const apiNames = { messages: "Messages", responses: "Responses" }

const toCell = (failure: string | null | undefined): string => {
  if (failure === undefined) return "–"
  return failure === null ? "✓" : "✗"
}

const toRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`

/** Formats what the tests have found as a Markdown table. */
export const formatClientsTable = (pairs: readonly TestedPair[]): string => {
  const header = ["Client", "API", "Provider's API", ...features]
  const rows = pairs.map(({ client, provider, results }) => [
    `${client.name} ${client.version}`,
    apiNames[client.api],
    provider.name,
    ...features.map((feature) => toCell(results[feature])),
  ])
  return [header, header.map(() => "---"), ...rows].map(toRow).join("\n")
}

const splitPage = (): [before: string, table: string, after: string] => {
  const text = readFileSync(page, "utf8")
  const from = text.indexOf(start) + start.length
  const to = text.indexOf(end)
  return [text.slice(0, from), text.slice(from, to).trim(), text.slice(to)]
}

/** The table of the documentation. */
export const readClientsTable = (): string => splitPage()[1]

/** Replaces the table of the documentation. */
export const writeClientsTable = (table: string): void => {
  const [before, , after] = splitPage()
  writeFileSync(page, `${before}\n${table}\n${after}`)
}
