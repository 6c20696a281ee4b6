// Rebuilds the table of shipped prices from LiteLLM's `model_prices_and_context_window.json`:
//   npm run prices:update -- FILE [YYYY-MM-DD]
// `sources.json` says which models of which providers are in the table. The importer corrects the
// prices that LiteLLM has wrong. Review the difference with git, and compare it with the providers' pages.
import { readFileSync, writeFileSync } from "node:fs"
import { importLiteLlm } from "../server/src/prices/litellm-import.ts"
import { PriceEntry } from "../server/src/prices/schema.ts"

const folder = new URL("../server/src/prices/shipped/", import.meta.url)
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))

const modes = ["chat", "responses", "embedding"]
const millisecondsPerDay = 86_400_000
/** Models are kept this long after their end, so that pages can name the successor. */
const daysAfterEnd = 90

const daysBetween = (from, to) => (Date.parse(to) - Date.parse(from)) / millisecondsPerDay

/** LiteLLM's entries of the providers in the table. */
const selectModels = (file, providers) => {
  const names = new Set(Object.values(providers).flatMap(({ litellm }) => litellm))
  return Object.fromEntries(
    Object.entries(file).filter(
      ([, fields]) => names.has(fields.litellm_provider) && modes.includes(fields.mode),
    ),
  )
}

const isListed = ({ model, provider }, providers) => {
  const { only, skip } = providers[provider]
  return (!only || new RegExp(only).test(model)) && !(skip && new RegExp(skip).test(model))
}

/** Those without prices only state facts. */
const isPriced = ({ input }) => input !== undefined

const isCurrent = ({ end_of_life }, date) =>
  !end_of_life || daysBetween(end_of_life, date) <= daysAfterEnd

const sortKey = ({ provider, model }) => `${provider} ${model}`
const compareEntries = (a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)

const build = async (file, { providers }, date) =>
  (await importLiteLlm(selectModels(file, providers))).entries
    .filter((entry) => isListed(entry, providers) && isCurrent(entry, date))
    .filter(isPriced)
    .map((entry) => ({ source: providers[entry.provider].source, ...entry, from: 0 }))
    .map(({ model, provider, ...fields }) => PriceEntry.parse({ model, provider, ...fields }))
    .sort(compareEntries)

const [path, date = new Date().toISOString().slice(0, 10)] = process.argv.slice(2)
if (!path) throw new Error("Usage: npm run prices:update -- FILE [YYYY-MM-DD]")
const entries = await build(readJson(path), readJson(new URL("sources.json", folder)), date)
const lines = entries.map((entry) => `    ${JSON.stringify(entry)}`).join(",\n")
writeFileSync(
  new URL("prices.json", folder),
  `{\n  "date": "${date}",\n  "entries": [\n${lines}\n  ]\n}\n`,
)
console.log(`${entries.length} models`)
