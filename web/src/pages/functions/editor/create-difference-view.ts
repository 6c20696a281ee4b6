import { javascript } from "@codemirror/lang-javascript"
import { unifiedMergeView } from "@codemirror/merge"
import { EditorState } from "@codemirror/state"
import { EditorView, lineNumbers } from "@codemirror/view"
import { editorTheme } from "./editor-theme.ts"

interface DifferenceOptions {
  parent: HTMLElement
  before: string
  after: string
  label: string
}

/** Shows deletions and insertions in one column; long unchanged stretches are collapsed. */
export const createDifferenceView = ({
  parent,
  before,
  after,
  label,
}: DifferenceOptions): EditorView =>
  new EditorView({
    parent,
    state: EditorState.create({
      doc: after,
      extensions: [
        lineNumbers(),
        javascript({ typescript: true }),
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label }),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          collapseUnchanged: { margin: 3, minSize: 6 },
        }),
        editorTheme,
      ],
    }),
  })
