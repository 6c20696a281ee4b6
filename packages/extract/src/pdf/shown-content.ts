import { AnnotationMode, OPS } from "pdfjs-dist/legacy/build/pdf.mjs"
import type { PdfPage } from "./open-pdf.ts"

/** What a page shows besides text. */
export interface ShownContent {
  /** Images, as a share of the page's area: 1 is a full page. */
  imageShare: number
  /** Whether text is drawn without being visible, as below a scan whose text was recognized. */
  hasInvisibleText: boolean
  /** All painted paths, as the amount of their numbers: a letter as an outline has about 50. */
  pathLength: number
}

const invisible = 3
const showingText = new Set([
  OPS.showText,
  OPS.showSpacedText,
  OPS.nextLineShowText,
  OPS.nextLineSetSpacingShowText,
])
const painting = new Set([OPS.shadingFill, OPS.rawFillPath, ...showingText])

const isListOfNumbers = (value: unknown): value is ArrayLike<number> =>
  Array.isArray(value) || value instanceof Float32Array

/** By how much a transformation matrix enlarges areas. */
const areaFactor = (matrix: unknown): number => {
  if (!isListOfNumbers(matrix)) return 1
  const [a = 1, b = 0, c = 0, d = 1] = Array.from(matrix)
  return Math.abs(a * d - b * c)
}

/** @returns how many numbers a path has, 0 if it is not painted */
const paintedLength = ([operator, parts]: readonly unknown[]): number => {
  const path = Array.isArray(parts) ? parts[0] : null
  return operator !== OPS.endPath && isListOfNumbers(path) ? path.length : 0
}

interface GraphicsState {
  area: number
  isUnused: boolean
  textMode: unknown
}

/**
 * Adds up paths, and the areas of images that pdf.js left out. An image fills the unit square, so
 * what remains of it is a transformation that nothing is painted with.
 */
class ContentSums {
  pathLength = 0
  imageArea = 0
  hasInvisibleText = false
  #state: GraphicsState = { area: 1, isUnused: false, textMode: 0 }
  readonly #saved: GraphicsState[] = []

  run(operator: number, args: readonly unknown[]): void {
    switch (operator) {
      case OPS.save:
        this.#save()
        break
      case OPS.restore:
      case OPS.paintFormXObjectEnd:
        this.#restore()
        break
      case OPS.transform:
        this.#transform(args)
        break
      case OPS.paintFormXObjectBegin:
        this.#beginForm(args)
        break
      case OPS.constructPath:
        this.#addPath(paintedLength(args))
        break
      case OPS.setTextRenderingMode:
        this.#state.textMode = args[0]
        break
      default:
        this.#paint(operator)
    }
  }

  #paint(operator: number): void {
    if (painting.has(operator)) this.#state.isUnused = false
    this.hasInvisibleText ||= showingText.has(operator) && this.#state.textMode === invisible
  }

  endTransformation(): void {
    if (this.#state.isUnused) this.imageArea += this.#state.area
    this.#state.isUnused = false
  }

  #save(): void {
    this.#saved.push({ ...this.#state, isUnused: false })
  }

  #restore(): void {
    this.endTransformation()
    this.#state = this.#saved.pop() ?? this.#state
  }

  #transform(matrix: unknown): void {
    this.endTransformation()
    this.#state.area *= areaFactor(matrix)
    this.#state.isUnused = true
  }

  #beginForm([matrix]: readonly unknown[]): void {
    this.#save()
    this.#state.area *= areaFactor(matrix)
    this.#state.isUnused = false
  }

  #addPath(length: number): void {
    this.pathLength += length
    if (length > 0) this.#state.isUnused = false
  }
}

/** Measures what a page shows. @param page of a PDF that was opened without images */
export const measureShownContent = async (page: PdfPage): Promise<ShownContent> => {
  const { fnArray, argsArray } = await page.getOperatorList({
    annotationMode: AnnotationMode.DISABLE,
  })
  const sums = new ContentSums()
  for (const [index, operator] of fnArray.entries()) sums.run(operator, argsArray[index] ?? [])
  sums.endTransformation()
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view
  const pageArea = Math.abs((right - left) * (top - bottom))
  return {
    imageShare: pageArea > 0 ? sums.imageArea / pageArea : 0,
    hasInvisibleText: sums.hasInvisibleText,
    pathLength: sums.pathLength,
  }
}
