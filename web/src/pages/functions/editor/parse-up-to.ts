import { ensureSyntaxTree, syntaxTree } from "@codemirror/language"
import type { EditorState } from "@codemirror/state"
import type { Tree } from "@lezer/common"

const parseTimeoutMs = 500

/** The syntax tree, complete up to `position`; by default, CodeMirror stops parsing after 20 ms. */
export const parseUpTo = (state: EditorState, position: number): Tree =>
  ensureSyntaxTree(state, position, parseTimeoutMs) ?? syntaxTree(state)
