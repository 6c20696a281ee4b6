import type { Block } from "../blocks.ts"
import { HeadingTracker } from "../heading-tracker.ts"
import { walkXml } from "../markup.ts"
import { readMarkdown } from "./markdown.ts"
import { readCode, readPlainText } from "./plain-text.ts"

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const maxRecordLength = 4000

const formatValue = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 1)

const formatRecord = (value: unknown): string => {
  if (!isObject(value)) return formatValue(value)
  const fields = Object.entries(value).map(
    ([key, inner]) => `${key}: ${typeof inner === "string" ? inner : JSON.stringify(inner)}`,
  )
  return fields.join("\n")
}

const blocksOf = (value: unknown, heading: string[]): Block[] => {
  const location = heading.length > 0 ? { heading } : {}
  if (Array.isArray(value)) {
    return value.map((item, index) => ({
      text: formatRecord(item),
      kind: "paragraph",
      location: { ...location, row: index + 1 },
    }))
  }
  if (!isObject(value) || formatValue(value).length < maxRecordLength || heading.length > 5) {
    return [{ text: formatRecord(value), kind: "paragraph", location }]
  }
  return Object.entries(value).flatMap(([key, inner]): Block[] => [
    { text: key, kind: "heading", location: { heading: [...heading, key] } },
    ...blocksOf(inner, [...heading, key]),
  ])
}

const tryParse = (text: string): { value: unknown } | null => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

/** JSON, one block per record; invalid JSON is read as code. */
export const readJson = (text: string): Block[] => {
  const whole = tryParse(text)
  return whole ? blocksOf(whole.value, []) : readCode(text)
}

/** JSON Lines: one record per line. */
export const readJsonLines = (text: string): Block[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line, index) => {
      const one = tryParse(line)
      return {
        text: one ? formatRecord(one.value) : line,
        kind: "paragraph",
        location: { row: index + 1 },
      }
    })

const sourceOf = (source: unknown): string =>
  Array.isArray(source) ? source.join("") : String(source ?? "")

const outputOf = (output: unknown): string => {
  if (!isObject(output)) return ""
  const data = isObject(output.data) ? output.data["text/plain"] : undefined
  return sourceOf(output.text ?? data)
}

/** A Jupyter notebook: text, code and text output (nbformat 4). */
export const readNotebook = (text: string): Block[] => {
  const value = tryParse(text)?.value
  const cells = isObject(value) && Array.isArray(value.cells) ? value.cells : null
  if (!cells) return readJson(text)
  return cells.filter(isObject).flatMap((cell): Block[] => {
    const source = sourceOf(cell.source)
    if (cell.cell_type === "markdown") return readMarkdown(source)
    if (cell.cell_type !== "code") return readPlainText(source)
    const outputs = Array.isArray(cell.outputs) ? cell.outputs.map(outputOf) : []
    return [source, ...outputs].map((piece) => ({ text: piece, kind: "code", location: {} }))
  })
}

/** The text of XML elements, with their path as headings. */
export const readXml = (text: string): Block[] => {
  const blocks: Block[] = []
  const headings = new HeadingTracker()
  const names: string[] = []
  let buffered = ""
  const flush = (): void => {
    const own = buffered.replace(/\s+/g, " ").trim()
    buffered = ""
    if (own !== "") blocks.push({ text: own, kind: "row", location: headings.path() })
  }
  walkXml(text, {
    open: (name, attributes) => {
      flush()
      names.push(name)
      if (names.length <= 2) headings.enter(names.length, name)
      const values = Object.entries(attributes).filter(([key]) => !key.startsWith("xmlns"))
      if (values.length > 0) buffered = values.map(([key, value]) => `${key}: ${value}`).join(" | ")
      if (buffered) flush()
    },
    close: () => {
      flush()
      names.pop()
    },
    text: (piece) => {
      buffered += piece
    },
  })
  return blocks
}
