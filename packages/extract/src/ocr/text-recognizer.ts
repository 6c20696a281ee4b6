import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type GrayImage, toPgm, turnUpsideDown } from "./gray-image.ts"
import { type RecognitionLanguages, readTrainedData } from "./recognition-languages.ts"

const require = createRequire(import.meta.url)

/** The part of Tesseract's C++ interface (TessBaseAPI) that is used. */
interface Tesseract {
  /** @returns 0 on success */
  Init(dataPath: null, languages: string, engineMode: number): number
  SetPageSegMode(mode: number): void
  /** Reads the image at `/input`. @returns 0 on success */
  SetImageFile(exifOrientation: number, angle: number): number
  Recognize(progress: null): number
  GetUTF8Text(): string
  /** 0 to 100 */
  MeanTextConf(): number
}

interface TesseractModule {
  FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void }
  TessBaseAPI: new () => Tesseract
}

type CreateModule = (options: {
  wasmBinary: Uint8Array
  print(line: string): void
  printErr(line: string): void
}) => Promise<TesseractModule>

const neuralNetworkOnly = 1
const automaticSegmentation = 3
const uprightOrientation = 1

/**
 * In percent; clean scans have more than 90. What Tesseract makes of a photograph or of text upside
 * down has 30 to 57.
 */
const minConfidence = 60

const ignore = (): void => {}

interface Started {
  module: TesseractModule
  engine: Tesseract
}

const startTesseract = async ({ codes, folder }: RecognitionLanguages): Promise<Started> => {
  const createModule: CreateModule = require("tesseract.js-core/tesseract-core-simd-lstm.js")
  const module = await createModule({
    wasmBinary: readFileSync(require.resolve("tesseract.js-core/tesseract-core-simd-lstm.wasm")),
    print: ignore,
    printErr: ignore,
  })
  const loaded = codes.filter((code) => {
    const trainedData = readTrainedData(code, folder)
    if (trainedData) module.FS.writeFile(`${code}.traineddata`, trainedData)
    return trainedData !== null
  })
  const engine = new module.TessBaseAPI()
  if (loaded.length === 0 || engine.Init(null, loaded.join("+"), neuralNetworkOnly) !== 0) {
    throw new Error(`Text recognition cannot load the languages ${codes.join(", ")}`)
  }
  engine.SetPageSegMode(automaticSegmentation)
  return { module, engine }
}

interface Recognized {
  text: string
  confidence: number
}

const read = ({ module, engine }: Started, image: GrayImage): Recognized => {
  module.FS.writeFile("/input", toPgm(image))
  if (engine.SetImageFile(uprightOrientation, 0) !== 0) return { text: "", confidence: 0 }
  module.FS.unlink("/input")
  engine.Recognize(null)
  return { text: engine.GetUTF8Text(), confidence: engine.MeanTextConf() }
}

/**
 * Reads text from images of pages (Tesseract 5 as WebAssembly), also of pages that are upside down;
 * Tesseract itself turns those that lie on their side. Blocks its thread for seconds.
 */
export class TextRecognizer {
  readonly #languages: RecognitionLanguages
  #started: Promise<Started> | undefined
  /** Whether the last page was; scans of one document usually lie alike. */
  #isUpsideDown = false

  constructor(languages: RecognitionLanguages) {
    this.#languages = languages
  }

  /** @returns lines, with an empty one between paragraphs; empty if there is no text for certain */
  async recognize(image: GrayImage): Promise<string> {
    this.#started ??= startTesseract(this.#languages)
    const tesseract = await this.#started
    const ways = [image, turnUpsideDown(image)]
    if (this.#isUpsideDown) ways.reverse()
    for (const [attempt, way] of ways.entries()) {
      const { text, confidence } = read(tesseract, way)
      if (text.trim() === "") return ""
      if (confidence < minConfidence) continue
      if (attempt > 0) this.#isUpsideDown = !this.#isUpsideDown
      return text.trim()
    }
    return ""
  }
}
