import { formatListNumber } from "../list-number-format.ts"
import type { ListStyle } from "./odf-styles.ts"

/** Current number of each level, by its 1-based level. */
type Counters = Map<number, number>

const countLevel = (
  counters: Counters,
  style: ListStyle,
  { level, start }: { level: number; start: number | undefined },
): void => {
  const startOf = (at: number): number => style.get(at)?.start ?? 1
  for (let outer = 1; outer < level; outer++) {
    if (!counters.has(outer)) counters.set(outer, startOf(outer))
  }
  const current = counters.get(level)
  counters.set(level, start ?? (current === undefined ? startOf(level) : current + 1))
  for (const inner of counters.keys()) if (inner > level) counters.delete(inner)
}

const labelOf = (counters: Counters, style: ListStyle, level: number): string => {
  const { format, prefix, suffix, displayedLevels, isBullet } = style.get(level) ?? {
    format: "",
    prefix: "",
    suffix: "",
    displayedLevels: 1,
    isBullet: false,
  }
  if (isBullet) return "-"
  if (format === "") return ""
  const numbers: string[] = []
  for (let shown = Math.max(1, level - displayedLevels + 1); shown <= level; shown++) {
    const shownFormat = style.get(shown)?.format ?? ""
    if (shownFormat !== "") numbers.push(formatListNumber(counters.get(shown) ?? 1, shownFormat))
  }
  return `${prefix}${numbers.join(".")}${suffix}`.trim()
}

/** A list in the text; lists in its items are levels of it. */
interface List {
  id: string | undefined
  styleName: string | undefined
  counters: Counters
}

interface ListItem {
  /** Number of its first paragraph, if the document sets it. */
  start: number | undefined
  isCounted: boolean
}

const maxLevel = 10

/** Counts list items and headings in their order (OpenDocument 1.3 part 3, §5.3). */
export class ListCounters {
  readonly #lists: List[] = []
  readonly #items: ListItem[] = []
  readonly #countersById = new Map<string, Counters>()
  readonly #countersByStyle = new Map<string, Counters>()
  readonly #outline: Counters = new Map()

  openList(attributes: Record<string, string>): void {
    const outer = this.#lists.at(-1)
    const styleName = attributes["text:style-name"] ?? outer?.styleName
    const continued = attributes["text:continue-list"]
    const counters =
      outer?.counters ??
      this.#countersById.get(continued ?? "") ??
      (attributes["text:continue-numbering"] === "true"
        ? this.#countersByStyle.get(styleName ?? "")
        : undefined) ??
      new Map()
    this.#lists.push({ id: attributes["xml:id"], styleName, counters })
  }

  closeList(): void {
    const list = this.#lists.pop()
    if (!list || this.#lists.length > 0) return
    if (list.id !== undefined) this.#countersById.set(list.id, list.counters)
    if (list.styleName !== undefined) this.#countersByStyle.set(list.styleName, list.counters)
  }

  openItem(name: string, attributes: Record<string, string>): void {
    const start = attributes["text:start-value"]
    this.#items.push({
      start: start === undefined ? undefined : Number(start) || 0,
      isCounted: name === "text:list-header",
    })
  }

  closeItem(): void {
    this.#items.pop()
  }

  /** Level of the list around the current paragraph, 1-based; 0 outside of lists. */
  get level(): number {
    return Math.min(this.#lists.length, maxLevel)
  }

  /**
   * Counts the first paragraph of a list item.
   * @param findStyle returns the style of a list, by its name if it has one
   * @returns its number, or `-` for a bullet; empty for other paragraphs
   */
  countParagraph(findStyle: (name: string | undefined) => ListStyle | undefined): string {
    const list = this.#lists.at(-1)
    const item = this.#items.at(-1)
    const style = findStyle(list?.styleName)
    if (!list || !item || item.isCounted || !style) return ""
    item.isCounted = true
    countLevel(list.counters, style, { level: this.level, start: item.start })
    return labelOf(list.counters, style, this.level)
  }

  /** Counts a heading outside of lists. @returns its number; empty if headings have none */
  countHeading(style: ListStyle, attributes: Record<string, string>): string {
    const level = Math.min(Number(attributes["text:outline-level"]) || 1, maxLevel)
    const isRestarted = attributes["text:restart-numbering"] === "true"
    const start = isRestarted ? Number(attributes["text:start-value"] ?? 1) || 0 : undefined
    countLevel(this.#outline, style, { level, start })
    return labelOf(this.#outline, style, level)
  }
}
