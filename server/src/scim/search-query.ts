import { isObject } from "../formats/json-values.ts"
import { refuse } from "./errors.ts"
import { type Projection, readProjection } from "./projection.ts"

const defaultCount = 100
export const maxCount = 200
const lastIndex = 2 ** 31

/** A query (RFC 7644 §3.4.2), from the URL or the body of a search. */
export interface SearchRequest {
  filter: string | undefined
  sortBy: string | undefined
  descending: boolean
  /** 1-based. */
  startIndex: number
  count: number
  projection: Projection
}

type Source = (name: string) => unknown

const text = (source: Source, name: string): string | undefined => {
  const value = source(name)
  if (value === undefined || value === null || value === "") return undefined
  return typeof value === "string" ? value : refuse("invalidValue", `${name} must be a string.`)
}

/** An empty filter is an error: a client that sends a filter does not want all resources. */
const filterOf = (source: Source): string | undefined => {
  const value = source("filter")
  if (value === undefined || value === null) return undefined
  if (typeof value === "string" && value.trim() !== "") return value
  return refuse("invalidFilter", "filter must not be empty. Omit it to list all resources.")
}

const integer = (source: Source, name: string, usual: number): number => {
  const value = source(name)
  if (value === undefined || value === null || value === "") return usual
  const number = Number(value)
  if (Number.isInteger(number)) return number
  return refuse("invalidValue", `${name} must be an integer.`)
}

const names = (source: Source, name: string): string[] => {
  const value = source(name)
  if (value === undefined || value === null) return []
  const list = typeof value === "string" ? value.split(",") : value
  if (!Array.isArray(list))
    return refuse("invalidValue", `${name} must be a list of attribute names.`)
  return list.map((item) => String(item).trim()).filter(Boolean)
}

const isDescending = (source: Source): boolean => {
  const order = text(source, "sortOrder")?.toLowerCase()
  if (order === undefined || order === "ascending") return false
  if (order === "descending") return true
  return refuse("invalidValue", "sortOrder must be ascending or descending.")
}

const projectionOf = (source: Source): Projection =>
  readProjection(names(source, "attributes"), names(source, "excludedAttributes"))

const requestOf = (source: Source): SearchRequest => ({
  filter: filterOf(source),
  sortBy: text(source, "sortBy"),
  descending: isDescending(source),
  startIndex: Math.min(Math.max(integer(source, "startIndex", 1), 1), lastIndex),
  count: Math.min(Math.max(integer(source, "count", defaultCount), 0), maxCount),
  projection: projectionOf(source),
})

/** Parameter names are case-insensitive: a filter that is overlooked would list all resources. */
const byFoldedName = (entries: Iterable<[string, unknown]>): Source => {
  const valueByName = new Map<string, unknown>()
  for (const [name, value] of entries) {
    const folded = name.toLowerCase()
    if (valueByName.has(folded))
      refuse("invalidSyntax", `${name.slice(0, 80)} occurs more than once.`)
    valueByName.set(folded, value)
  }
  return (name) => valueByName.get(name.toLowerCase())
}

/** @throws {Failure} `invalidValue` */
export const searchOfQuery = (query: URLSearchParams): SearchRequest =>
  requestOf(byFoldedName(query))

/** @throws {Failure} `invalidValue` */
export const projectionOfQuery = (query: URLSearchParams): Projection =>
  projectionOf(byFoldedName(query))

/** The body of `POST …/.search` (RFC 7644 §3.4.3). @throws {Failure} */
export const searchOfBody = (body: unknown): SearchRequest => {
  if (!isObject(body)) return refuse("invalidSyntax", "The body must be a SearchRequest object.")
  return requestOf(byFoldedName(Object.entries(body)))
}
