import { type AttributePath, findAttribute, resolveAttributePath } from "./attribute-paths.ts"
import { failFilter, quote } from "./errors.ts"
import { type Operand, parseOperand } from "./filter-operands.ts"
import { type FilterOperator, filterOperators } from "./filter-operators.ts"
import { type FilterToken, tokenizeFilter } from "./filter-tokenizer.ts"
import type { ResourceType, ScimAttribute } from "./resource-type.ts"

const maxBytes = 2048
const maxTerms = 50
const maxDepth = 20

/** A parsed filter with resolved attributes and typed operands. */
export type Filter =
  | { kind: "and" | "or"; left: Filter; right: Filter }
  | { kind: "not"; of: Filter }
  | { kind: "present"; path: AttributePath }
  | { kind: "test"; path: AttributePath; operator: FilterOperator; operand: Operand }
  /** True if one value of `attribute` satisfies `of`, whose paths are relative to that value. */
  | { kind: "element"; attribute: ScimAttribute; of: Filter }

/** Resolves an attribute name in a filter; undefined if unknown. */
type AttributeScope = (name: string) => AttributePath | undefined

const withoutColumns = ({ column, elements, ...attribute }: ScimAttribute): ScimAttribute => ({
  ...attribute,
  ...(attribute.subAttributes && { subAttributes: attribute.subAttributes.map(withoutColumns) }),
})

const resolveWithoutColumns = (
  types: readonly ResourceType[],
  name: string,
): AttributePath | undefined => {
  const path = types.map((type) => resolveAttributePath(type, name)).find(Boolean)
  if (!path) return undefined
  const { attribute, sub } = path
  return { attribute: withoutColumns(attribute), sub: sub && withoutColumns(sub) }
}

const elementScope =
  (attribute: ScimAttribute): AttributeScope =>
  (name) => {
    const sub = findAttribute(attribute.subAttributes ?? [], name)
    return sub && { attribute: sub }
  }

const isOperator = (word: string): word is FilterOperator =>
  filterOperators.some((operator) => operator === word)

/** Recursive descent parser of one token sequence. */
export const createFilterParser = (tokens: FilterToken[]) => {
  let index = 0
  let depth = 0
  let terms = 0
  const end: FilterToken = { kind: "end", text: "", at: 0 }

  const peek = (): FilterToken => tokens[index] ?? end
  const take = (): FilterToken => tokens[index++] ?? end
  const isMark = (text: string): boolean => peek().kind === "mark" && peek().text === text
  const isWord = (text: string): boolean =>
    peek().kind === "word" && peek().text.toLowerCase() === text

  const expectMark = (text: string): void => {
    const token = take()
    if (token.kind === "mark" && token.text === text) return
    failFilter(`Expected ${text} at position ${token.at + 1} of the filter.`)
  }

  const readEnclosed = (open: string, close: string, scope: AttributeScope): Filter => {
    if (++depth > maxDepth)
      failFilter(`The filter is nested too deeply (maximum ${maxDepth} levels).`)
    expectMark(open)
    const inner = readOr(scope)
    expectMark(close)
    depth--
    return inner
  }

  const readComparison = (path: AttributePath, name: string): Filter => {
    const word = take()
    const operator = word.text.toLowerCase()
    if (word.kind !== "word" || !(operator === "pr" || isOperator(operator))) {
      return failFilter(
        `${quote(word.text)} after ${name} is not an operator. Use one of ${filterOperators.join(", ")}, pr.`,
      )
    }
    if (operator === "pr") return { kind: "present", path }
    const { leaf, operand } = parseOperand(path, operator, take())
    if (operand !== null) return { kind: "test", path: leaf, operator, operand }
    const present: Filter = { kind: "present", path: leaf }
    return operator === "ne" ? present : { kind: "not", of: present }
  }

  /** `emails[type eq "work"]`; beyond the RFC also `emails[type eq "work"].value eq "…"`. */
  const readElement = ({ attribute, sub }: AttributePath): Filter => {
    if (sub || attribute.type !== "complex") {
      failFilter(`${attribute.name} has no sub-attributes to filter with […].`)
    }
    const of = readValueFilter(attribute)
    if (!isMark(".")) return { kind: "element", attribute, of }
    take()
    const name = take().text
    const path = elementScope(attribute)(name) ?? failUnknownAttribute(name)
    const both: Filter = { kind: "and", left: of, right: readComparison(path, name) }
    return { kind: "element", attribute, of: both }
  }

  const failUnknownAttribute = (name: string): never =>
    failFilter(`${quote(name)} is not an attribute that can be used in a filter.`)

  const readTerm = (scope: AttributeScope): Filter => {
    if (++terms > maxTerms) failFilter(`The filter has too many terms (maximum ${maxTerms}).`)
    const token = take()
    if (token.kind !== "word") {
      failFilter(`Expected an attribute at position ${token.at + 1} of the filter.`)
    }
    const path = scope(token.text) ?? failUnknownAttribute(token.text)
    return isMark("[") ? readElement(path) : readComparison(path, token.text)
  }

  const readNot = (scope: AttributeScope): Filter => {
    if (isMark("(")) return readEnclosed("(", ")", scope)
    const following = tokens[index + 1]
    if (!isWord("not") || following?.text !== "(") return readTerm(scope)
    take()
    return { kind: "not", of: readEnclosed("(", ")", scope) }
  }

  const readChain = (
    kind: "and" | "or",
    readPart: (scope: AttributeScope) => Filter,
    scope: AttributeScope,
  ): Filter => {
    let left = readPart(scope)
    while (isWord(kind)) {
      take()
      left = { kind, left, right: readPart(scope) }
    }
    return left
  }

  const readAnd = (scope: AttributeScope): Filter => readChain("and", readNot, scope)
  const readOr = (scope: AttributeScope): Filter => readChain("or", readAnd, scope)

  /** Reads `[…]` after a complex attribute. */
  const readValueFilter = (attribute: ScimAttribute): Filter =>
    readEnclosed("[", "]", elementScope(attribute))

  return { peek, take, isMark, readFilter: readOr, readValueFilter }
}

/**
 * Parses a filter for resources of `type`.
 * @param otherTypes types that are searched with the same filter; resources of `type` have no value
 *   for attributes that only those define
 * @throws {ScimError} `invalidFilter`
 */
export const parseFilter = (
  type: ResourceType,
  source: string,
  otherTypes: readonly ResourceType[] = [],
): Filter => {
  if (Buffer.byteLength(source) > maxBytes) {
    failFilter(`The filter is too long (maximum ${maxBytes} bytes).`)
  }
  const parser = createFilterParser(tokenizeFilter(source))
  const filter = parser.readFilter(
    (name) => resolveAttributePath(type, name) ?? resolveWithoutColumns(otherTypes, name),
  )
  const rest = parser.take()
  if (rest.kind !== "end") {
    failFilter(`Unexpected ${quote(rest.text)} after the end of the filter.`)
  }
  return filter
}
