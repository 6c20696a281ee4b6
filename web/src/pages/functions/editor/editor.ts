import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { javascript } from "@codemirror/lang-javascript"
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language"
import { lintGutter, lintKeymap } from "@codemirror/lint"
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search"
import { EditorState, type Extension } from "@codemirror/state"
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view"
import { completions, hoverDocumentation } from "./completions.ts"
import { editorTheme } from "./editor-theme.ts"
import { createLinter, type LintOptions } from "./linter.ts"
import { type ModuleTypes, readModuleTypes } from "./module-types.ts"

export interface EditorOptions extends Omit<LintOptions, "known"> {
  parent: HTMLElement
  content: string
  /** Accessible name, and the ID of the hint on how to leave the editor with Tab. */
  label: string
  hint: string
  /** The text of `portico.d.ts`. */
  declarations: string
  onContent: (content: string) => void
}

const extensions = (deps: EditorOptions, types: ModuleTypes): Extension[] => [
  lineNumbers(),
  lintGutter(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  indentUnit.of("  "),
  EditorState.tabSize.of(2),
  bracketMatching(),
  closeBrackets(),
  highlightSelectionMatches(),
  javascript({ typescript: true }),
  autocompletion({ override: [...completions(types)], icons: false }),
  hoverDocumentation(types),
  createLinter({ ...deps, known: types }),
  // CodeMirror itself makes Tab leave the editor after Escape.
  keymap.of([
    { key: "Tab", run: acceptCompletion },
    ...closeBracketsKeymap,
    // The page uses ⌘Enter to run the function.
    ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
    ...searchKeymap,
    ...historyKeymap,
    ...completionKeymap,
    ...lintKeymap,
    indentWithTab,
  ]),
  EditorView.contentAttributes.of({
    // Already focusable, but axe requires an explicit tabindex inside a scrollable area.
    tabindex: "0",
    "aria-label": deps.label,
    "aria-describedby": deps.hint,
  }),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) deps.onContent(state.doc.toString())
  }),
  editorTheme,
]

export const createEditor = (deps: EditorOptions): EditorView => {
  const types = readModuleTypes(deps.declarations)
  return new EditorView({
    parent: deps.parent,
    state: EditorState.create({ doc: deps.content, extensions: extensions(deps, types) }),
  })
}

/** Replaces the content as a single undoable step. */
export const replaceContent = (view: EditorView, content: string): void => {
  if (view.state.doc.toString() === content) return
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: content } })
}

/** Moves the cursor to a position and scrolls it into view. */
export const goTo = (view: EditorView, line: number, column: number): void => {
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
  const anchor = Math.min(at.from + Math.max(column - 1, 0), at.to)
  view.dispatch({ selection: { anchor }, scrollIntoView: true })
  view.focus()
}
