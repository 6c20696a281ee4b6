/** Of one citation such as "[1, 2]", in characters. */
const maxCitationLength = 160
/** Of an answer, what is looked at. */
const maxAnswerLength = 400_000

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

/** Lines from a fence to the next one of the same kind, or to the end. */
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

/** "3", "1, 2". */
const numbersIn = (list: string): number[] => {
  const parts = list.split(",").map((part) => part.trim())
  return parts.every((part) => /^\d{1,3}$/.test(part)) ? parts.map(Number) : []
}

/** The numbers that an answer in Markdown cites; those in code, or as the text of a link, do not count. */
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
