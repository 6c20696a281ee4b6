import { failScim } from "./errors.ts"
import { isObject } from "./json-values.ts"
import { type Projection, parseProjection } from "./projection.ts"

const defaultCount = 100
export const maxPageSize = 200
const maxStartIndex = 2 ** 31

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

type ParameterSource = (name: string) => unknown

const isAbsent = (value: unknown): value is undefined | null | "" =>
  value === undefined || value === null || value === ""

const textParameter = (source: ParameterSource, name: string): string | undefined => {
  const value = source(name)
  if (isAbsent(value)) return undefined
  return typeof value === "string" ? value : failScim("invalidValue", `${name} must be a string.`)
}

/** An empty filter is an error: a client that sends a filter does not want all resources. */
const filterOf = (source: ParameterSource): string | undefined => {
  const value = source("filter")
  if (value === undefined || value === null) return undefined
  if (typeof value === "string" && value.trim() !== "") return value
  return failScim("invalidFilter", "filter must not be empty. Omit it to list all resources.")
}

const integerParameter = (source: ParameterSource, name: string, defaultValue: number): number => {
  const value = source(name)
  if (isAbsent(value)) return defaultValue
  const number = Number(value)
  if (Number.isInteger(number)) return number
  return failScim("invalidValue", `${name} must be an integer.`)
}

const nameListParameter = (source: ParameterSource, name: string): string[] => {
  const value = source(name)
  if (value === undefined || value === null) return []
  const list = typeof value === "string" ? value.split(",") : value
  if (!Array.isArray(list))
    return failScim("invalidValue", `${name} must be a list of attribute names.`)
  return list.map((item) => String(item).trim()).filter(Boolean)
}

const isDescending = (source: ParameterSource): boolean => {
  const order = textParameter(source, "sortOrder")?.toLowerCase()
  if (order === undefined || order === "ascending") return false
  if (order === "descending") return true
  return failScim("invalidValue", "sortOrder must be ascending or descending.")
}

const projectionOf = (source: ParameterSource): Projection =>
  parseProjection(
    nameListParameter(source, "attributes"),
    nameListParameter(source, "excludedAttributes"),
  )

const requestOf = (source: ParameterSource): SearchRequest => ({
  filter: filterOf(source),
  sortBy: textParameter(source, "sortBy"),
  descending: isDescending(source),
  startIndex: Math.min(Math.max(integerParameter(source, "startIndex", 1), 1), maxStartIndex),
  count: Math.min(Math.max(integerParameter(source, "count", defaultCount), 0), maxPageSize),
  projection: projectionOf(source),
})

/** Parameter names are case-insensitive: a filter that is overlooked would list all resources. */
const createParameterSource = (entries: Iterable<[string, unknown]>): ParameterSource => {
  const valueByName = new Map<string, unknown>()
  for (const [name, value] of entries) {
    const folded = name.toLowerCase()
    if (valueByName.has(folded))
      failScim("invalidSyntax", `${name.slice(0, 80)} occurs more than once.`)
    valueByName.set(folded, value)
  }
  return (name) => valueByName.get(name.toLowerCase())
}

/** @throws {ScimError} `invalidValue` */
export const parseSearchQuery = (query: URLSearchParams): SearchRequest =>
  requestOf(createParameterSource(query))

/** @throws {ScimError} `invalidValue` */
export const parseProjectionQuery = (query: URLSearchParams): Projection =>
  projectionOf(createParameterSource(query))

/** The body of `POST …/.search` (RFC 7644 §3.4.3). @throws {ScimError} */
export const parseSearchBody = (body: unknown): SearchRequest => {
  if (!isObject(body)) return failScim("invalidSyntax", "The body must be a SearchRequest object.")
  return requestOf(createParameterSource(Object.entries(body)))
}
