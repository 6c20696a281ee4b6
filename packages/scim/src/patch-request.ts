import {
  type AttributePath,
  findAttribute,
  findSchemaAttributes,
  resolveAttributePath,
} from "./attribute-paths.ts"
import { recordIgnoredSchema, requireUniqueEntries } from "./attribute-values.ts"
import { failScim, quote } from "./errors.ts"
import { createFilterParser, type Filter } from "./filter-parser.ts"
import { tokenizeFilter } from "./filter-tokenizer.ts"
import type { IgnoredAttributes } from "./ignored-attributes.ts"
import { isUnknownPath } from "./is-unknown-path.ts"
import { isObject } from "./json-values.ts"
import { isStoredAttribute, type ResourceType } from "./resource-type.ts"

const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
const maxOperations = 5000

type PatchVerb = "add" | "replace" | "remove"

/** An attribute, the values matching a filter, or a sub-attribute of either. */
export interface PatchTarget extends AttributePath {
  filter?: Filter
}

export interface PatchOperation {
  verb: PatchVerb
  target: PatchTarget
  value: unknown
}

const failPath = (path: string): never =>
  failScim("invalidPath", `${quote(path)} is not a valid path.`)

const tokensOf = (path: string) => {
  try {
    return tokenizeFilter(path)
  } catch {
    return failPath(path)
  }
}

/** Parses a path (RFC 7644 §3.5.2); undefined if no schema defines its attribute. */
const parseTarget = (type: ResourceType, path: string): PatchTarget | undefined => {
  const tokens = tokensOf(path)
  if (isUnknownPath(type, tokens)) return undefined
  const parser = createFilterParser(tokens)
  const first = parser.take()
  const found = first.kind === "word" ? resolveAttributePath(type, first.text) : undefined
  if (!found) return failPath(path)
  if (!parser.isMark("[")) return parser.take().kind === "end" ? found : failPath(path)
  const { attribute } = found
  if (found.sub || !attribute.multiValued || attribute.type !== "complex") {
    failScim("invalidPath", `${attribute.name} has no values to select with […].`)
  }
  const filter = parser.readValueFilter(attribute)
  if (parser.peek().kind === "end") return { attribute, filter }
  const [dot, name, end] = [parser.take(), parser.take(), parser.take()]
  const sub = findAttribute(attribute.subAttributes ?? [], name.text)
  if (dot.text === "." && sub && end.kind === "end") return { attribute, filter, sub }
  return failPath(path)
}

const leafOf = ({ attribute, sub }: PatchTarget) => sub ?? attribute

const nameOf = ({ attribute, sub }: PatchTarget): string =>
  sub ? `${attribute.name}.${sub.name}` : attribute.name

/** With a filter, read-only sub-attributes such as a member's display name may be targeted. */
const isReadOnly = (target: PatchTarget): boolean =>
  target.attribute.mutability === "readOnly" ||
  (leafOf(target).mutability === "readOnly" && !target.filter)

/**
 * Expands each operation into operations with a target. Attributes that are unknown or not stored are
 * recorded as ignored and dropped, as they are in PUT (RFC 7644 §3.5.1): clients bundle them with
 * changes that must not be lost.
 */
const createOperationExpander = (type: ResourceType, ignored: IgnoredAttributes) => {
  const withTarget = (verb: PatchVerb, target: PatchTarget, value: unknown): PatchOperation[] => {
    if (isStoredAttribute(leafOf(target))) return [{ verb, target, value }]
    ignored.add(nameOf(target))
    return []
  }

  const expandNamed = (verb: PatchVerb, path: string, value: unknown): PatchOperation[] => {
    const target = parseTarget(type, path)
    if (target) {
      if (isReadOnly(target)) failScim("mutability", `${nameOf(target)} is read-only.`)
      return withTarget(verb, target, value)
    }
    if (findSchemaAttributes(type, path) === type.attributes) return expandUnnamed(verb, value)
    ignored.add(path)
    return []
  }

  /** One attribute of a value without a path; its key may be dotted or URN-qualified. */
  const expandEntry = (verb: PatchVerb, key: string, value: unknown): PatchOperation[] => {
    const attributes = findSchemaAttributes(type, key)
    if (attributes === type.attributes) return expandUnnamed(verb, value)
    if (attributes) {
      recordIgnoredSchema({ urn: key, attributes }, value, ignored)
      return []
    }
    const target = /^[\w$]/.test(key) ? targetOrNone(key) : undefined
    if (!target) ignored.add(key)
    return target && !isReadOnly(target) ? withTarget(verb, target, value) : []
  }

  const targetOrNone = (key: string): PatchTarget | undefined => {
    try {
      return parseTarget(type, key)
    } catch {
      return undefined
    }
  }

  const expandUnnamed = (verb: PatchVerb, value: unknown): PatchOperation[] => {
    if (verb === "remove") return failScim("noTarget", "The remove operation requires a path.")
    if (!isObject(value)) {
      return failScim(
        "invalidValue",
        `The ${verb} operation without a path requires an object of attributes.`,
      )
    }
    return requireUniqueEntries(value).flatMap(([key, part]) => expandEntry(verb, key, part))
  }

  return { named: expandNamed, unnamed: expandUnnamed }
}

const verbs: readonly PatchVerb[] = ["add", "replace", "remove"]

const verbOf = (op: unknown): PatchVerb =>
  verbs.find((verb) => typeof op === "string" && verb === op.toLowerCase()) ??
  failScim("invalidSyntax", "op must be add, replace or remove.")

const fieldOf = (object: Record<string, unknown>, name: string): unknown =>
  object[Object.keys(object).find((key) => key.toLowerCase() === name) ?? name]

const operationsOf = (body: unknown): unknown[] => {
  if (!isObject(body)) return failScim("invalidSyntax", "The body must be a PatchOp object.")
  const schemas = fieldOf(body, "schemas")
  const urns = Array.isArray(schemas) ? schemas.map((urn) => String(urn).toLowerCase()) : []
  if (!urns.includes(patchUrn.toLowerCase())) {
    failScim("invalidSyntax", `schemas must include ${patchUrn}.`)
  }
  const operations = fieldOf(body, "operations")
  if (!Array.isArray(operations) || operations.length === 0) {
    return failScim("invalidSyntax", "Operations must be an array with at least one operation.")
  }
  if (operations.length > maxOperations) {
    failScim("tooMany", `Too many operations (maximum ${maxOperations}).`)
  }
  return operations
}

/** Resolves all paths of a PATCH before anything is changed. @throws {ScimError} */
export const parsePatch = (
  type: ResourceType,
  body: unknown,
  ignored: IgnoredAttributes,
): PatchOperation[] => {
  const expander = createOperationExpander(type, ignored)
  return operationsOf(body).flatMap((operation) => {
    if (!isObject(operation)) return failScim("invalidSyntax", "Each operation must be an object.")
    const verb = verbOf(fieldOf(operation, "op"))
    const path = fieldOf(operation, "path") ?? ""
    const value = fieldOf(operation, "value")
    if (typeof path !== "string") return failScim("invalidPath", "path must be a string.")
    if (verb !== "remove" && value === undefined)
      failScim("invalidValue", `The ${verb} operation requires a value.`)
    return path === "" ? expander.unnamed(verb, value) : expander.named(verb, path, value)
  })
}
