import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

const require = createRequire(import.meta.url)

/** What text recognition reads, and where the operator keeps trained data of more languages. */
export interface RecognitionLanguages {
  /** Tesseract's codes, such as `deu`. */
  codes: readonly string[]
  /** May hold `CODE.traineddata` or `CODE.traineddata.gz`, which take precedence. */
  folder: string
}

/** Languages whose trained data is installed with the program. */
export const includedRecognitionLanguages = ["eng", "deu", "fra", "spa"] as const

const includedPath = (code: string): string =>
  require.resolve(`@tesseract.js-data/${code}/4.0.0_best_int/${code}.traineddata.gz`)

const pathOf = (code: string, folder: string): string | null => {
  const names = [`${code}.traineddata`, `${code}.traineddata.gz`]
  const placed = names.map((name) => join(folder, name)).find(existsSync)
  if (placed) return placed
  const isIncluded = includedRecognitionLanguages.some((included) => included === code)
  return isIncluded ? includedPath(code) : null
}

/** @returns the languages without trained data */
export const missingRecognitionLanguages = ({ codes, folder }: RecognitionLanguages): string[] =>
  codes.filter((code) => pathOf(code, folder) === null)

/** @throws if the file cannot be read; returns null without trained data */
export const readTrainedData = (code: string, folder: string): Uint8Array | null => {
  const path = pathOf(code, folder)
  if (path === null) return null
  const bytes = readFileSync(path)
  return path.endsWith(".gz") ? gunzipSync(bytes) : bytes
}
