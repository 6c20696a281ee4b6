import {
  getDocument,
  InvalidPDFException,
  PasswordException,
  PDFWorker,
  ResponseException,
  VerbosityLevel,
  version,
} from "pdfjs-dist/legacy/build/pdf.mjs"
import Worker from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?worker"
import type { PDFDocumentProxy } from "pdfjs-dist/types/src/display/api.js"

/** Fetched at once, in bytes. */
const rangeSize = 256 * 1024
/** Larger images are left out, in pixels. */
const maxImagePixels = 100_000_000

/** Why a PDF cannot be shown. */
export type PdfFailure = "password" | "damaged" | "missing" | "unavailable"

export const pdfFailureOf = (error: unknown): PdfFailure => {
  if (error instanceof PasswordException) return "password"
  if (error instanceof InvalidPDFException) return "damaged"
  return error instanceof ResponseException && error.missing ? "missing" : "unavailable"
}

export interface OpenDocument {
  document: Promise<PDFDocumentProxy>
  /** Frees everything, including the worker. */
  close: () => void
}

/** The build places the character maps, fonts and decoders here (vite.config.ts). */
const assetUrl = (folder: string): string =>
  new URL(`/assets/pdfjs-${version}/${folder}/`, location.href).href

/**
 * Opens a PDF, of which only the parts needed are fetched. Each document gets its own worker.
 * Scripts, forms and links in a document have no effect: only its pages are drawn.
 */
export const openDocument = (url: string): OpenDocument => {
  const port = new Worker()
  const worker = PDFWorker.create({ port, verbosity: VerbosityLevel.ERRORS })
  const task = getDocument({
    url: new URL(url, location.href).href,
    worker,
    rangeChunkSize: rangeSize,
    disableAutoFetch: true,
    disableStream: true,
    cMapUrl: assetUrl("cmaps"),
    standardFontDataUrl: assetUrl("standard_fonts"),
    // The content security policy does not allow WebAssembly; this folder has decoders without it.
    wasmUrl: assetUrl("wasm"),
    useWasm: false,
    useWorkerFetch: true,
    enableXfa: false,
    maxImageSize: maxImagePixels,
    verbosity: VerbosityLevel.ERRORS,
  })
  const close = (): void => {
    void task
      .destroy()
      .catch(() => {})
      .finally(() => {
        worker.destroy()
        port.terminate()
      })
  }
  return { document: task.promise, close }
}
