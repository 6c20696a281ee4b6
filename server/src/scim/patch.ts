import { isDeepStrictEqual } from "node:util"
import { isObject } from "../formats/json-values.ts"
import { attributeNamed } from "./attribute-paths.ts"
import type { Attribute } from "./attributes.ts"
import { refuse } from "./errors.ts"
import { matches } from "./evaluate.ts"
import type { Filter } from "./filter.ts"
import type { Operation } from "./patch-request.ts"
import {
  type Complex,
  type Ignored,
  isNothing,
  noMoreThan,
  readComplex,
  readValue,
  type Simple,
  type Values,
} from "./values.ts"

const isSimple = (value: unknown): value is Simple =>
  typeof value === "string" || typeof value === "boolean"

const complexOf = (value: unknown): Complex =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, Simple] => isSimple(entry[1])),
      )
    : {}

const listOf = (value: unknown): Complex[] => (Array.isArray(value) ? value.map(complexOf) : [])

const required = ({ name }: Attribute): never =>
  refuse("mutability", `${name} is required. It can be replaced but not removed.`)

/** Sets a sub-attribute, or removes it if the value is unassigned. */
const withPart = (
  complex: Complex,
  { sub, verb, value }: { sub: Attribute; verb: Operation["verb"]; value: unknown },
  ignored: Ignored,
): Complex => {
  const { [sub.name]: _, ...rest } = complex
  const part = verb === "remove" ? null : readValue(sub, value, ignored)
  return isSimple(part) ? { ...rest, [sub.name]: part } : rest
}

/** Merges sub-attributes: absent ones are kept, unassigned ones are removed. */
const merged = (
  attribute: Attribute,
  { present, value }: { present: Complex; value: unknown },
  ignored: Ignored,
): Complex => {
  const sent = readComplex(attribute, value, ignored)
  const cleared = Object.entries(isObject(value) ? value : {})
    .filter(([, part]) => isNothing(part))
    .map(([key]) => attributeNamed(attribute.subAttributes ?? [], key)?.name)
  const kept = Object.entries(present).filter(([name]) => !cleared.includes(name))
  return { ...Object.fromEntries(kept), ...sent }
}

const patchSimple = (
  values: Values,
  { verb, target, value }: Operation,
  ignored: Ignored,
): void => {
  const { attribute } = target
  const next = verb === "remove" ? null : readValue(attribute, value, ignored)
  if (next === null && attribute.required) required(attribute)
  values.set(attribute.name, next)
}

const patchComplex = (
  values: Values,
  { verb, target, value }: Operation,
  ignored: Ignored,
): void => {
  const { attribute, sub } = target
  const present = complexOf(values.get(attribute.name))
  if (sub) values.set(attribute.name, withPart(present, { sub, verb, value }, ignored))
  else if (verb === "remove" || isNothing(value)) values.set(attribute.name, null)
  else values.set(attribute.name, merged(attribute, { present, value }, ignored))
}

/** A new primary value clears the previous one (RFC 7644 §3.5.2). */
const withOnePrimary = (list: Complex[], before: readonly Complex[]): Complex[] => {
  const isNew = (item: Complex): boolean =>
    item.primary === true && !before.some((old) => old.primary === true && old.value === item.value)
  const chosen = list.findLast(isNew)
  if (!chosen) return list
  return list.map((item) => (item.primary && item !== chosen ? { ...item, primary: false } : item))
}

const addTo = (list: readonly Complex[], items: readonly Complex[]): Complex[] => {
  const result = [...list]
  for (const item of items) {
    const index = result.findIndex(({ value, type }) => value === item.value && type === item.type)
    if (index < 0) result.push(item)
    else result[index] = { ...result[index], ...item }
  }
  return result
}

const removeFrom = (list: readonly Complex[], items: readonly Complex[]): Complex[] =>
  list.filter((item) => !items.some((gone) => isDeepStrictEqual({ ...item, ...gone }, item)))

/**
 * The sub-attributes that a value must have to match a filter of equalities; undefined for other
 * filters.
 */
const demanded = (filter: Filter): Complex | undefined => {
  if (filter.kind === "and") {
    const [left, right] = [demanded(filter.left), demanded(filter.right)]
    return left && right && { ...left, ...right }
  }
  if (filter.kind !== "test" || filter.operator !== "eq") return undefined
  const { name } = filter.path.attribute
  if ("text" in filter.operand) return { [name]: filter.operand.text }
  return "truth" in filter.operand ? { [name]: filter.operand.truth } : undefined
}

/** Creates the value that a filter selects if its type is a canonical one. */
const missing = (attribute: Attribute, filter: Filter): Complex => {
  const types = attributeNamed(attribute.subAttributes ?? [], "type")?.canonicalValues ?? []
  const item = demanded(filter)
  if (item && types.includes(String(item.type))) return item
  return refuse("noTarget", `No value of ${attribute.name} matches the filter in the path.`)
}

const patchMatching = (
  list: Complex[],
  { verb, target, value }: Operation,
  { filter, ignored }: { filter: Filter; ignored: Ignored },
): Complex[] => {
  const { attribute, sub } = target
  const chosen = list.filter((item) => matches(filter, item))
  if (verb === "remove" && !sub) return list.filter((item) => !chosen.includes(item))
  const edit = (present: Complex): Complex =>
    sub
      ? withPart(present, { sub, verb, value }, ignored)
      : merged(attribute, { present, value }, ignored)
  if (chosen.length > 0) return list.map((item) => (chosen.includes(item) ? edit(item) : item))
  return verb === "remove" ? list : [...list, edit(missing(attribute, filter))]
}

/** Entries without a value would be dropped, silently deleting the values they replace. */
const requireValues = (attribute: Attribute, items: readonly Complex[], sent: unknown): void => {
  const count = Array.isArray(sent) ? sent.length : items.length
  if (items.length === count && items.every((item) => "value" in item)) return
  refuse("invalidValue", `Each entry of ${attribute.name} requires a value.`)
}

const patchList = (list: Complex[], operation: Operation, ignored: Ignored): Complex[] => {
  const { verb, target, value } = operation
  const { attribute, filter, sub } = target
  if (filter) return patchMatching(list, operation, { filter, ignored })
  if (sub) {
    if (verb !== "remove" && list.length === 0) {
      refuse("noTarget", `${attribute.name} has no entry whose ${sub.name} can be set.`)
    }
    return list.map((item) => withPart(item, { sub, verb, value }, ignored))
  }
  const items = listOf(readValue(attribute, value, ignored))
  if (verb !== "remove") requireValues(attribute, items, value)
  if (verb === "replace") return items
  if (verb === "add") return addTo(list, items)
  return value === undefined || value === null ? [] : removeFrom(list, items)
}

/** Applies one PATCH operation to attribute values in memory. @throws {Failure} */
export const applyOperation = (values: Values, operation: Operation, ignored: Ignored): void => {
  const { attribute } = operation.target
  if (attribute.multiValued) {
    const before = listOf(values.get(attribute.name))
    const after = patchList(before, operation, ignored)
    noMoreThan(attribute, after)
    const list = withOnePrimary(after, before).filter((item) => Object.keys(item).length > 0)
    values.set(attribute.name, list)
  } else if (attribute.type === "complex") patchComplex(values, operation, ignored)
  else patchSimple(values, operation, ignored)
}
