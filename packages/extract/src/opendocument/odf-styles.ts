/** How a level of a list or outline is numbered; `format` is empty for levels without numbers. */
export interface ListLevel {
  format: string
  prefix: string
  suffix: string
  /** Number of levels shown, this one and outer ones. */
  displayedLevels: number
  start: number
  isBullet: boolean
}

export type ListStyle = ReadonlyMap<number, ListLevel>

const outlineStyle = "outline"
const maxInheritance = 50

/** Names of number formats in WordprocessingML; others are examples such as `01, 02`. */
const formatNames = new Map(
  Object.entries<string>({
    a: "lowerLetter",
    A: "upperLetter",
    i: "lowerRoman",
    I: "upperRoman",
    "1": "decimal",
    "1st": "ordinal",
    一: "chineseCounting",
  }),
)

const readLevel = (name: string, attributes: Record<string, string>): ListLevel => {
  const format = attributes["style:num-format"]?.split(",", 1)[0]?.trim() ?? ""
  return {
    format: formatNames.get(format) ?? format,
    prefix: (attributes["style:num-prefix"] ?? "").slice(0, 100),
    suffix: (attributes["style:num-suffix"] ?? "").slice(0, 100),
    displayedLevels: Number(attributes["text:display-levels"]) || 1,
    start: Number(attributes["text:start-value"] ?? 1) || 0,
    isBullet: name !== "text:list-level-style-number" && name !== "text:outline-level-style",
  }
}

/** Their properties belong to no style of a paragraph or cell. */
const otherStyles = new Set(["style:default-style", "text:list-style", "text:outline-style"])

const styleKey = (family: string, name: string): string => `${family} ${name}`

const isEmphasis = (name: string, attributes: Record<string, string>): boolean => {
  if (name === "style:text-properties")
    return /^(bold|[6-9]00)$/.test(attributes["fo:font-weight"] ?? "")
  const background = attributes["fo:background-color"] ?? "transparent"
  return name === "style:table-cell-properties" && !/^(transparent|#f{6})$/i.test(background)
}

/** Styles that decide what is shown (OpenDocument 1.3 part 3, §16). */
export class OdfStyles {
  readonly #lists = new Map<string, Map<number, ListLevel>>()
  readonly #paragraphs = new Map<string, { parent: string | undefined; list: string | undefined }>()
  /** Styles of texts, sections and sheets that are hidden. */
  readonly #hidden = new Set<string>()
  /** Parents of styles, and styles that are bold or on a colored background, by `styleKey`. */
  readonly #parents = new Map<string, string>()
  readonly #emphasized = new Set<string>()
  #key = ""
  #list: Map<number, ListLevel> | null = null
  #style = ""

  /** Reads an element outside of the document's body. */
  open(name: string, attributes: Record<string, string>): void {
    const styleName = attributes["style:name"] ?? ""
    if (name === "style:style") this.#openStyle(styleName, attributes)
    else if (otherStyles.has(name)) this.#key = ""
    if (name === "text:list-style") this.#openList(styleName)
    if (name === "text:outline-style") {
      this.#openList(outlineStyle)
      // Some programs refer to it as the style of a list.
      if (this.#list) this.#lists.set(styleName, this.#list)
    }
    if (attributes["text:level"] !== undefined && name.includes("level-style")) {
      this.#list?.set(Number(attributes["text:level"]), readLevel(name, attributes))
    }
    if (name.endsWith("-properties")) this.#addProperties(name, attributes)
  }

  #addProperties(name: string, attributes: Record<string, string>): void {
    const isHidden =
      attributes["text:display"] === "none" || attributes["table:display"] === "false"
    if (isHidden) this.#hidden.add(this.#style)
    if (this.#key !== "" && isEmphasis(name, attributes)) this.#emphasized.add(this.#key)
  }

  #openStyle(name: string, attributes: Record<string, string>): void {
    this.#style = name
    const family = attributes["style:family"] ?? ""
    this.#key = styleKey(family, name)
    const parent = attributes["style:parent-style-name"]
    if (parent) this.#parents.set(this.#key, styleKey(family, parent))
    if (attributes["style:family"] !== "paragraph") return
    this.#paragraphs.set(name, {
      parent: attributes["style:parent-style-name"],
      list: attributes["style:list-style-name"],
    })
  }

  #openList(name: string): void {
    this.#list = new Map()
    this.#lists.set(name, this.#list)
  }

  isHidden(style: string | undefined): boolean {
    return style !== undefined && this.#hidden.has(style)
  }

  /** Whether a style of paragraphs or cells looks like that of a header. */
  isEmphasized(family: "paragraph" | "table-cell", style: string | undefined): boolean {
    let key = style === undefined ? undefined : styleKey(family, style)
    for (let depth = 0; key !== undefined && depth < maxInheritance; depth++) {
      if (this.#emphasized.has(key)) return true
      key = this.#parents.get(key)
    }
    return false
  }

  list(name: string | undefined): ListStyle | undefined {
    return name === undefined ? undefined : this.#lists.get(name)
  }

  /** Style of the numbers of headings. */
  get outline(): ListStyle | undefined {
    return this.#lists.get(outlineStyle)
  }

  /** @returns the name of a paragraph style's list style; empty if it has no list by intention */
  listOfParagraph(style: string | undefined): string | undefined {
    let next = style
    for (let depth = 0; next !== undefined && depth < maxInheritance; depth++) {
      const paragraph: { parent: string | undefined; list: string | undefined } | undefined =
        this.#paragraphs.get(next)
      if (paragraph?.list !== undefined) return paragraph.list
      next = paragraph?.parent
    }
    return undefined
  }
}
