import type { MemoryImage } from "./memory-image.ts"
import { QuickJs } from "./quickjs.ts"
import type { Pointer } from "./quickjs-exports.ts"
import { moduleName } from "./source-position.ts"

const stackBytes = 256 * 1024
/** File name in stack traces of everything but the function's module. */
const internalFile = "portico"

const entryNames = ["load", "invoke", "settle", "fireTimer"] as const
export type PreludeEntry = (typeof entryNames)[number]

export interface IsolateDeps {
  wasm: WebAssembly.Module
  /** Memory limit in bytes. */
  memoryLimit: number
  sources: { prelude: string; globals: string; environment: string }
}

/** Snapshot of an isolate in which no function has run yet. */
export interface IsolateImage extends MemoryImage {
  entries: readonly Pointer[]
}

/** An engine in which everything but the function's module is loaded. */
export class Isolate extends QuickJs {
  readonly #entries: readonly Pointer[]

  constructor(wasm: WebAssembly.Module, image: IsolateImage) {
    super(wasm)
    this.restore(image)
    this.#entries = image.entries
  }

  /** Creates the snapshot that all isolates are copied from; done once, as it takes milliseconds. */
  static createImage({ wasm, memoryLimit, sources }: IsolateDeps): IsolateImage {
    const engine = new QuickJs(wasm)
    engine.start({ memory: memoryLimit, stack: stackBytes })
    const entries = loadPrelude(engine, sources)
    return { ...engine.takeImage(), entries }
  }

  /** @throws {QuickJsError} if the module cannot be parsed */
  load(code: string, json: string): void {
    this.#callEntry("load", [this.evaluateModule(code, moduleName), this.text(json)])
  }

  callEntry(entry: PreludeEntry, text: string): void {
    this.#callEntry(entry, [this.text(text)])
  }

  #callEntry(entry: PreludeEntry, args: readonly Pointer[]): void {
    this.free(this.call(this.#entries[entryNames.indexOf(entry)] ?? 0, args))
  }
}

/**
 * Runs the prelude, the web globals and the environment's script.
 * @returns the prelude's entry points, in the order of `entryNames`
 */
const loadPrelude = (engine: QuickJs, sources: IsolateDeps["sources"]): Pointer[] => {
  const [api = 0] = [sources.prelude, sources.globals].map((source) =>
    engine.call(engine.evaluate(source, internalFile), [engine.hostFunction()]),
  )
  const environment = engine.evaluate(sources.environment, internalFile)
  engine.free(engine.call(engine.property(api, "define"), [environment]))
  return entryNames.map((name) => engine.property(api, name))
}
