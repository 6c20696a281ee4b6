import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { getDocument, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs"
import type {
  DocumentInitParameters,
  PDFDocumentProxy,
  PDFPageProxy,
} from "pdfjs-dist/types/src/display/api.js"
import type { ExtractionLimits } from "../blocks.ts"
import { failPasswordProtected, failUnreadable } from "../unreadable.ts"

export type PdfDocument = PDFDocumentProxy
export type PdfPage = PDFPageProxy

const libraryFolder = dirname(fileURLToPath(import.meta.resolve("pdfjs-dist/package.json")))

/** In pixels: an A4 page at 600 dpi has 35 million. Larger images are left out. */
const maxImageSize = 36e6

const parameters: DocumentInitParameters = {
  verbosity: VerbosityLevel.ERRORS,
  // What documents name instead of containing it; nothing is fetched.
  cMapUrl: `${libraryFolder}/cmaps/`,
  standardFontDataUrl: `${libraryFolder}/standard_fonts/`,
  wasmUrl: `${libraryFolder}/wasm/`,
  iccUrl: `${libraryFolder}/iccs/`,
  useSystemFonts: false,
  useWorkerFetch: false,
  disableFontFace: true,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  maxImageSize,
}

type Parameters = Pick<DocumentInitParameters, "enableXfa" | "maxImageSize">

const load = (bytes: Buffer, own: Parameters): Promise<PdfDocument> =>
  // pdf.js takes the bytes for itself.
  getDocument({ ...parameters, ...own, data: new Uint8Array(bytes) }).promise

const isPasswordProtected = (error: unknown): boolean =>
  error instanceof Error && error.name === "PasswordException"

const loadOrFail = async (bytes: Buffer, own: Parameters): Promise<PdfDocument> => {
  try {
    return await load(bytes, own)
  } catch (error) {
    if (isPasswordProtected(error)) return failPasswordProtected()
    return failUnreadable("damaged", { id: "document_pdf_damaged" })
  }
}

/** The static pages of a document whose XFA form is malformed are readable. */
const loadWithXfa = async (bytes: Buffer): Promise<PdfDocument> => {
  try {
    return await load(bytes, { enableXfa: true })
  } catch (error) {
    if (isPasswordProtected(error)) return failPasswordProtected()
    return loadOrFail(bytes, { enableXfa: false })
  }
}

/** @throws {UnreadableDocumentError} if it is damaged, needs a password or has too many pages */
export const openPdf = async (
  bytes: Buffer,
  limits: Pick<ExtractionLimits, "pages">,
): Promise<PdfDocument> => {
  const pdf = await loadWithXfa(bytes)
  const pages = pdf.numPages
  if (pages > limits.pages) {
    failUnreadable("too_large", {
      id: "document_too_many_pages",
      values: { pages, max: limits.pages },
    })
  }
  return pdf
}

/**
 * Opens a PDF of which images of more than one pixel are left out, instead of being decoded.
 * @throws {UnreadableDocumentError} if it is damaged or needs a password
 */
export const openPdfWithoutImages = (bytes: Buffer): Promise<PdfDocument> =>
  loadOrFail(bytes, { maxImageSize: 1 })
