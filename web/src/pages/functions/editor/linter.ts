import { type Diagnostic, linter, setDiagnostics } from "@codemirror/lint"
import type { EditorState, Extension } from "@codemirror/state"
import type { EditorView } from "@codemirror/view"
import type { SyntaxNode } from "@lezer/common"
import type { SourceProblem } from "../../../../../server/src/functions/schema.ts"
import { t } from "../../../i18n/translate.ts"
import { createInferenceSource } from "./completions.ts"
import type { ModuleTypes } from "./module-types.ts"
import { parseUpTo } from "./parse-up-to.ts"
import { findTypeMembers, inferType } from "./type-inference.ts"

const lintDelayMs = 500

/** The range from the position to the end of its word, within the line. */
const spanOf = (state: EditorState, { line, column }: SourceProblem) => {
  const at = state.doc.line(Math.min(Math.max(line ?? 1, 1), state.doc.lines))
  const from = Math.min(at.from + Math.max((column ?? 1) - 1, 0), at.to)
  const word = /^[\w$]+|^\S/.exec(state.sliceDoc(from, at.to))?.[0] ?? ""
  return { from, to: from + word.length }
}

const unknownMember = (node: SyntaxNode, state: EditorState, types: ModuleTypes) => {
  const named = node.getChild("PropertyName")
  const before = node.firstChild
  if (!named || !before) return undefined
  const source = createInferenceSource(state, types)
  const type = inferType(before, source)
  const name = source.text(named)
  if (!type) return undefined
  const { members, open } = findTypeMembers(type, types.declarations)
  // Unknown and open types may have any member.
  if (open || members.some((member) => member.name === name)) return undefined
  const message = t("functions.unknownMember", { name, type })
  return { from: named.from, to: named.to, severity: "warning", message } satisfies Diagnostic
}

/** Finds members that do not exist on their type; runs locally. */
export const findUnknownMembers = (state: EditorState, types: ModuleTypes): Diagnostic[] => {
  const found: Diagnostic[] = []
  parseUpTo(state, state.doc.length).iterate({
    enter: ({ name, node }) => {
      if (name !== "MemberExpression") return
      const problem = unknownMember(node, state, types)
      if (problem) found.push(problem)
    },
  })
  return found
}

/** The first syntax error found by the editor's parser; used when the gateway is unreachable. */
const findSyntaxError = (state: EditorState): Diagnostic[] => {
  let first: Diagnostic | undefined
  parseUpTo(state, state.doc.length).iterate({
    enter: ({ type, from, to }) => {
      if (!type.isError || first) return
      first = { from, to: Math.max(to, from), severity: "error", message: t("functions.syntax") }
    },
  })
  return first ? [first] : []
}

export interface LintOptions {
  known: ModuleTypes
  /** Checks the source with the gateway's parser; rejects if the gateway is unreachable. */
  check: (content: string) => Promise<readonly SourceProblem[]>
}

const toDiagnostics = (state: EditorState, problems: readonly SourceProblem[]): Diagnostic[] =>
  problems.map((problem) => ({
    ...spanOf(state, problem),
    severity: "error",
    message: problem.message,
  }))

/** Checks a module shortly after the last change. */
export const createLinter = ({ known, check }: LintOptions): Extension =>
  linter(
    async ({ state }: EditorView) => {
      const warnings = findUnknownMembers(state, known)
      const errors = await check(state.doc.toString()).then(
        (problems) => toDiagnostics(state, problems),
        () => findSyntaxError(state),
      )
      return [...errors, ...warnings]
    },
    { delay: lintDelayMs },
  )

/** Shows problems found elsewhere, such as the line at which a run failed. */
export const showProblems = (view: EditorView, problems: readonly SourceProblem[]): void =>
  view.dispatch(setDiagnostics(view.state, toDiagnostics(view.state, problems)))
