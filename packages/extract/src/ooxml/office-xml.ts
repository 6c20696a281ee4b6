import { walkXml } from "../markup.ts"

/** An element of a part; `name` is without its namespace prefix, which producers choose freely. */
export interface XmlElement {
  name: string
  attributes: Readonly<Record<string, string>>
  children: XmlElement[]
  /** The text directly in it. */
  text: string
}

/** The name of an element without its namespace prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(":") + 1)

/** Boolean attributes (xsd:boolean). */
export const isTrue = (value: string | undefined): boolean => value === "1" || value === "true"
export const isFalse = (value: string | undefined): boolean => value === "0" || value === "false"

export const findChild = (parent: XmlElement | undefined, name: string): XmlElement | undefined =>
  parent?.children.find((child) => child.name === name)

export const findChildren = (parent: XmlElement | undefined, name: string): XmlElement[] =>
  parent?.children.filter((child) => child.name === name) ?? []

/** The element at the end of a path of names, each the first of its name. */
export const findPath = (
  parent: XmlElement | undefined,
  ...names: string[]
): XmlElement | undefined => names.reduce(findChild, parent)

/** All elements of that name below `root`, in document order; none within another. */
export const findDescendants = (root: XmlElement | undefined, name: string): XmlElement[] => {
  const found: XmlElement[] = []
  const stack = [...(root?.children ?? [])].reverse()
  for (let element = stack.pop(); element; element = stack.pop()) {
    if (element.name === name) found.push(element)
    else for (const child of element.children.toReversed()) stack.push(child)
  }
  return found
}

/** One of the alternatives for the same content (ECMA-376 part 3, §7.5). */
const chooseAlternative = ({ children }: XmlElement): XmlElement[] =>
  (children.find(({ name }) => name === "Choice") ?? children.at(-1))?.children ?? []

/** Parses a part of an Office document; alternative contents are reduced to one. */
export const parseOfficeXml = (source: string): XmlElement => {
  const root: XmlElement = { name: "", attributes: {}, children: [], text: "" }
  const ancestors = [root]
  walkXml(source, {
    open: (name, attributes) => {
      ancestors.push({ name: localName(name), attributes, children: [], text: "" })
    },
    close: () => {
      const element = ancestors.pop()
      const parent = ancestors.at(-1)
      if (!element || !parent) return
      if (element.name !== "AlternateContent") parent.children.push(element)
      else for (const child of chooseAlternative(element)) parent.children.push(child)
    },
    text: (piece) => {
      const element = ancestors.at(-1)
      if (element) element.text += piece
    },
  })
  return root
}
