import type { GrayImage } from "../ocr/gray-image.ts"
import { type DrawnImage, listDrawnImages } from "./drawn-images.ts"
import type { Matrix } from "./matrix.ts"
import type { PdfPage } from "./open-pdf.ts"

/**
 * In pixels per point (1/72 inch): 100 to 200 dpi, as the page's images have. More than 200 dpi
 * take twice as long and are not read better.
 */
const minScale = 100 / 72
const maxScale = 200 / 72
/** 200 dpi of an A4 page have 3.9 million. */
const maxPixels = 8e6
/** How often each pixel of the page may be painted over. */
const maxLayers = 6
const maxSamplesPerSide = 4
const imageTimeoutMs = 20_000

/** As pdf.js decodes it; see `ImageKind` there. */
interface DecodedImage {
  width: number
  height: number
  /** 1: one bit per pixel, 2: RGB, 3: RGBA; absent for masks, which have one bit per pixel. */
  kind?: number
  data: Uint8Array | Uint8ClampedArray
}

const isDecodedImage = (value: unknown): value is DecodedImage =>
  typeof value === "object" &&
  value !== null &&
  "data" in value &&
  ArrayBuffer.isView(value.data) &&
  "width" in value &&
  typeof value.width === "number" &&
  "height" in value &&
  typeof value.height === "number"

/** @returns null if the image could not be decoded */
const decodedImage = async (page: PdfPage, source: unknown): Promise<DecodedImage | null> => {
  if (typeof source !== "string") return isDecodedImage(source) ? source : null
  const objects = source.startsWith("g_") ? page.commonObjs : page.objs
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(() => resolve(null), imageTimeoutMs)
  objects.get(source, resolve)
  const value = await promise
  clearTimeout(timer)
  return isDecodedImage(value) ? value : null
}

/** Lightness of a pixel, 0 to 255. */
type PixelReader = (x: number, y: number) => number

const pixelReader = ({ data, width, kind }: DecodedImage): PixelReader => {
  if (kind === 2 || kind === 3) {
    const size = kind + 1
    return (x, y) => {
      const at = (y * width + x) * size
      return ((data[at] ?? 0) * 3 + (data[at + 1] ?? 0) * 6 + (data[at + 2] ?? 0)) / 10
    }
  }
  const bytesPerRow = (width + 7) >> 3
  return (x, y) => ((data[y * bytesPerRow + (x >> 3)] ?? 0) & (128 >> (x & 7)) ? 255 : 0)
}

const inverse = ([a, b, c, d, e, f]: Matrix): Matrix | null => {
  const determinant = a * d - b * c
  if (Math.abs(determinant) < 1e-9) return null
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ]
}

/** The pixels of the page, from `start` to before `end`, that an image may cover. */
const coveredRange = (values: readonly number[], size: number): { start: number; end: number } => ({
  start: Math.max(0, Math.floor(Math.min(...values))),
  end: Math.min(size, Math.ceil(Math.max(...values))),
})

class PageCanvas implements GrayImage {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
  #paintablePixels: number

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.pixels = new Uint8Array(width * height).fill(255)
    this.#paintablePixels = this.pixels.length * maxLayers
  }

  /** @param matrix maps the unit square, in which images stand, to pixels of the page */
  paint(image: DecodedImage, { matrix, isMask, fill }: DrawnImage): void {
    const toImage = inverse(matrix)
    if (!toImage) return
    const [a, b, c, d, e, f] = matrix
    const columns = coveredRange([e, e + a, e + c, e + a + c], this.width)
    const rows = coveredRange([f, f + b, f + d, f + b + d], this.height)
    this.#paintablePixels -= (columns.end - columns.start) * (rows.end - rows.start)
    if (this.#paintablePixels < 0) return
    const sample = this.#sampler(image, toImage)
    for (let y = rows.start; y < rows.end; y++) {
      for (let x = columns.start; x < columns.end; x++) {
        const lightness = sample(x, y)
        if (lightness < 0) continue
        const at = y * this.width + x
        const below = this.pixels[at] ?? 255
        this.pixels[at] = isMask ? fill + ((below - fill) * lightness) / 255 : lightness
      }
    }
  }

  /** @returns a function that gives the mean lightness under a pixel; -1 outside of the image */
  #sampler(image: DecodedImage, [a, b, c, d, e, f]: Matrix): PixelReader {
    const { width, height } = image
    const read = pixelReader(image)
    const span = Math.max(Math.hypot(a, c) * width, Math.hypot(b, d) * height)
    const side = Math.min(maxSamplesPerSide, Math.max(1, Math.round(span)))
    return (x, y) => {
      let sum = 0
      let count = 0
      for (let sample = 0; sample < side * side; sample++) {
        const px = x + ((sample % side) + 0.5) / side
        const py = y + (Math.floor(sample / side) + 0.5) / side
        const u = Math.floor((a * px + c * py + e) * width)
        const v = Math.floor((1 - (b * px + d * py + f)) * height)
        if (u < 0 || v < 0 || u >= width || v >= height) continue
        sum += read(u, v)
        count++
      }
      return count === 0 ? -1 : sum / count
    }
  }
}

/**
 * Paints the images of a PDF page, such as a scan, as they stand on it. Text and lines are not
 * drawn. @returns null if the page has no images
 */
export const readPageImage = async (page: PdfPage): Promise<GrayImage | null> => {
  const drawn = await listDrawnImages(page)
  const images = await Promise.all(drawn.map(({ source }) => decodedImage(page, source)))
  const { width, height } = page.getViewport({ scale: 1 })
  const resolutions = drawn.map(
    ({ matrix: [a, b] }, index) => (images[index]?.width ?? 0) / Math.hypot(a, b),
  )
  const best = Math.max(...resolutions.filter(Number.isFinite), 0)
  if (best === 0) return null
  const scale = Math.min(
    Math.max(best, minScale),
    maxScale,
    Math.sqrt(maxPixels / (width * height)),
  )
  const canvas = new PageCanvas(Math.ceil(width * scale), Math.ceil(height * scale))
  for (const [index, image] of images.entries()) {
    const of = drawn[index]
    if (!image || !of) continue
    const [a, b, c, d, e, f] = of.matrix
    const matrix: Matrix = [a * scale, b * scale, c * scale, d * scale, e * scale, f * scale]
    canvas.paint(image, { ...of, matrix })
  }
  return canvas
}
