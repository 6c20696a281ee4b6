import { OPS } from "pdfjs-dist/legacy/build/pdf.mjs"
import { type Matrix, multiply } from "./matrix.ts"
import type { PdfPage } from "./open-pdf.ts"

/** An image that a page draws. */
export interface DrawnImage {
  /** The decoded image, or the ID by which pdf.js has it. */
  source: unknown
  /** Maps the unit square to the page, in points from its top left corner. */
  matrix: Matrix
  /** Only its dark pixels are painted, with the lightness `fill` (0 to 255). */
  isMask: boolean
  fill: number
}

const maxImages = 500

const toMatrix = (values: unknown): Matrix | null => {
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) return null
  const [a, b, c, d, e, f] = Array.from(values as ArrayLike<number>, Number)
  if (a === undefined || b === undefined || c === undefined) return null
  return d === undefined || e === undefined || f === undefined ? null : [a, b, c, d, e, f]
}

/** @param color `#rrggbb` */
const lightnessOf = (color: unknown): number => {
  const value = /^#([0-9a-f]{6})$/i.exec(String(color))?.[1]
  if (!value) return 0
  const rgb = Number.parseInt(value, 16)
  return ((rgb >> 16) * 3 + ((rgb >> 8) & 255) * 6 + (rgb & 255)) / 10
}

/** A mask holds its data, or the ID of its data. */
const maskSource = (mask: unknown): unknown =>
  typeof mask === "object" && mask !== null && "data" in mask && typeof mask.data === "string"
    ? mask.data
    : mask

/** Follows the graphics state through a page's drawing operators. */
class ImageCollector {
  readonly images: DrawnImage[] = []
  #state: { matrix: Matrix; fill: number }
  readonly #saved: { matrix: Matrix; fill: number }[] = []

  constructor(matrix: Matrix) {
    this.#state = { matrix, fill: 0 }
  }

  apply(operator: number, args: readonly unknown[]): void {
    const [first] = args
    switch (operator) {
      case OPS.save:
        this.#save()
        break
      case OPS.restore:
      case OPS.paintFormXObjectEnd:
        this.#state = this.#saved.pop() ?? this.#state
        break
      case OPS.transform:
        this.#transform(args)
        break
      case OPS.paintFormXObjectBegin:
        this.#save()
        this.#transform(first)
        break
      case OPS.setFillRGBColor:
        this.#state = { ...this.#state, fill: lightnessOf(first) }
        break
      case OPS.paintImageXObject:
      case OPS.paintInlineImageXObject:
        this.#draw(first, false)
        break
      case OPS.paintImageMaskXObject:
        this.#draw(maskSource(first), true)
        break
      case OPS.paintImageMaskXObjectGroup:
        this.#drawMasks(first)
    }
  }

  #save(): void {
    this.#saved.push(this.#state)
  }

  #transform(values: unknown): void {
    const matrix = toMatrix(values)
    if (matrix) this.#state = { ...this.#state, matrix: multiply(this.#state.matrix, matrix) }
  }

  #draw(source: unknown, isMask: boolean): void {
    if (this.images.length < maxImages) this.images.push({ source, isMask, ...this.#state })
  }

  /** Masks with a transformation each. */
  #drawMasks(masks: unknown): void {
    if (!Array.isArray(masks)) return
    for (const mask of masks) {
      this.#save()
      this.#transform(mask?.transform)
      this.#draw(maskSource(mask), true)
      this.#state = this.#saved.pop() ?? this.#state
    }
  }
}

/** The images that a page draws, in drawing order. Those beyond the first 500 are left out. */
export const listDrawnImages = async (page: PdfPage): Promise<DrawnImage[]> => {
  const { transform } = page.getViewport({ scale: 1 })
  const collector = new ImageCollector(toMatrix(transform) ?? [1, 0, 0, 1, 0, 0])
  const { fnArray, argsArray } = await page.getOperatorList()
  for (const [index, operator] of fnArray.entries()) {
    collector.apply(operator, argsArray[index] ?? [])
  }
  return collector.images
}
