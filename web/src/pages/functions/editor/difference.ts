import { javascript } from "@codemirror/lang-javascript"
import { unifiedMergeView } from "@codemirror/merge"
import { EditorState } from "@codemirror/state"
import { EditorView, lineNumbers } from "@codemirror/view"
import { look } from "./look.ts"

interface DifferenceDeps {
  parent: HTMLElement
  before: string
  after: string
  label: string
}

/** Shows deletions and insertions in one column; long unchanged stretches are collapsed. */
export const createDifference = ({ parent, before, after, label }: DifferenceDeps): EditorView =>
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
        look,
      ],
    }),
  })
