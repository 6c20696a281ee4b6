import {
  type Completion,
  CompletionContext,
  type CompletionResult,
  type CompletionSource,
  snippetCompletion,
} from "@codemirror/autocomplete"
import { localCompletionSource } from "@codemirror/lang-javascript"
import type { EditorState } from "@codemirror/state"
import { hoverTooltip } from "@codemirror/view"
import type { SyntaxNode } from "@lezer/common"
import { t } from "../../../i18n/translate.ts"
import type { Member } from "./declarations.ts"
import type { ModuleTypes } from "./module-types.ts"
import { parseUpTo } from "./parse-up-to.ts"
import { findTypeMembers, type InferenceSource, inferType } from "./type-inference.ts"

export const createInferenceSource = (state: EditorState, types: ModuleTypes): InferenceSource => ({
  ...types,
  text: ({ from, to }) => state.sliceDoc(from, to),
})

const signature = ({ name, parameters, type }: Member): string =>
  `${name}${parameters ?? ""}: ${type}`

const completionOf = (member: Member): Completion => ({
  label: member.name,
  type: member.parameters === undefined ? "property" : "method",
  detail: member.parameters === undefined ? member.type : `${member.parameters}`,
  info: [signature(member), member.documentation].filter(Boolean).join("\n\n"),
  ...(member.parameters !== undefined && { apply: `${member.name}(` }),
})

const snippets = (): readonly Completion[] => [
  snippetCompletion('export async function* reply({ messages }, context) {\n\tyield "#{}"\n}', {
    label: "reply",
    detail: t("editor.reply"),
    type: "function",
  }),
  snippetCompletion(
    "export async function before(request, context) {\n\t#{}\n\treturn request\n}",
    { label: "before", detail: t("editor.before"), type: "function" },
  ),
  snippetCompletion("export function chunk(delta, context) {\n\t#{}\n\treturn delta\n}", {
    label: "chunk",
    detail: t("editor.chunk"),
    type: "function",
  }),
  snippetCompletion("export async function after(reply, context) {\n\t#{}\n\treturn reply\n}", {
    label: "after",
    detail: t("editor.after"),
    type: "function",
  }),
]

/** `context.us|`: the expression before the dot, and the offset where the name starts. */
const memberAt = (node: SyntaxNode, position: number) => {
  const whole = node.name === "MemberExpression" ? node : node.parent
  if (whole?.name !== "MemberExpression") return undefined
  const before = whole.firstChild
  if (!before || before.to >= position) return undefined
  const name = whole.getChild("PropertyName")
  return { before, from: name ? name.from : position }
}

/** `{ mes| }` in the parameters: the enclosing destructuring pattern. */
const patternAt = (node: SyntaxNode): SyntaxNode | undefined => {
  for (let at: SyntaxNode | null = node; at; at = at.parent) {
    if (at.name === "ObjectPattern") return at
    if (at.name === "Block" || at.name === "ParamList") return undefined
  }
  return undefined
}

const optionsOf = (members: readonly Member[], from: number): CompletionResult | null =>
  members.length === 0 ? null : { from, options: members.map(completionOf), validFor: /^[\w$]*$/ }

const fromTypes = (types: ModuleTypes): CompletionSource => {
  const membersOf = (node: SyntaxNode, state: EditorState): readonly Member[] => {
    const type = inferType(node, createInferenceSource(state, types))
    return type ? findTypeMembers(type, types.declarations).members : []
  }
  return (context: CompletionContext): CompletionResult | null => {
    const { state, pos, explicit } = context
    const node = parseUpTo(state, pos).resolveInner(pos, -1)
    const member = memberAt(node, pos)
    if (member) return optionsOf(membersOf(member.before, state), member.from)
    const word = context.matchBefore(/[\w$]+/)
    const pattern = word || explicit ? patternAt(node) : undefined
    return pattern ? patternOptions(membersOf(pattern, state), word?.from ?? pos) : null
  }
}

const patternOptions = (members: readonly Member[], from: number): CompletionResult | null => {
  const found = optionsOf(members, from)
  return found && { ...found, options: found.options.map(({ apply: _, ...option }) => option) }
}

/** `localCompletionSource` reads the state's own tree, which an empty transaction updates. */
const fromScopes: CompletionSource = ({ state, pos, explicit, view }) => {
  parseUpTo(state, pos)
  return localCompletionSource(new CompletionContext(state.update({}).state, pos, explicit, view))
}

const topLevelSnippets = (context: CompletionContext): CompletionResult | null => {
  const word = context.matchBefore(/[\w$]+/)
  const { parent } = parseUpTo(context.state, context.pos).resolveInner(context.pos, -1)
  if (!word || (parent && !/^(Script|ExpressionStatement)$/.test(parent.name))) return null
  const line = context.state.doc.lineAt(context.pos)
  if (word.from !== line.from) return null
  return { from: word.from, options: snippets(), validFor: /^\w*$/ }
}

/** Completes members of known types, names declared in the module, and function templates. */
export const completions = (types: ModuleTypes): readonly CompletionSource[] => [
  fromTypes(types),
  fromScopes,
  topLevelSnippets,
]

/** Shows the signature and documentation of a member on hover. */
export const hoverDocumentation = (types: ModuleTypes) =>
  hoverTooltip(({ state }, position, side) => {
    const node = parseUpTo(state, state.doc.lineAt(position).to).resolveInner(position, side)
    if (node.name !== "PropertyName" || node.parent?.name !== "MemberExpression") return null
    const source = createInferenceSource(state, types)
    const before = node.parent.firstChild
    const type = before ? inferType(before, source) : undefined
    const name = source.text(node)
    const found =
      type &&
      findTypeMembers(type, types.declarations).members.find((member) => member.name === name)
    if (!found) return null
    return {
      pos: node.from,
      end: node.to,
      above: true,
      create: () => {
        const dom = document.createElement("div")
        dom.className = "cm-said"
        const code = document.createElement("code")
        code.textContent = signature(found)
        dom.append(code, found.documentation)
        return { dom }
      },
    }
  })
