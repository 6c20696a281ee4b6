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

/** A tree of text and spans: what the code holds never becomes markup. */
const drawn = (nodes: Nodes): ReactNode =>
  nodes.map((node, index) => {
    if (node.type === "text") return node.value
    if (node.type !== "element") return null
    const names = node.properties.className
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the tree is drawn once
      <span key={index} className={Array.isArray(names) ? names.join(" ") : undefined}>
        {drawn(node.children as Nodes)}
      </span>
    )
  })

/** The code with its parts coloured; as it is in a language that is not known. */
export const colour = (code: string, language: string): ReactNode => {
  if (code.length > longest || !lowlight.registered(language)) return code
  return drawn(lowlight.highlight(language, code).children)
}
