import { AnnotationType } from "pdfjs-dist/legacy/build/pdf.mjs"
import type { PdfDocument } from "./open-pdf.ts"

/** Left, bottom, right, top. */
export type Rectangle = readonly [number, number, number, number]

/** What pdf.js tells about an annotation (ISO 32000-2, 12.5), which a form's widgets are too. */
export interface PageAnnotation {
  id: string
  pageIndex: number
  subtype: string
  annotationFlags: number
  rect: Rectangle
  /** Four corners of each rectangle of marked text. */
  quadPoints?: ArrayLike<number> | null
  contentsObj?: { str: string }
  richText?: { str: string }
  /** The author of a comment. */
  titleObj?: { str: string }
  /** The intent, such as `FreeTextTypewriter`. */
  it?: string
  inReplyTo?: string
  /** Of an entry about another comment, such as `Review`. */
  stateModel?: string | null
  /** What is drawn. */
  textContent?: string[]
  fileId?: string
  file?: { filename: string }
  fieldType?: string | null
  fieldName?: string
  /** For its users, such as a tooltip. */
  alternativeText?: string
  fieldValue?: string | string[] | null
  options?: { exportValue: string; displayValue: string }[]
  password?: boolean
  checkBox?: boolean
  radioButton?: boolean
  /** Of a check box. */
  exportValue?: string
  /** Of a radio button. */
  buttonValue?: string | null
}

const hiddenFlag = 2

/** Links cover text of the page, and popups repeat comments. */
const readTypes = new Set(
  Object.values(AnnotationType).filter(
    (type) => type !== AnnotationType.LINK && type !== AnnotationType.POPUP,
  ),
)

/** The annotations that are shown. @returns by page number */
export const readAnnotations = async (pdf: PdfDocument): Promise<Map<number, PageAnnotation[]>> => {
  // One damaged page fails all.
  const found = await pdf.getAnnotationsByType(readTypes, new Set()).catch(() => [])
  const annotations = (found ?? []) as PageAnnotation[]
  const shown = annotations.filter(({ annotationFlags }) => (annotationFlags & hiddenFlag) === 0)
  return Map.groupBy(shown, ({ pageIndex }) => pageIndex + 1)
}
