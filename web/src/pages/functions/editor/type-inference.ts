import type { SyntaxNode } from "@lezer/common"
import { type Declarations, readDeclarations, type TypeMembers } from "./declarations.ts"

/** Parameter types of the functions that a module may export, in order, by function name. */
export type ExportParameterTypes = Readonly<Record<string, readonly string[]>>

export interface InferenceSource {
  declarations: Declarations
  exportParameterTypes: ExportParameterTypes
  text: (node: SyntaxNode) => string
}

/** Limits the steps through names and members, so that circular definitions terminate. */
const maxDepth = 12

/** `Promise<Reply>` → `Reply`. */
const unwrapPromise = (type: string | undefined): string | undefined =>
  /^Promise<([\s\S]+)>$/.exec(type?.trim() ?? "")?.[1]?.trim() ?? type

/** The element type of `Message[]`, `readonly Message[]`, or `Array<Message>`. */
const elementOf = (type: string): string | undefined => {
  const plain = type.trim().replace(/^readonly\s+/, "")
  const listed = /^([\w.]+)\[\]$/.exec(plain)?.[1]
  if (listed) return listed
  return /^(?:ReadonlyArray|Array|AsyncIterable|AsyncGenerator|Iterable)<([\w.]+)/.exec(plain)?.[1]
}

const elementMethods = new Set(["at", "find", "findLast", "pop", "shift"])
const listMethods = new Set(["filter", "slice", "toReversed", "toSorted", "concat"])

/** Splits at separators outside brackets: `A | { b: B | C }` at `|`. */
const splitTopLevel = (type: string, mark: "|" | "&"): string[] => {
  const parts = [""]
  let depth = 0
  for (const letter of type) {
    if ("{(<[".includes(letter)) depth += 1
    if ("})>]".includes(letter)) depth -= 1
    if (letter === mark && depth === 0) parts.push("")
    else parts[parts.length - 1] += letter
  }
  return parts.map((part) => part.trim())
}

/** Removes undefined and null: `Message | undefined` → `Message`. */
const withoutNullish = (type: string): string =>
  splitTopLevel(type, "|")
    .filter((part) => part !== "undefined" && part !== "null")
    .join(" | ")

const unknownType: TypeMembers = { members: [], open: true }

const resolveType = (type: string, declarations: Declarations): TypeMembers => {
  if (!type.startsWith("{")) return declarations.get(type.replace(/<[\s\S]*>$/, "")) ?? unknownType
  return readDeclarations(`interface Written ${type}`).get("Written") ?? unknownType
}

/** The members of a type; an unknown type has none and is open. */
export const findTypeMembers = (type: string, declarations: Declarations): TypeMembers => {
  const parts = splitTopLevel(withoutNullish(type), "&").map((part) =>
    resolveType(part, declarations),
  )
  return {
    members: parts.flatMap(({ members }) => members),
    open:
      parts.some(({ open, members }) => open && members.length > 0) ||
      parts.every(({ open }) => open),
  }
}

const memberType = (
  type: string,
  name: string,
  { source, awaited = false }: { source: InferenceSource; awaited?: boolean },
): string | undefined => {
  const element = elementOf(withoutNullish(type))
  if (element && elementMethods.has(name)) return element
  if (element && listMethods.has(name)) return type
  const found = findTypeMembers(type, source.declarations).members.filter(
    (member) => member.name === name,
  )
  // Of several overloads, prefer the one that returns a promise if the call is awaited.
  return (
    (awaited ? found.find(({ type }) => type.startsWith("Promise<")) : undefined)?.type ??
    found[0]?.type
  )
}

const isFunction =
  /^(?:Function(?:Declaration|Expression)|ArrowFunction|MethodDeclaration|Property)$/

/** The position of a parameter in its list. */
const parameterIndex = (list: SyntaxNode, parameter: SyntaxNode): number => {
  let index = 0
  for (let node = list.firstChild; node && node.from < parameter.from; node = node.nextSibling) {
    if (node.name === ",") index += 1
  }
  return index
}

const nameOf = (made: SyntaxNode, { text }: InferenceSource): string => {
  const own = made.getChild("VariableDefinition")
  if (own) return text(own)
  const holder = made.parent?.name === "VariableDeclaration" ? made.parent : undefined
  const named =
    holder?.getChild("VariableDefinition") ?? made.parent?.getChild("PropertyDefinition")
  return named ? text(named) : ""
}

