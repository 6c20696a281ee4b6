import { walkXml } from "../markup.ts"
import { localName, type XmlElement } from "./office-xml.ts"

interface SubtreeHandler {
  /** Called for elements outside of subtrees. */
  open?(name: string): void
  close?(name: string): void
  subtree(element: XmlElement): void
}

/** Standard prefixes of the namespaces whose attributes are read, also of their strict variants. */
const standardPrefixes: [namespace: RegExp, prefix: string][] = [
  [/\/wordprocessingml\/(2006\/)?main$/, "w"],
  [/\/officeDocument\/(2006\/)?relationships$/, "r"],
  [/\/officeDocument\/(2006\/)?math$/, "m"],
  [/\/word\/2010\/wordml$/, "w14"],
]

/** Prefixes that a document uses instead of the standard ones. */
const readUnstandardPrefixes = (attributes: Record<string, string>): Map<string, string> => {
  const renamed = new Map<string, string>()
  for (const [name, namespace] of Object.entries(attributes)) {
    if (!name.startsWith("xmlns:")) continue
    const standard = standardPrefixes.find(([pattern]) => pattern.test(namespace))?.[1]
    if (standard && standard !== localName(name)) renamed.set(localName(name), standard)
  }
  return renamed
}

const renamePrefixes = (
  attributes: Record<string, string>,
  renamed: ReadonlyMap<string, string>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const standard = renamed.get(name.slice(0, Math.max(0, name.indexOf(":"))))
      return [standard ? `${standard}:${localName(name)}` : name, value]
    }),
  )

/** Elements that show something without text of their own. */
const graphicNames = new Set(["chart", "relIds"])
const branchNames = new Set(["Choice", "Fallback"])

interface OpenElement {
  element: XmlElement
  hasContent: boolean
}

/** Keeps the first of the alternatives that has content (ECMA-376 part 3, §7.5). */
const closeBranch = (alternatives: OpenElement, branch: OpenElement): void => {
  if (alternatives.hasContent) return
  if (branch.hasContent || alternatives.element.children.length === 0) {
    alternatives.element.children = branch.element.children
  }
  alternatives.hasContent = branch.hasContent
}

const closeElement = (parent: OpenElement, closed: OpenElement): void => {
  const { element, hasContent } = closed
  if (branchNames.has(element.name)) {
    closeBranch(parent, closed)
    return
  }
  parent.hasContent ||= hasContent
  if (element.name !== "AlternateContent") parent.element.children.push(element)
  else for (const child of element.children) parent.element.children.push(child)
}

/**
 * Walks XML as a stream of the subtrees with one of the names, outermost ones only, so that no more
 * than one of them is held in memory. Alternative contents are reduced to one. Attributes have the
 * standard prefixes (`w:val`).
 */
export const walkSubtrees = (
  source: string,
  names: ReadonlySet<string>,
  handler: SubtreeHandler,
): void => {
  const ancestors: OpenElement[] = []
  let renamed: Map<string, string> | undefined
  walkXml(source, {
    open: (prefixedName, attributes) => {
      renamed ??= readUnstandardPrefixes(attributes)
      const name = localName(prefixedName)
      if (ancestors.length === 0 && !names.has(name)) {
        handler.open?.(name)
        return
      }
      const standard = renamed.size === 0 ? attributes : renamePrefixes(attributes, renamed)
      const element = { name, attributes: standard, children: [], text: "" }
      ancestors.push({ element, hasContent: graphicNames.has(name) })
    },
    close: (prefixedName) => {
      const closed = ancestors.pop()
      const parent = ancestors.at(-1)
      if (!closed) handler.close?.(localName(prefixedName))
      else if (parent) closeElement(parent, closed)
      else handler.subtree(closed.element)
    },
    text: (piece) => {
      const open = ancestors.at(-1)
      if (!open) return
      open.element.text += piece
      open.hasContent ||= open.element.name === "t"
    },
  })
}
