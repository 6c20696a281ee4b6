/** Ends of what Mermaid draws one by one: lines, statements, items of lists, and arrows. */
const ends = /[\n;,&]|--|==|-\.|->/g
const maxParts = 300

/** Whether Mermaid would draw a diagram within about a second, in which the page does not respond. */
export const isDrawnInTime = (source: string): boolean =>
  (source.match(ends)?.length ?? 0) <= maxParts
