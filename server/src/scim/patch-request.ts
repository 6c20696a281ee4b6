import { isObject } from "../formats/json-values.ts"
import { type AttributePath, attributeNamed, resolvePath, schemaNamed } from "./attribute-paths.ts"
import { refuse } from "./errors.ts"
import { createFilterReader, type Filter } from "./filter.ts"
import { tokenize } from "./filter-tokenizer.ts"
import { isKept, type ResourceType } from "./resource-types.ts"
import { entriesOnce, type Ignored, ignoreSchema } from "./values.ts"

const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
const maxOperations = 5000

type Verb = "add" | "replace" | "remove"

/**
 * Target of an operation: an attribute, the values matching a filter, or a sub-attribute of either.
 */
export interface Target extends AttributePath {
  filter?: Filter
}

export interface Operation {
  verb: Verb
  target: Target
  value: unknown
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 80))

const tokensOf = (path: string) => {
  try {
    return tokenize(path)
  } catch {
    return refuse("invalidPath", `${shown(path)} is not a valid path.`)
  }
}

/** Parses a path (RFC 7644 §3.5.2); undefined if no schema defines its attribute. */
const readTarget = (type: ResourceType, path: string): Target | undefined => {
  const reader = createFilterReader(tokensOf(path))
  const first = reader.take()
  const found = first.kind === "word" ? resolvePath(type, first.text) : undefined
  if (!found) return undefined
  if (!reader.isMark("[")) {
    return reader.take().kind === "end"
      ? found
      : refuse("invalidPath", `${shown(path)} is not a valid path.`)
  }
  const { attribute } = found
  if (found.sub || !attribute.multiValued || attribute.type !== "complex") {
    refuse("invalidPath", `${attribute.name} has no values to select with […].`)
  }
  const filter = reader.bracket(attribute)
  if (reader.peek().kind === "end") return { attribute, filter }
  const [dot, name, end] = [reader.take(), reader.take(), reader.take()]
  const sub = attributeNamed(attribute.subAttributes ?? [], name.text)
  if (dot.text !== "." || !sub || end.kind !== "end") {
    return refuse("invalidPath", `${shown(path)} is not a valid path.`)
  }
  return { attribute, filter, sub }
}

const leafOf = ({ attribute, sub }: Target) => sub ?? attribute

const nameOf = ({ attribute, sub }: Target): string =>
  sub ? `${attribute.name}.${sub.name}` : attribute.name

/** With a filter, read-only sub-attributes such as a member's display name may be targeted. */
const isReadOnly = (target: Target): boolean =>
  target.attribute.mutability === "readOnly" ||
  (leafOf(target).mutability === "readOnly" && !target.filter)

/**
 * Expands each operation into operations with a target. Attributes that are not stored are recorded
 * as ignored and dropped.
 */
const createExpander = (type: ResourceType, ignored: Ignored) => {
  const withTarget = (verb: Verb, target: Target, value: unknown): Operation[] => {
    if (isKept(leafOf(target))) return [{ verb, target, value }]
    ignored.add(nameOf(target))
    return []
  }

  const named = (verb: Verb, path: string, value: unknown): Operation[] => {
    const target = readTarget(type, path)
    if (target) {
      if (isReadOnly(target)) refuse("mutability", `${nameOf(target)} is read-only.`)
      return withTarget(verb, target, value)
    }
    const attributes = schemaNamed(type, path)
    if (!attributes)
      return refuse("invalidPath", `${shown(path)} is not an attribute of ${type.name}.`)
    if (attributes === type.attributes) return unnamed(verb, value)
    ignored.add(path)
    return []
  }

  /** One attribute of a value without a path; its key may be dotted or URN-qualified. */
  const entry = (verb: Verb, key: string, value: unknown): Operation[] => {
    const attributes = schemaNamed(type, key)
    if (attributes === type.attributes) return unnamed(verb, value)
    if (attributes) {
      ignoreSchema({ urn: key, attributes }, value, ignored)
      return []
    }
    const target = /^[\w$]/.test(key) ? targetOrNone(key) : undefined
    if (!target) ignored.add(key)
    return target && !isReadOnly(target) ? withTarget(verb, target, value) : []
  }

  const targetOrNone = (key: string): Target | undefined => {
    try {
      return readTarget(type, key)
    } catch {
      return undefined
    }
  }

  const unnamed = (verb: Verb, value: unknown): Operation[] => {
    if (verb === "remove") return refuse("noTarget", "The remove operation requires a path.")
    if (!isObject(value)) {
      return refuse(
        "invalidValue",
        `The ${verb} operation without a path requires an object of attributes.`,
      )
    }
    return entriesOnce(value).flatMap(([key, part]) => entry(verb, key, part))
  }

  return { named, unnamed }
}

const verbs: readonly Verb[] = ["add", "replace", "remove"]

const verbOf = (op: unknown): Verb =>
  verbs.find((verb) => typeof op === "string" && verb === op.toLowerCase()) ??
  refuse("invalidSyntax", "op must be add, replace or remove.")

const field = (object: Record<string, unknown>, name: string): unknown =>
  object[Object.keys(object).find((key) => key.toLowerCase() === name) ?? name]

const operationsOf = (body: unknown): unknown[] => {
  if (!isObject(body)) return refuse("invalidSyntax", "The body must be a PatchOp object.")
  const schemas = field(body, "schemas")
  const urns = Array.isArray(schemas) ? schemas.map((urn) => String(urn).toLowerCase()) : []
  if (!urns.includes(patchUrn.toLowerCase())) {
    refuse("invalidSyntax", `schemas must include ${patchUrn}.`)
  }
  const operations = field(body, "operations")
  if (!Array.isArray(operations) || operations.length === 0) {
    return refuse("invalidSyntax", "Operations must be an array with at least one operation.")
  }
  if (operations.length > maxOperations) {
    refuse("tooMany", `Too many operations (maximum ${maxOperations}).`)
  }
  return operations
}

/**
 * Parses the body of a PATCH; all paths are resolved before anything is changed. @throws {Failure}
 */
export const readPatch = (type: ResourceType, body: unknown, ignored: Ignored): Operation[] => {
  const expander = createExpander(type, ignored)
  return operationsOf(body).flatMap((operation) => {
    if (!isObject(operation)) return refuse("invalidSyntax", "Each operation must be an object.")
    const verb = verbOf(field(operation, "op"))
    const path = field(operation, "path") ?? ""
    const value = field(operation, "value")
    if (typeof path !== "string") return refuse("invalidPath", "path must be a string.")
    if (verb !== "remove" && value === undefined)
      refuse("invalidValue", `The ${verb} operation requires a value.`)
    return path === "" ? expander.unnamed(verb, value) : expander.named(verb, path, value)
  })
}
