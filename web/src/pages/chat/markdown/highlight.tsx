import { common, createLowlight } from "lowlight"
import type { ReactNode } from "react"

const lowlight = createLowlight(common)
lowlight.registerAlias({
  javascript: ["mjs", "cjs"],
  typescript: ["mts", "cts"],
  bash: ["console"],
})

const longest = 100_000

type Nodes = ReturnType<typeof lowlight.highlight>["children"]

/** Renders a tree of text and spans, so the code is never parsed as HTML. */
const drawn = (nodes: Nodes): ReactNode =>
  nodes.map((node, index) => {
    if (node.type === "text") return node.value
    if (node.type !== "element") return null
    const names = node.properties.className
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the tree never changes
      <span key={index} className={Array.isArray(names) ? names.join(" ") : undefined}>
        {drawn(node.children as Nodes)}
      </span>
    )
  })

/** The highlighted code; unchanged if the language is unknown or the code too long. */
export const colour = (code: string, language: string): ReactNode => {
  if (code.length > longest || !lowlight.registered(language)) return code
  return drawn(lowlight.highlight(language, code).children)
}
