import { common, createLowlight } from "lowlight"
import type { ReactNode } from "react"

const lowlight = createLowlight(common)
lowlight.registerAlias({
  javascript: ["mjs", "cjs"],
  typescript: ["mts", "cts"],
  bash: ["console"],
})

const maxCharacters = 50_000
/** Colored pieces of a code; a browser takes about 100 ms to draw them. */
const maxSpans = 4000
/** Characters; some languages' rules take a time that is quadratic in these lengths. */
const maxLineLength = 2000
const maxWordsLength = 1000

const hasLongRun = (code: string): boolean =>
  code.split("\n").some(({ length }) => length > maxLineLength) ||
  code.split(/[^\w\s]/).some(({ length }) => length > maxWordsLength)

type Nodes = ReturnType<typeof lowlight.highlight>["children"]

const countSpans = (nodes: Nodes): number => {
  let count = 0
  for (const node of nodes) {
    if (node.type === "element") count += 1 + countSpans(node.children as Nodes)
  }
  return count
}

/** Renders a tree of text and spans, so the code is never parsed as HTML. */
const renderNodes = (nodes: Nodes): ReactNode =>
  nodes.map((node, index) => {
    if (node.type === "text") return node.value
    if (node.type !== "element") return null
    const names = node.properties.className
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the tree never changes
      <span key={index} className={Array.isArray(names) ? names.join(" ") : undefined}>
        {renderNodes(node.children as Nodes)}
      </span>
    )
  })

/** The highlighted code; unchanged if the language is unknown, or the code too long or colorful. */
export const highlightCode = (code: string, language: string): ReactNode => {
  if (code.length > maxCharacters || hasLongRun(code)) return code
  if (!lowlight.registered(language)) return code
  const { children } = lowlight.highlight(language, code)
  return countSpans(children) > maxSpans ? code : renderNodes(children)
}
