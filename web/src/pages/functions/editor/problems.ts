import { type Diagnostic, linter, setDiagnostics } from "@codemirror/lint"
import type { EditorState, Extension } from "@codemirror/state"
import type { EditorView } from "@codemirror/view"
import type { SyntaxNode } from "@lezer/common"
import type { SourceProblem } from "../../../../../server/src/functions/schema.ts"
import { sourceIn } from "./complete.ts"
import { declaredBy, typeOf } from "./infer.ts"
import type { Known } from "./known.ts"
import { parseUpTo } from "./syntax.ts"

export interface Words {
  unknownMember: (name: string, type: string) => string
  syntax: string
}

const pauseMs = 500

/** The range from the position to the end of its word, within the line. */
const spanOf = (state: EditorState, { line, column }: SourceProblem) => {
  const at = state.doc.line(Math.min(Math.max(line ?? 1, 1), state.doc.lines))
  const from = Math.min(at.from + Math.max((column ?? 1) - 1, 0), at.to)
  const word = /^[\w$]+|^\S/.exec(state.sliceDoc(from, at.to))?.[0] ?? ""
  return { from, to: from + word.length }
}

const unknownMember = (node: SyntaxNode, state: EditorState, known: Known, words: Words) => {
  const named = node.getChild("PropertyName")
  const before = node.firstChild
  if (!named || !before) return undefined
  const source = sourceIn(state, known)
  const type = typeOf(before, source)
  const name = source.text(named)
  if (!type) return undefined
  const { members, open } = declaredBy(type, known.declarations)
  // Unknown and open types may have any member.
  if (open || members.some((member) => member.name === name)) return undefined
  const message = words.unknownMember(name, type)
  return { from: named.from, to: named.to, severity: "warning", message } satisfies Diagnostic
}

/** Finds members that do not exist on their type; runs locally. */
export const seen = (state: EditorState, known: Known, words: Words): Diagnostic[] => {
  const found: Diagnostic[] = []
  parseUpTo(state, state.doc.length).iterate({
    enter: ({ name, node }) => {
      if (name !== "MemberExpression") return
      const problem = unknownMember(node, state, known, words)
      if (problem) found.push(problem)
    },
  })
  return found
}

/** The first syntax error found by the editor's parser; used when the gateway is unreachable. */
const stumbles = (state: EditorState, words: Words): Diagnostic[] => {
  let first: Diagnostic | undefined
  parseUpTo(state, state.doc.length).iterate({
    enter: ({ type, from, to }) => {
      if (!type.isError || first) return
      first = { from, to: Math.max(to, from), severity: "error", message: words.syntax }
    },
  })
  return first ? [first] : []
}

export interface Checks {
  known: Known
  words: Words
  /** Checks the source with the gateway's parser; rejects if the gateway is unreachable. */
  check: (content: string) => Promise<readonly SourceProblem[]>
}

const errorsOf = (state: EditorState, problems: readonly SourceProblem[]): Diagnostic[] =>
  problems.map((problem) => ({
    ...spanOf(state, problem),
    severity: "error",
    message: problem.message,
  }))

/** Checks a module shortly after the last change. */
export const checking = ({ known, words, check }: Checks): Extension =>
  linter(
    async ({ state }: EditorView) => {
      const warnings = seen(state, known, words)
      const errors = await check(state.doc.toString()).then(
        (problems) => errorsOf(state, problems),
        () => stumbles(state, words),
      )
      return [...errors, ...warnings]
    },
    { delay: pauseMs },
  )

/** Shows problems found elsewhere, such as the line at which a run failed. */
export const mark = (view: EditorView, problems: readonly SourceProblem[]): void =>
  view.dispatch(setDiagnostics(view.state, errorsOf(view.state, problems)))
