import { type AttributePath, attributeNamed, resolvePath } from "./attribute-paths.ts"
import type { Attribute } from "./attributes.ts"
import { refuse } from "./errors.ts"
import { type Token, tokenize } from "./filter-tokenizer.ts"
import { type Operand, operandOf } from "./operands.ts"
import { type Operator, operators } from "./operators.ts"
import type { ResourceType } from "./resource-types.ts"

const maxBytes = 2048
const maxTerms = 50
const deepest = 20

/** A parsed filter with resolved attributes and typed operands. */
export type Filter =
  | { kind: "and" | "or"; left: Filter; right: Filter }
  | { kind: "not"; of: Filter }
  | { kind: "present"; path: AttributePath }
  | { kind: "test"; path: AttributePath; operator: Operator; operand: Operand }
  /** True if one value of `attribute` satisfies `of`, whose paths are relative to that value. */
  | { kind: "element"; attribute: Attribute; of: Filter }

/** Resolves an attribute name in a filter; undefined if unknown. */
type Scope = (name: string) => AttributePath | undefined

const scopeOf =
  (type: ResourceType): Scope =>
  (name) =>
    resolvePath(type, name)

const elementScope =
  (attribute: Attribute): Scope =>
  (name) => {
    const sub = attributeNamed(attribute.subAttributes ?? [], name)
    return sub && { attribute: sub }
  }

const shown = (text: string): string => JSON.stringify(text.slice(0, 80))

const isOperator = (word: string): word is Operator =>
  operators.some((operator) => operator === word)

/** Recursive descent parser of one token sequence. */
export const createFilterReader = (tokens: Token[]) => {
  let index = 0
  let depth = 0
  let terms = 0
  const end: Token = { kind: "end", text: "", at: 0 }

  const peek = (): Token => tokens[index] ?? end
  const take = (): Token => tokens[index++] ?? end
  const isMark = (text: string): boolean => peek().kind === "mark" && peek().text === text
  const isWord = (text: string): boolean =>
    peek().kind === "word" && peek().text.toLowerCase() === text

  const expect = (text: string): void => {
    const token = take()
    if (token.kind === "mark" && token.text === text) return
    refuse("invalidFilter", `Expected ${text} at position ${token.at + 1} of the filter.`)
  }

  const deeper = <T>(read: () => T): T => {
    if (++depth > deepest)
      refuse("invalidFilter", `The filter is nested too deeply (maximum ${deepest} levels).`)
    const value = read()
    depth--
    return value
  }

  const group = (scope: Scope): Filter =>
    deeper(() => {
      expect("(")
      const inner = either(scope)
      expect(")")
      return inner
    })

  const compare = (path: AttributePath, name: string): Filter => {
    const word = take()
    const operator = word.text.toLowerCase()
    if (word.kind !== "word" || !(operator === "pr" || isOperator(operator))) {
      return refuse(
        "invalidFilter",
        `${shown(word.text)} after ${name} is not an operator. Use one of ${operators.join(", ")}, pr.`,
      )
    }
    if (operator === "pr") return { kind: "present", path }
    const { leaf, operand } = operandOf(path, operator, take())
    if (operand !== null) return { kind: "test", path: leaf, operator, operand }
    const present: Filter = { kind: "present", path: leaf }
    return operator === "ne" ? present : { kind: "not", of: present }
  }

  /**
   * `emails[type eq "work"]`, and as an extension of the RFC `emails[type eq "work"].value eq "…"`.
   */
  const element = ({ attribute, sub }: AttributePath): Filter => {
    if (sub || attribute.type !== "complex") {
      refuse("invalidFilter", `${attribute.name} has no sub-attributes to filter with […].`)
    }
    const of = bracket(attribute)
    if (!isMark(".")) return { kind: "element", attribute, of }
    take()
    const name = take().text
    const path = elementScope(attribute)(name) ?? unknown(name)
    return { kind: "element", attribute, of: { kind: "and", left: of, right: compare(path, name) } }
  }

  const unknown = (name: string): never =>
    refuse("invalidFilter", `${shown(name)} is not an attribute that can be used in a filter.`)

  const term = (scope: Scope): Filter => {
    if (++terms > maxTerms)
      refuse("invalidFilter", `The filter has too many terms (maximum ${maxTerms}).`)
    const token = take()
    if (token.kind !== "word") {
      refuse("invalidFilter", `Expected an attribute at position ${token.at + 1} of the filter.`)
    }
    const path = scope(token.text) ?? unknown(token.text)
    return isMark("[") ? element(path) : compare(path, token.text)
  }

  const single = (scope: Scope): Filter => {
    if (isMark("(")) return group(scope)
    const following = tokens[index + 1]
    if (!isWord("not") || following?.text !== "(") return term(scope)
    take()
    return { kind: "not", of: group(scope) }
  }

  const both = (scope: Scope): Filter => {
    let left = single(scope)
    while (isWord("and")) {
      take()
      left = { kind: "and", left, right: single(scope) }
    }
    return left
  }

  const either = (scope: Scope): Filter => {
    let left = both(scope)
    while (isWord("or")) {
      take()
      left = { kind: "or", left, right: both(scope) }
    }
    return left
  }

  /** Reads `[…]` after a complex attribute. */
  const bracket = (attribute: Attribute): Filter =>
    deeper(() => {
      expect("[")
      const of = either(elementScope(attribute))
      expect("]")
      return of
    })

  return { peek, take, isMark, either, bracket }
}

/** Parses a filter for resources of `type`. @throws {Failure} `invalidFilter` */
export const parseFilter = (
  type: ResourceType,
  source: string,
  { alsoKnown = () => undefined }: { alsoKnown?: Scope } = {},
): Filter => {
  if (Buffer.byteLength(source) > maxBytes) {
    refuse("invalidFilter", `The filter is too long (maximum ${maxBytes} bytes).`)
  }
  const reader = createFilterReader(tokenize(source))
  const own = scopeOf(type)
  const filter = reader.either((name) => own(name) ?? alsoKnown(name))
  const left = reader.take()
  if (left.kind !== "end") {
    refuse("invalidFilter", `Unexpected ${shown(left.text)} after the end of the filter.`)
  }
  return filter
}
