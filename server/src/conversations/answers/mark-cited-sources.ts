import { citedNumbers } from "../../completions/sources/cited-numbers.ts"
import type { Message } from "../schema.ts"

/** Marks the sources that an answer cites, once it is finished. */
export const markCitedSources = ({
  sources,
  content,
  state,
}: Pick<Message, "sources" | "content" | "state">): Message["sources"] => {
  if (sources === null || state === "running") return sources
  const numbers = citedNumbers(content)
  return sources.map((source, at) => source && { ...source, cited: numbers.has(at + 1) })
}
