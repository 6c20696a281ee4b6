import { findChild, type XmlElement } from "../ooxml/office-xml.ts"

const nonVisualProperties = (shape: XmlElement): XmlElement | undefined =>
  shape.children.find(({ name }) => name.startsWith("nv"))

/** Type and index of the placeholder that a shape fills; undefined if it fills none. */
export const placeholderOf = (
  shape: XmlElement,
): { type: string; index: string | undefined } | undefined => {
  const placeholder = findChild(findChild(nonVisualProperties(shape), "nvPr"), "ph")
  if (!placeholder) return undefined
  const { type = "body", idx } = placeholder.attributes
  return { type, index: idx }
}

type ShapeRole = "title" | "footer" | "date" | "slide number" | "content"

const roleByPlaceholder = new Map(
  Object.entries<ShapeRole>({
    title: "title",
    ctrTitle: "title",
    ftr: "footer",
    hdr: "footer",
    dt: "date",
    sldNum: "slide number",
  }),
)

export const roleOf = (shape: XmlElement): ShapeRole =>
  roleByPlaceholder.get(placeholderOf(shape)?.type ?? "") ?? "content"

const minWords = 4
/** Names of files, and descriptions that PowerPoint made itself. */
const notWritten =
  /\\|:\/\/|\.(bmp|emf|gif|jpe?g|png|svg|tiff?|wmf)\b|generated (with|by)|(automatically|AI-) ?generated|(automatisch |KI-)generiert/i

/** The description of a picture, if it is a sentence that somebody wrote. */
export const describePicture = (picture: XmlElement): string[] => {
  const properties = findChild(nonVisualProperties(picture), "cNvPr")
  const description = properties?.attributes.descr?.replace(/\s+/g, " ").trim() ?? ""
  const isSentence = description.split(" ").length >= minWords && !notWritten.test(description)
  return isSentence ? [`Picture: ${description}`] : []
}
