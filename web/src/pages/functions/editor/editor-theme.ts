import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import type { Extension } from "@codemirror/state"
import { EditorView } from "@codemirror/view"
import { tags } from "@lezer/highlight"

/** Uses the page's CSS variables, so that the editor follows its light and dark themes. */
const baseTheme = EditorView.theme({
  "&": {
    color: "var(--color-text)",
    backgroundColor: "var(--color-bg)",
    fontSize: "0.8125rem",
    height: "100%",
  },
  "&:focus-within": { outline: "2px solid var(--color-accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.25rem" },
  ".cm-content": { caretColor: "var(--color-text)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--color-text)", borderLeftWidth: "2px" },
  ".cm-gutters": {
    backgroundColor: "var(--color-surface)",
    color: "var(--color-muted)",
    borderRight: "1px solid var(--color-line)",
  },
  ".cm-activeLine": {
    backgroundColor: "color-mix(in srgb, var(--color-accent-soft) 35%, transparent)",
  },
  ".cm-activeLineGutter": { backgroundColor: "var(--color-hover)", color: "var(--color-text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--color-accent) 28%, transparent)",
  },
  ".cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--color-accent) 20%, transparent)",
  },
  // The page's ::selection would cover the selection that the editor draws.
  ".cm-line::selection, .cm-line ::selection": {
    backgroundColor: "transparent",
    color: "inherit",
  },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--color-accent-soft)",
    outline: "1px solid var(--color-accent)",
  },
  ".cm-panels": { backgroundColor: "var(--color-surface)", color: "var(--color-text)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--color-line)" },
  ".cm-textfield": {
    backgroundColor: "var(--color-bg)",
    border: "1px solid var(--color-line-strong)",
    borderRadius: "6px",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--color-bg)",
    border: "1px solid var(--color-line-strong)",
    borderRadius: "6px",
  },
  ".cm-searchMatch": {
    backgroundColor: "var(--color-warn-soft)",
    outline: "1px solid var(--color-warn)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--color-raised)",
    border: "1px solid var(--color-line)",
    borderRadius: "8px",
    boxShadow: "0 8px 24px rgb(0 0 0 / 0.16)",
  },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", maxHeight: "16rem" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--color-accent)",
    color: "var(--color-on-accent)",
  },
  ".cm-completionDetail": { color: "var(--color-muted)", fontStyle: "normal" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionInfo": { maxWidth: "20rem", whiteSpace: "pre-wrap", padding: "6px 10px" },
  ".cm-said": { maxWidth: "28rem", padding: "6px 10px", fontSize: "0.75rem" },
  ".cm-said code": { display: "block", fontFamily: "var(--font-mono)", whiteSpace: "pre-wrap" },
  ".cm-diagnostic": { fontFamily: "var(--font-sans)", fontSize: "0.8125rem" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--color-danger)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--color-warn)" },
  ".cm-changedLine": { backgroundColor: "var(--color-ok-soft)" },
  ".cm-changedText": {
    background: "color-mix(in srgb, var(--color-ok) 25%, transparent)",
    borderRadius: "3px",
  },
  ".cm-deletedChunk": { backgroundColor: "var(--color-danger-soft)", paddingLeft: "6px" },
  ".cm-deletedChunk .cm-deletedText": {
    background: "color-mix(in srgb, var(--color-danger) 22%, transparent)",
    borderRadius: "3px",
  },
  ".cm-deletedLine del": { textDecoration: "none" },
  ".cm-changeGutter": { width: "3px", paddingLeft: "0" },
  ".cm-changedLineGutter": { backgroundColor: "var(--color-ok)" },
  ".cm-deletedLineGutter": { backgroundColor: "var(--color-danger)" },
  ".cm-collapsedLines": {
    background: "var(--color-surface)",
    color: "var(--color-muted)",
    padding: "4px 8px",
  },
})

/** The same colors as code in answers; contrast >= 4.5:1 on every line background. */
const highlightStyle = HighlightStyle.define([
  { tag: [tags.comment, tags.meta], color: "var(--color-muted)" },
  {
    tag: [tags.keyword, tags.bool, tags.null, tags.self, tags.typeName, tags.modifier],
    color: "light-dark(#8a2f6f, #e3a0cf)",
  },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: "var(--color-ok)" },
  { tag: [tags.number, tags.propertyName], color: "light-dark(#7d5200, #e6b95c)" },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.className],
    color: "light-dark(#1f5fa8, #8bbcf0)",
  },
  { tag: tags.invalid, color: "var(--color-danger)" },
])

export const editorTheme: Extension = [baseTheme, syntaxHighlighting(highlightStyle)]
