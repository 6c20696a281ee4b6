import { findChild, type XmlElement } from "../ooxml/office-xml.ts"
import { walkSubtrees } from "../ooxml/xml-subtrees.ts"

/** A style's own properties; undefined ones are those of the style that it is based on. */
interface Style {
  name: string
  basedOn: string | undefined
  headingLevel: number | undefined
  numberId: string | undefined
  numberLevel: number | undefined
  isHidden: boolean | undefined
}

const maxInheritance = 50

export const readValue = (parent: XmlElement | undefined, name: string): string | undefined =>
  findChild(parent, name)?.attributes["w:val"]

/** @returns undefined if the property is absent */
export const isEnabled = (
  properties: XmlElement | undefined,
  name: string,
): boolean | undefined => {
  const property = findChild(properties, name)
  return property && !/^(0|false|off)$/.test(property.attributes["w:val"] ?? "")
}

/** Heading level, 1-based; 0 for body text, undefined if the properties do not say. */
export const readOutlineLevel = (properties: XmlElement | undefined): number | undefined => {
  const level = Number(readValue(properties, "outlineLvl") ?? Number.NaN)
  if (Number.isNaN(level)) return undefined
  return level < 9 ? level + 1 : 0
}

const levelOfName = (name: string): number | undefined => {
  if (/^title$/i.test(name)) return 1
  const [, level] = /^heading ?(\d)$/i.exec(name) ?? []
  return level ? Number(level) : undefined
}

const numberOf = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value) || 0

const readStyle = (style: XmlElement): Style => {
  const paragraph = findChild(style, "pPr")
  const numbering = findChild(paragraph, "numPr")
  const name = readValue(style, "name") ?? ""
  return {
    name,
    basedOn: readValue(style, "basedOn"),
    headingLevel: readOutlineLevel(paragraph) ?? levelOfName(name),
    numberId: readValue(numbering, "numId"),
    numberLevel: numberOf(readValue(numbering, "ilvl")),
    isHidden: isEnabled(findChild(style, "rPr"), "vanish"),
  }
}

/** A style with everything that it inherits. */
export interface ResolvedStyle {
  /** IDs of the style and of those that it is based on, itself first. */
  lineage: readonly string[]
  headingLevel: number
  numberId: string | undefined
  numberLevel: number | undefined
  isHidden: boolean
}

/** Styles of a document (ECMA-376 part 1, §17.7). */
export class Styles {
  readonly #styles = new Map<string, Style>()
  readonly #resolved = new Map<string, ResolvedStyle>()
  #defaultParagraphStyle = ""

  constructor(source: string) {
    walkSubtrees(source, new Set(["style"]), {
      subtree: (style) => {
        const { "w:styleId": id = "", "w:type": type, "w:default": isDefault } = style.attributes
        this.#styles.set(id, readStyle(style))
        if (type === "paragraph" && (isDefault === "1" || isDefault === "true")) {
          this.#defaultParagraphStyle = id
        }
      },
    })
  }

  /** @param id that of the default paragraph style if absent */
  resolve(id: string = this.#defaultParagraphStyle): ResolvedStyle {
    const known = this.#resolved.get(id)
    if (known) return known
    const resolved = this.#resolve(id)
    this.#resolved.set(id, resolved)
    return resolved
  }

  #resolve(id: string): ResolvedStyle {
    const lineage: string[] = []
    const chain: Style[] = []
    let next: string | undefined = id
    while (next !== undefined && chain.length < maxInheritance) {
      const style = this.#styles.get(next)
      lineage.push(next)
      if (style) chain.push(style)
      next = style?.basedOn
    }
    const inherit = <Key extends keyof Style>(key: Key): Style[Key] | undefined =>
      chain.find((style) => style[key] !== undefined)?.[key]
    return {
      lineage,
      headingLevel: inherit("headingLevel") ?? (chain.length === 0 ? levelOfName(id) : 0) ?? 0,
      numberId: inherit("numberId"),
      numberLevel: inherit("numberLevel"),
      isHidden: inherit("isHidden") ?? false,
    }
  }
}