/** The type of a parameter, from its annotation or the signature of the exported function. */
const parameterType = (pattern: SyntaxNode, source: InferenceSource): string | undefined => {
  const list = pattern.parent
  const made = list?.parent
  if (list?.name !== "ParamList" || !made || !isFunction.test(made.name)) return undefined
  const annotation = pattern.nextSibling
  if (annotation?.name === "TypeAnnotation") {
    return source.text(annotation).replace(/^\s*:\s*/, "")
  }
  return source.exportParameterTypes[nameOf(made, source)]?.[parameterIndex(list, pattern)]
}

/**
 * The type of a variable, from its annotation, its initializer, or the iterated list of `for…of`.
 */
const declaredType = (
  definition: SyntaxNode,
  source: InferenceSource,
  depth: number,
): string | undefined => {
  const holder = definition.parent
  const annotation = definition.nextSibling
  if (annotation?.name === "TypeAnnotation") {
    return source.text(annotation).replace(/^\s*:\s*/, "")
  }
  if (holder?.name === "ForOfSpec") {
    const list = holder.lastChild?.prevSibling
    const type = list ? inferType(list, source, depth + 1) : undefined
    return type && elementOf(type)
  }
  const value = holder?.getChild("Equals")?.nextSibling
  return value ? inferType(value, source, depth + 1) : undefined
}

/** `{ messages: list }`: the property name and its destructuring pattern. */
const patternProperty = (definition: SyntaxNode, { text }: InferenceSource) => {
  const property = definition.parent
  const pattern = property?.parent
  if (property?.name !== "PatternProperty" || pattern?.name !== "ObjectPattern") return undefined
  const named = property.getChild("PropertyName")
  return { pattern, name: text(named ?? definition) }
}

const typeOfDefinition = (
  definition: SyntaxNode,
  source: InferenceSource,
  depth: number,
): string | undefined => {
  const part = patternProperty(definition, source)
  const whole = part?.pattern ?? definition
  const type = parameterType(whole, source) ?? declaredType(whole, source, depth)
  return part && type ? memberType(type, part.name, { source }) : type
}

/** Whether a definition is in scope at a node: its innermost block contains both. */
const isInScope = (definition: SyntaxNode, at: SyntaxNode): boolean => {
  let scope = definition.parent
  while (
    scope &&
    !isFunction.test(scope.name) &&
    !/^(Block|Script|ForStatement)$/.test(scope.name)
  ) {
    scope = scope.parent
  }
  return !scope || (scope.from <= at.from && at.to <= scope.to)
}

const definitionOf = (
  name: string,
  at: SyntaxNode,
  source: InferenceSource,
): SyntaxNode | undefined => {
  let root = at
  while (root.parent) root = root.parent
  let nearest: SyntaxNode | undefined
  root.cursor().iterate(({ node }) => {
    if (node.name !== "VariableDefinition" && node.name !== "PropertyName") return
    if (node.name === "PropertyName" && node.parent?.name !== "PatternProperty") return
    if (node.from >= at.from || source.text(node) !== name || !isInScope(node, at)) return
    nearest = node
  })
  return nearest
}

const isAwaited = (node: SyntaxNode): boolean => {
  let outer = node.parent
  while (outer?.name === "ParenthesizedExpression") outer = outer.parent
  return outer?.name === "AwaitExpression"
}

const memberExpressionType = (
  node: SyntaxNode,
  source: InferenceSource,
  depth: number,
): string | undefined => {
  const type = node.firstChild ? inferType(node.firstChild, source, depth + 1) : undefined
  const named = node.getChild("PropertyName")
  if (!type) return undefined
  if (!named) return elementOf(withoutNullish(type))
  const call = node.parent?.name === "CallExpression" ? node.parent : node
  return memberType(type, source.text(named), { source, awaited: isAwaited(call) })
}

/** The type of an expression as far as it can be inferred from names; otherwise undefined. */
export const inferType = (
  node: SyntaxNode,
  source: InferenceSource,
  depth = 0,
): string | undefined => {
  if (depth > maxDepth) return undefined
  const inner = (child: SyntaxNode | null | undefined): string | undefined =>
    child ? inferType(child, source, depth + 1) : undefined
  switch (node.name) {
    case "VariableName": {
      const definition = definitionOf(source.text(node), node, source)
      return definition && typeOfDefinition(definition, source, depth)
    }
    case "MemberExpression":
      return memberExpressionType(node, source, depth)
    case "AwaitExpression":
      return unwrapPromise(inner(node.lastChild))
    case "CallExpression":
      return inner(node.firstChild)
    case "ParenthesizedExpression":
      return inner(node.firstChild?.nextSibling)
    case "ObjectPattern":
      return typeOfDefinition(node, source, depth)
    default:
      return undefined
  }
}
