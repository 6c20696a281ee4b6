// Rebuilds the table of shipped prices from LiteLLM's `model_prices_and_context_window.json`:
//   npm run prices:update -- FILE [YYYY-MM-DD]
// `sources.json` says which models of which providers are in the table, and corrects prices that
// LiteLLM has wrong. Review the difference with git, and compare it with the providers' pages.
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

/** A model without prices, or with 0 for all, is one whose price LiteLLM does not know. */
const isPriced = ({ input, output }) => input > 0 || output > 0

const isCurrent = ({ end_of_life }, date) =>
  !end_of_life || daysBetween(end_of_life, date) <= daysAfterEnd

/** Requests do not use the batch API, and 0 for cache writes only says that they cost nothing extra. */
const removeUnused = ({ service_tiers, cache_write, ...entry }) => {
  const { batch: _batch, ...services } = service_tiers ?? {}
  return {
    ...entry,
    ...(cache_write > 0 && { cache_write }),
    ...(Object.keys(services).length > 0 && { service_tiers: services }),
  }
}

/**
 * Without tiers of its own, a service tier would be charged the price of short inputs. A cheaper
 * tier, such as `flex`, is as much cheaper for long inputs; a dearer one is not offered for them.
 */
const completeService = (service, { tiers, ...base }) => {
  if (!tiers || service.tiers) return service
  const scale = (name, price) =>
    service[name] < base[name] ? (price * service[name]) / base[name] : price
  const scaleTier = ({ above, ...prices }) => ({
    above,
    ...Object.fromEntries(
      Object.entries(prices).map(([name, price]) => [name, scale(name, price)]),
    ),
  })
  return { ...service, tiers: tiers.map(scaleTier) }
}

const completeServices = (entry) => {
  if (!entry.service_tiers) return entry
  const services = Object.entries(entry.service_tiers).map(([name, service]) => [
    name,
    completeService(service, entry),
  ])
  return { ...entry, service_tiers: Object.fromEntries(services) }
}

/** LiteLLM names models with its own prefix, such as `gemini/`, and sometimes in prose. */
const cleanSuccessor = ({ successor, ...entry }, { litellm }) => {
  const prefix = litellm.find((name) => successor?.startsWith(`${name}/`))
  const name = prefix === undefined ? successor : successor.slice(prefix.length + 1)
  return { ...entry, ...(name && !name.includes(" ") && { successor: name }) }
}

const override = (entry, overrides) => {
  const { set = {} } =
    overrides.find(({ provider, model }) => provider === entry.provider && model === entry.model) ??
    {}
  return { ...entry, ...set }
}

const sortKey = ({ provider, model }) => `${provider} ${model}`
const compareEntries = (a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)

const build = async (file, { providers, overrides }, date) =>
  (await importLiteLlm(selectModels(file, providers))).entries
    .filter((entry) => isListed(entry, providers) && isCurrent(entry, date))
    .map((entry) => override(completeServices(removeUnused(entry)), overrides))
    .filter(isPriced)
    .map((entry) => cleanSuccessor(entry, providers[entry.provider]))
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
