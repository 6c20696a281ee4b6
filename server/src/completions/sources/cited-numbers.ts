/** Maximum length of one citation such as "[1, 2]", in characters. */
const maxCitationLength = 160
/** How much of an answer is scanned, in characters. */
const maxAnswerLength = 400_000

/** Removes code spans. A span runs from a row of backticks to the next row of the same length. */
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

/** Removes fenced code blocks. An unclosed fence runs to the end of the text. */
const withoutCodeBlocks = (text: string): string => {
  let open: string | null = null
  const prose: string[] = []
  for (const line of text.split("\n")) {
    const [fence = null] = /^(```|~~~)/.exec(line) ?? []
    if (open === null && fence === null) prose.push(line)
    else if (open === null) open = fence
    else if (fence === open) open = null
  }
  return prose.join("\n")
}

/** Parses "3" or "1, 2"; returns an empty list for anything else. */
const numbersIn = (list: string): number[] => {
  const parts = list.split(",").map((part) => part.trim())
  return parts.every((part) => /^\d{1,3}$/.test(part)) ? parts.map(Number) : []
}

/**
 * The source numbers that a Markdown answer cites. Numbers in code and in link texts do not count.
 */
export const citedNumbers = (answer: string): ReadonlySet<number> => {
  const prose = withoutCodeSpans(withoutCodeBlocks(answer.slice(0, maxAnswerLength))).replaceAll(
    "\\[",
    "",
  )
  const numbers = new Set<number>()
  for (const piece of prose.split("[").slice(1)) {
    const end = piece.slice(0, maxCitationLength).indexOf("]")
    if (end < 0 || piece[end + 1] === "(") continue
    for (const number of numbersIn(piece.slice(0, end))) numbers.add(number)
  }
  return numbers
}
