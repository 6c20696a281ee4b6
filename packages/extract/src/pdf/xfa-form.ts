import type { Block } from "../blocks.ts"
import type { PdfDocument } from "./open-pdf.ts"

/** A node of the HTML that pdf.js makes of an XFA form. */
interface XfaNode {
  name: string
  value?: string
  attributes?: {
    class?: string[]
    xfaName?: string
    type?: string
    value?: string
    /** Of a text area. */
    textContent?: string
    /** A tooltip. */
    title?: string
    checked?: boolean
    selected?: boolean
    style?: { visibility?: string }
    "aria-label"?: string | null
  }
  children?: (XfaNode | null)[]
}

const childrenOf = ({ children = [] }: XfaNode): XfaNode[] =>
  children.filter((child) => child !== null)

const hasClass = ({ attributes }: XfaNode, name: string): boolean =>
  attributes?.class?.includes(name) === true

const lineElements = new Set(["div", "p", "br", "li", "ul", "ol", "option"])

const collectText = (node: XfaNode, pieces: string[]): void => {
  if (lineElements.has(node.name)) pieces.push("\n")
  if (node.value !== undefined) pieces.push(node.value)
  for (const child of childrenOf(node)) collectText(child, pieces)
}

const textOf = (node: XfaNode | undefined): string => {
  const pieces: string[] = []
  if (node) collectText(node, pieces)
  return pieces
    .join("")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[\n ]*/g, "\n")
    .trim()
}

const findNode = (node: XfaNode, isWanted: (node: XfaNode) => boolean): XfaNode | undefined => {
  if (isWanted(node)) return node
  for (const child of childrenOf(node)) {
    const found = findNode(child, isWanted)
    if (found) return found
  }
  return undefined
}

const isCaption = (node: XfaNode): boolean =>
  hasClass(node, "xfaCaption") || hasClass(node, "xfaCaptionForCheckButton")

const controls = new Set(["input", "textarea", "select"])

const selectedOptions = (select: XfaNode): string =>
  childrenOf(select)
    .filter(({ attributes }) => attributes?.selected)
    .map(textOf)
    .join(", ")

const readValue = (control: XfaNode): string => {
  if (control.name === "select") return selectedOptions(control)
  if (control.attributes?.type === "password") return ""
  const { value, textContent } = control.attributes ?? {}
  return (textContent ?? value ?? textOf(control)).trim()
}

const readField = (field: XfaNode): string => {
  if (findNode(field, ({ name }) => name === "button")) return ""
  const control = findNode(field, ({ name }) => controls.has(name))
  if (!control) return textOf(field)
  const caption = textOf(findNode(field, isCaption)).replaceAll("\n", " ")
  const { type, checked, "aria-label": description } = control.attributes ?? {}
  const { title, xfaName } = field.attributes ?? {}
  const name = caption || title?.trim() || description?.trim() || xfaName || ""
  if (type === "radio" || type === "checkbox") return `${checked ? "[x]" : "[ ]"} ${name}`
  const value = readValue(control)
  if (value === "") return caption
  return name ? `${name.replace(/:$/, "").trimEnd()}: ${value}` : value
}

const collectParagraphs = (node: XfaNode, paragraphs: string[]): void => {
  if (node.attributes?.style?.visibility === "hidden") return
  if (hasClass(node, "xfaField")) paragraphs.push(readField(node))
  else if (hasClass(node, "xfaDraw")) paragraphs.push(textOf(node))
  else if (hasClass(node, "xfaRow")) paragraphs.push(readRow(node))
  else for (const child of childrenOf(node)) collectParagraphs(child, paragraphs)
}

const readRow = (row: XfaNode): string =>
  childrenOf(row)
    .map((cell) => {
      const paragraphs: string[] = []
      collectParagraphs(cell, paragraphs)
      return paragraphs.filter(Boolean).join(" ")
    })
    .filter(Boolean)
    .join(" | ")

/** @param repeated texts of headers and footers, which are read once */
const readXfaPage = (root: XfaNode, repeated: Set<string>): string[] =>
  childrenOf(root).flatMap((part) => {
    const paragraphs: string[] = []
    collectParagraphs(part, paragraphs)
    if (hasClass(part, "xfaContentarea")) return paragraphs.filter(Boolean)
    const added = paragraphs.filter((text) => text !== "" && !repeated.has(text))
    for (const text of added) repeated.add(text)
    return added
  })

/**
 * The captions and values of a dynamic XFA form, whose PDF pages only ask to wait for a viewer that
 * shows it.
 */
export const readXfaForm = async (pdf: PdfDocument, maxCharacters: number): Promise<Block[]> => {
  const blocks: Block[] = []
  const repeated = new Set<string>()
  let characters = 0
  for (let page = 1; page <= pdf.numPages && characters <= maxCharacters; page++) {
    const sheet = await pdf.getPage(page)
    const root = (await sheet.getXfa()) as XfaNode | null
    for (const text of root ? readXfaPage(root, repeated) : []) {
      characters += text.length
      blocks.push({ text, kind: "paragraph", location: { page } })
    }
    sheet.cleanup()
  }
  return blocks
}
