import { typescriptLanguage } from "@codemirror/lang-javascript"
import type { SyntaxNode } from "@lezer/common"

/** A member of a type. */
export interface Member {
  name: string
  /**
   * The type as written: `string`, `Message[]`, `Promise<ChatReply>`; for a function, its return
   * type.
   */
  type: string
  /** A function's parameters as written; undefined if the member is not a function. */
  parameters: string | undefined
  documentation: string
}

/** The members of a type. */
export interface TypeMembers {
  members: readonly Member[]
  /** Whether the type has an index signature, so that any name is valid. */
  open: boolean
}

/** Keyed by type name. */
export type Declarations = ReadonlyMap<string, TypeMembers>

const stripCommentMarkers = (text: string): string =>
  text
    .replace(/^\/\*\*?|\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .trim()

const withoutColon = (text: string): string => text.replace(/^\s*:\s*/, "").trim()

const memberOf = (node: SyntaxNode, text: (at: SyntaxNode) => string): Member | undefined => {
  const named = node.getChild("PropertyDefinition")
  if (!named) return undefined
  const parameters = node.getChild("ParamList")
  const annotation = node.getChild("TypeAnnotation")
  const before = node.prevSibling
  const documentation = before?.name === "BlockComment" ? stripCommentMarkers(text(before)) : ""
  const type = annotation ? withoutColon(text(annotation)) : "unknown"
  // A property of function type: `chat: (request) => Promise<Reply>`.
  const arrow = /^\(([\s\S]*)\)\s*=>\s*([\s\S]+)$/.exec(type)
  const name = text(named)
  if (!parameters && arrow) {
    return { name, type: arrow[2] ?? "", parameters: `(${arrow[1]})`, documentation }
  }
  return { name, type, parameters: parameters ? text(parameters) : undefined, documentation }
}

const readMembers = (body: SyntaxNode, text: (at: SyntaxNode) => string): TypeMembers => {
  const members: Member[] = []
  for (let node = body.firstChild; node; node = node.nextSibling) {
    const member = memberOf(node, text)
    if (member) members.push(member)
  }
  return { members, open: body.getChild("IndexSignature") !== null }
}

/** Reads interfaces and object types from a declaration file with the editor's own parser. */
export const readDeclarations = (source: string): Declarations => {
  const tree = typescriptLanguage.parser.parse(source)
  const text = (node: SyntaxNode): string => source.slice(node.from, node.to)
  const found = new Map<string, TypeMembers>()
  tree.iterate({
    enter: ({ name, node }) => {
      if (name !== "InterfaceDeclaration" && name !== "TypeAliasDeclaration") return
      const named = node.getChild("TypeDefinition")
      const body = node.getChild("ObjectType")
      if (named && body) found.set(text(named), readMembers(body, text))
    },
  })
  return found
}

/** The types of a function's parameters: `(a: A, b: B)` → `["A", "B"]`. */
export const parameterTypes = ({ parameters = "" }: Member): string[] =>
  [...parameters.matchAll(/\w+\??\s*:\s*(\w+)/g)].map(([, type = ""]) => type)
