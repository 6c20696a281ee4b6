import { isDeepStrictEqual } from "node:util"
import { findAttribute } from "./attribute-paths.ts"
import {
  type AttributeValue,
  type AttributeValues,
  type ComplexValue,
  checkValueCount,
  isUnassigned,
  parseComplex,
  parseValue,
  type SimpleValue,
} from "./attribute-values.ts"
import { failScim } from "./errors.ts"
import { matchesFilter } from "./filter-evaluator.ts"
import type { Filter } from "./filter-parser.ts"
import { foldCase } from "./fold-case.ts"
import type { IgnoredAttributes } from "./ignored-attributes.ts"
import { isObject } from "./json-values.ts"
import type { PatchOperation } from "./patch-request.ts"
import type { ScimAttribute } from "./resource-type.ts"

const isSimple = (value: unknown): value is SimpleValue =>
  typeof value === "string" || typeof value === "boolean"

const complexOf = (value: AttributeValue | null | undefined): ComplexValue =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}

const listOf = (value: AttributeValue | null | undefined): ComplexValue[] =>
  Array.isArray(value) ? value : []

/** Merges sub-attributes: absent ones are kept, unassigned ones are removed. */
const mergeComplex = (
  present: ComplexValue,
  { target: { attribute }, value }: PatchOperation,
  ignored: IgnoredAttributes,
): ComplexValue => {
  const sent = parseComplex(attribute, value, ignored)
  const cleared = Object.entries(isObject(value) ? value : {})
    .filter(([, part]) => isUnassigned(part))
    .map(([key]) => findAttribute(attribute.subAttributes ?? [], key)?.name)
  const kept = Object.entries(present).filter(([name]) => !cleared.includes(name))
  return { ...Object.fromEntries(kept), ...sent }
}

/** Changes the sub-attribute that the path names, or else those that are sent. */
const editComplex = (
  present: ComplexValue,
  operation: PatchOperation,
  ignored: IgnoredAttributes,
): ComplexValue => {
  const { verb, target, value } = operation
  const { sub } = target
  if (!sub) return mergeComplex(present, operation, ignored)
  const { [sub.name]: _, ...rest } = present
  const part = verb === "remove" ? null : parseValue(sub, value, ignored)
  return isSimple(part) ? { ...rest, [sub.name]: part } : rest
}

const patchSimple = (
  { verb, target: { attribute }, value }: PatchOperation,
  ignored: IgnoredAttributes,
): AttributeValue | null => {
  const next = verb === "remove" ? null : parseValue(attribute, value, ignored)
  if (next !== null || !attribute.required) return next
  const { name } = attribute
  return failScim("mutability", `${name} is required. It can be replaced but not removed.`)
}

const patchComplex = (
  present: ComplexValue,
  operation: PatchOperation,
  ignored: IgnoredAttributes,
): ComplexValue | null => {
  const { verb, target, value } = operation
  const isCleared = !target.sub && (verb === "remove" || isUnassigned(value))
  return isCleared ? null : editComplex(present, operation, ignored)
}

/** A new primary value clears the previous one (RFC 7644 §3.5.2). */
const keepOnePrimary = (list: ComplexValue[], before: readonly ComplexValue[]): ComplexValue[] => {
  const isNew = (item: ComplexValue): boolean =>
    item.primary === true && !before.some((old) => old.primary === true && old.value === item.value)
  const selected = list.findLast(isNew)
  if (!selected) return list
  return list.map((item) =>
    item.primary && item !== selected ? { ...item, primary: false } : item,
  )
}

const addTo = (list: readonly ComplexValue[], items: readonly ComplexValue[]): ComplexValue[] => {
  const result = [...list]
  for (const item of items) {
    const index = result.findIndex(({ value, type }) => value === item.value && type === item.type)
    if (index < 0) result.push(item)
    else result[index] = { ...result[index], ...item }
  }
  return result
}

