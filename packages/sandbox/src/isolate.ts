import type { EngineHost } from "./engine-host.ts"
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
export interface IsolateImage {
  engine: MemoryImage
  entries: readonly Pointer[]
}

/**
 * A QuickJS instance with its own memory in which everything but the function's module is loaded.
 */
export class Isolate {
  readonly #engine: QuickJs
  readonly #entries: readonly Pointer[]

  constructor(wasm: WebAssembly.Module, image: IsolateImage) {
    this.#engine = QuickJs.copy(wasm, image.engine)
    this.#entries = image.entries
  }

  /**
   * Creates the snapshot that all isolates are copied from; done once, because it takes
   * milliseconds.
   */
  static createImage({ wasm, memoryLimit, sources }: IsolateDeps): IsolateImage {
    const engine = QuickJs.create(wasm, { memory: memoryLimit, stack: stackBytes })
    const entries = loadPrelude(engine, sources)
    return { engine: engine.image(), entries }
  }

  /** Removes all traces of the previous run. @returns false if the isolate has to be replaced */
  reset(image: IsolateImage): boolean {
    return this.#engine.reset(image.engine)
  }

  /** Attaches the host for the next run. */
  attach(host: EngineHost): void {
    this.#engine.host = host
  }

  /** @throws {QuickJsError} if the module cannot be parsed */
  load(code: string, json: string): void {
    const module = this.#engine.evaluateModule(code, moduleName)
    this.#callFunction("load", [module, this.#engine.text(json)])
  }

  callEntry(entry: PreludeEntry, text: string): void {
    this.#callFunction(entry, [this.#engine.text(text)])
  }

  /** Runs pending jobs until none are left. */
  runJobs(): void {
    this.#engine.runJobs()
  }

  get memoryBytes(): number {
    return this.#engine.memoryBytes
  }

  #callFunction(entry: PreludeEntry, args: readonly Pointer[]): void {
    const callee = this.#entries[entryNames.indexOf(entry)] ?? 0
    this.#engine.free(this.#engine.call(callee, args))
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
