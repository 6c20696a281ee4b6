import { formatListNumber } from "../list-number-format.ts"
import { findChild, findChildren, type XmlElement } from "../ooxml/office-xml.ts"
import { walkSubtrees } from "../ooxml/xml-subtrees.ts"
import { isEnabled, type ResolvedStyle, readValue, type Styles } from "./styles.ts"

interface Level {
  format: string
  /** Such as `%1.%2`, where `%1` is the number of the outermost level. */
  template: string
  start: number
  /** The level restarts after one of the outermost n levels; undefined for any outer level. */
  restartsAfter: number | undefined
  /** Numbers of outer levels are shown as digits. */
  isLegal: boolean
  paragraphStyle: string | undefined
}

interface List {
  levels: Map<number, Level>
  /** A style whose list is used instead. */
  styleLink: string | undefined
  /** Current number of each level; undefined before its first. */
  counters: (number | undefined)[]
}

/** A use of a list, which can restart and redefine its levels. */
interface ListInstance {
  listId: string
  levels: Map<number, Level>
  starts: Map<number, number>
  /** Levels whose start applies to the next paragraph. */
  unusedStarts: Set<number>
}

/** What a paragraph, or its style, says about its number. */
export interface ParagraphNumbering {
  numberId: string | undefined
  level: number | undefined
  style: ResolvedStyle
}

const maxLevel = 8
const maxTemplateLength = 100
const maxStart = 1e9

const readLevel = (level: XmlElement): Level => {
  const format = findChild(level, "numFmt")?.attributes ?? {}
  const restart = readValue(level, "lvlRestart")
  return {
    format: format["w:format"]?.split(",", 1)[0] ?? format["w:val"] ?? "decimal",
    template: (readValue(level, "lvlText") ?? "").slice(0, maxTemplateLength),
    start: Math.min(Number(readValue(level, "start")) || 0, maxStart),
    restartsAfter: restart === undefined ? undefined : Number(restart),
    isLegal: isEnabled(level, "isLgl") ?? false,
    paragraphStyle: readValue(level, "pStyle"),
  }
}

const levelIndex = ({ attributes }: XmlElement): number => Number(attributes["w:ilvl"]) || 0

const readLevels = (parents: readonly XmlElement[]): Map<number, Level> =>
  new Map(
    parents
      .flatMap((parent) => findChildren(parent, "lvl"))
      .map((level) => [levelIndex(level), readLevel(level)]),
  )

const readInstance = (instance: XmlElement): ListInstance => {
  const overrides = findChildren(instance, "lvlOverride")
  const starts = overrides.flatMap((override): [number, number][] => {
    const start = readValue(override, "startOverride")
    return start === undefined ? [] : [[levelIndex(override), Number(start) || 0]]
  })
  return {
    listId: readValue(instance, "abstractNumId") ?? "",
    levels: readLevels(overrides),
    starts: new Map(starts),
    unusedStarts: new Set(starts.map(([level]) => level)),
  }
}

const definitionOf = (list: List, instance: ListInstance, level: number): Level | undefined =>
  instance.levels.get(level) ?? list.levels.get(level)

/** A list can name the style of each level; else the style says which level is its own. */
const levelOfStyle = (list: List, { lineage, numberLevel }: ResolvedStyle): number => {
  const levelByStyle = new Map(
    [...list.levels].map(([level, { paragraphStyle }]) => [paragraphStyle, level]),
  )
  const named = lineage.find((style) => levelByStyle.has(style))
  return (named === undefined ? undefined : levelByStyle.get(named)) ?? numberLevel ?? 0
}

/** Counts the automatic numbers of paragraphs in their order (ECMA-376 part 1, §17.9). */
export class ListNumbers {
  readonly #styles: Styles
  readonly #lists = new Map<string, List>()
  readonly #instances = new Map<string, ListInstance>()

  constructor(source: string, styles: Styles) {
    this.#styles = styles
    walkSubtrees(source, new Set(["abstractNum", "num"]), {
      subtree: (element) => {
        const { "w:abstractNumId": listId = "", "w:numId": id = "" } = element.attributes
        if (element.name === "num") this.#instances.set(id, readInstance(element))
        else {
          const styleLink = readValue(element, "numStyleLink")
          this.#lists.set(listId, { levels: readLevels([element]), styleLink, counters: [] })
        }
      },
    })
  }

  /**
   * Counts a paragraph.
   * @returns its number or bullet, such as `14.3`, `(a)` or `-`; empty if it has none
   */
  countParagraph({ numberId, level, style }: ParagraphNumbering): string {
    const id = numberId ?? style.numberId
    const instance = id === undefined || id === "0" ? undefined : this.#instances.get(id)
    const list = this.#listOf(instance)
    if (!instance || !list) return ""
    const at = this.#levelOf({ numberId, level, style }, list)
    const definition = definitionOf(list, instance, at)
    if (!definition) return ""
    if (definition.format === "bullet") return definition.template === "" ? "" : "-"
    this.#advance(list, instance, at)
    return this.#label(list, instance, definition)
  }

  /** The list of an instance, or of the style that it refers to. */
  #listOf(instance: ListInstance | undefined): List | undefined {
    const list = this.#lists.get(instance?.listId ?? "")
    if (list?.styleLink === undefined) return list
    const linked = this.#instances.get(this.#styles.resolve(list.styleLink).numberId ?? "")
    return this.#lists.get(linked?.listId ?? "") ?? list
  }

  #levelOf({ numberId, level, style }: ParagraphNumbering, list: List): number {
    const isOfStyle = numberId === undefined
    const own = level ?? (isOfStyle ? levelOfStyle(list, style) : 0)
    return Math.min(own, maxLevel)
  }

  #advance(list: List, instance: ListInstance, at: number): void {
    const { counters } = list
    const startOf = (level: number): number =>
      instance.starts.get(level) ?? definitionOf(list, instance, level)?.start ?? 1
    for (let outer = 0; outer < at; outer++) counters[outer] ??= startOf(outer)
    const current = counters[at]
    const isRestarted = instance.unusedStarts.delete(at)
    counters[at] = current === undefined || isRestarted ? startOf(at) : current + 1
    for (let inner = at + 1; inner <= maxLevel; inner++) {
      const restartsAfter = list.levels.get(inner)?.restartsAfter
      if (restartsAfter === undefined || at < restartsAfter) counters[inner] = undefined
    }
  }

  #label(list: List, instance: ListInstance, { template, isLegal }: Level): string {
    return template
      .replace(/%([1-9])/g, (_placeholder, position: string) => {
        const level = Number(position) - 1
        const format = definitionOf(list, instance, level)?.format ?? "decimal"
        const shown = isLegal && !/^(none|bullet)$/.test(format) ? "decimal" : format
        return formatListNumber(list.counters[level] ?? 0, shown)
      })
      .trim()
  }
}
