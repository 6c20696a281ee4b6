/** Characters after which a text is cut at the next empty line. */
const sectionLength = 10_000
/** Characters after which it is cut at the next line. */
const maxSectionLength = 20_000

const codeMark = /^ {0,3}(`{3,}|~{3,})/

/** The mark of the fenced code that is open after a line. */
const nextOpenMark = (line: string, open: string | null): string | null => {
  const mark = codeMark.exec(line)?.[1]
  if (mark === undefined) return open
  if (open === null) return mark
  return mark.startsWith(open) && line.trim() === mark ? null : open
}

/** Whether a line belongs to the list, code, or quote before an empty line. */
const continues = (line: string): boolean => /^(?:[ \t>*+-]|\d+[.)])/.test(line)

const isCut = (length: number, line: string, next: string): boolean =>
  length >= maxSectionLength || (length >= sectionLength && line.trim() === "" && !continues(next))

/**
 * Cuts a long text between blocks: some of marked's rules read from each block to the end, which
 * takes a time that is quadratic in the length. Fenced code stays in one piece.
 */
export const splitLongMarkdown = (text: string): readonly string[] => {
  if (text.length <= sectionLength) return [text]
  const sections: string[] = []
  let start = 0
  let end = 0
  let openMark: string | null = null
  const lines = text.split("\n")
  for (const [index, line] of lines.entries()) {
    end += line.length + 1
    openMark = nextOpenMark(line, openMark)
    if (openMark !== null || !isCut(end - start, line, lines[index + 1] ?? "")) continue
    sections.push(text.slice(start, end))
    start = end
  }
  return start < text.length ? [...sections, text.slice(start)] : sections
}