const removeFrom = (
  list: readonly ComplexValue[],
  items: readonly ComplexValue[],
): ComplexValue[] =>
  list.filter((item) => !items.some((removed) => isDeepStrictEqual({ ...item, ...removed }, item)))

/** The sub-attributes that a filter of equalities requires; undefined for other filters. */
const valuesRequiredBy = (filter: Filter): ComplexValue | undefined => {
  if (filter.kind === "and") {
    const [left, right] = [valuesRequiredBy(filter.left), valuesRequiredBy(filter.right)]
    return left && right && { ...left, ...right }
  }
  if (filter.kind !== "test" || filter.operator !== "eq") return undefined
  const { operand, path } = filter
  const { name, caseExact } = path.attribute
  if ("text" in operand) return { [name]: caseExact ? operand.text : foldCase(operand.text) }
  return "truth" in operand ? { [name]: operand.truth } : undefined
}

/** Creates the value that a filter selects if its type is a canonical one. */
const createMissing = (attribute: ScimAttribute, filter: Filter): ComplexValue => {
  const types = findAttribute(attribute.subAttributes ?? [], "type")?.canonicalValues ?? []
  const item = valuesRequiredBy(filter)
  if (item && types.includes(String(item.type))) return item
  return failScim("noTarget", `No value of ${attribute.name} matches the filter in the path.`)
}

const patchMatching = (
  list: ComplexValue[],
  operation: PatchOperation,
  { filter, ignored }: { filter: Filter; ignored: IgnoredAttributes },
): ComplexValue[] => {
  const { attribute, sub } = operation.target
  const isRemoval = operation.verb === "remove"
  const selected = list.filter((item) => matchesFilter(filter, item))
  if (isRemoval && !sub) return list.filter((item) => !selected.includes(item))
  const edit = (present: ComplexValue): ComplexValue => editComplex(present, operation, ignored)
  if (selected.length > 0) return list.map((item) => (selected.includes(item) ? edit(item) : item))
  return isRemoval ? list : [...list, edit(createMissing(attribute, filter))]
}

/** Entries without a value would be dropped, silently deleting the values they replace. */
const requireValues = (
  attribute: ScimAttribute,
  items: readonly ComplexValue[],
  sent: unknown,
): void => {
  const count = Array.isArray(sent) ? sent.length : items.length
  if (items.length === count && items.every((item) => "value" in item)) return
  failScim("invalidValue", `Each entry of ${attribute.name} requires a value.`)
}

const patchList = (
  list: ComplexValue[],
  operation: PatchOperation,
  ignored: IgnoredAttributes,
): ComplexValue[] => {
  const { verb, target, value } = operation
  const { attribute, filter, sub } = target
  if (filter) return patchMatching(list, operation, { filter, ignored })
  if (sub) {
    if (verb !== "remove" && list.length === 0) {
      failScim("noTarget", `${attribute.name} has no entry whose ${sub.name} can be set.`)
    }
    return list.map((item) => editComplex(item, operation, ignored))
  }
  const items = listOf(parseValue(attribute, value, ignored))
  if (verb !== "remove") requireValues(attribute, items, value)
  if (verb === "replace") return items
  if (verb === "add") return addTo(list, items)
  return value === undefined || value === null ? [] : removeFrom(list, items)
}

/** Applies one PATCH operation to attribute values in memory. @throws {ScimError} */
export const applyPatchOperation = (
  values: AttributeValues,
  operation: PatchOperation,
  ignored: IgnoredAttributes,
): void => {
  const { name, multiValued, type } = operation.target.attribute
  const before = values.get(name)
  if (multiValued) {
    const list = patchList(listOf(before), operation, ignored)
    checkValueCount(operation.target.attribute, list)
    const kept = keepOnePrimary(list, listOf(before)).filter((item) => Object.keys(item).length > 0)
    values.set(name, kept)
  } else if (type === "complex")
    values.set(name, patchComplex(complexOf(before), operation, ignored))
  else values.set(name, patchSimple(operation, ignored))
}
