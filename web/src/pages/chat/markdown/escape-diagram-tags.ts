/** A stereotype, such as `Shape : <<interface>>`, before which there is no label. */
const stereotype = /^[\w \t.:~]*<<[\w-]+>>/
/** Line breaks, and arrows and shapes: `<--`, `<<->>`, `<|..`, `<==`, `<- is -`, `id<["label"]>`. */
const syntaxOrLess = /(<br\s{0,9}\/?>|<<?(?=[-=.|[]))|</gi

const escapeLine = (line: string): string => {
  const kept = stereotype.exec(line)?.[0] ?? ""
  const rest = line.slice(kept.length)
  return kept + rest.replace(syntaxOrLess, (_, syntax: string | undefined) => syntax ?? "#lt;")
}

/**
 * Escapes every "<" of a diagram that is not Mermaid's own syntax: Mermaid inserts labels into the
 * page as HTML to measure them.
 */
export const escapeDiagramTags = (source: string): string =>
  source.split("\n").map(escapeLine).join("\n")
