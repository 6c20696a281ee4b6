/** "[3]", "[1, 2]"; not the text of a link. */
const citation = /\[(\d{1,3}(?: ?, ?\d{1,3}){0,39})\](?!\()/g

/** A code span goes from some backticks to the next that are as many. */
const withoutCodeSpans = (text: string): string => {
  const runs = [...text.matchAll(/`+/g)]
  const closing = new Map<number, number>()
  const nextOf = runs.map(() => -1)
  for (const [at, [backticks]] of [...runs.entries()].reverse()) {
    nextOf[at] = closing.get(backticks.length) ?? -1
    closing.set(backticks.length, at)
  }
  let prose = ""
  let from = 0
  for (let at = 0; at < runs.length; at++) {
    const opened = runs[at]
    const closed = runs[nextOf[at] ?? -1]
    if (!opened || !closed) continue
    prose += text.slice(from, opened.index)
    from = closed.index + closed[0].length
    at = nextOf[at] ?? at
  }
  return prose + text.slice(from)
}

const withoutCodeBlocks = (text: string): string =>
  text.replace(/^(`{3,}|~{3,})[\s\S]*?(?:^\1|$(?![\s\S]))/gm, "")

/** The numbers that an answer in Markdown cites; those in code do not count. */
export const citedNumbers = (answer: string): ReadonlySet<number> => {
  const prose = withoutCodeSpans(withoutCodeBlocks(answer)).replace(/\\\[/g, "")
  const numbers = new Set<number>()
  for (const [, list = ""] of prose.matchAll(citation)) {
    for (const number of list.split(",")) numbers.add(Number(number))
  }
  return numbers
}
