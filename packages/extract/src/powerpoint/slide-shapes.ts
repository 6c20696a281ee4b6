import { findChild, type XmlElement } from "../ooxml/office-xml.ts"
import { describePicture } from "../picture-description.ts"

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

/** The description of a picture, if it is a sentence that somebody wrote. */
export const readPictureDescription = (picture: XmlElement): string[] => {
  const description = findChild(nonVisualProperties(picture), "cNvPr")?.attributes.descr
  const text = describePicture(description ?? "")
  return text === "" ? [] : [text]
}
