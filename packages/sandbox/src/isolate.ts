import type { MemoryImage } from "./memory-image.ts"
import { type HostCallbacks, QuickJs, type ReadString } from "./quickjs.ts"
import type { Pointer } from "./quickjs-exports.ts"
import { moduleName } from "./run-log.ts"

const stackBytes = 256 * 1024
/** File name in stack traces of everything but the function's module. */
const internalFile = "portico"

const entryNames = ["load", "invoke", "settle", "ring"] as const
export type PreludeEntry = (typeof entryNames)[number]

/**
 * The isolate's connection to the outside. A string thrown by `operate` becomes an error in the
 * function.
 */
export interface IsolateHost {
  operate(name: string, read: ReadString): string | undefined
  /** Called every few thousand steps. Returning true ends the run; its code cannot catch that. */
  interrupted(): boolean
}

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

const detachedHost: IsolateHost = { operate: () => undefined, interrupted: () => false }

/**
 * A QuickJS instance with its own memory in which everything but the function's module is loaded.
 */
export class Isolate {
  readonly #engine: QuickJs
  readonly #entries: readonly Pointer[]
  #host = detachedHost

  private constructor(
    make: (callbacks: HostCallbacks) => QuickJs,
    entriesOf: (engine: QuickJs) => readonly Pointer[],
  ) {
    this.#engine = make({
      onHostCall: (name, read) => this.#host.operate(name, read),
      interrupted: () => this.#host.interrupted(),
    })
    this.#entries = entriesOf(this.#engine)
  }

  /**
   * Creates the snapshot that all isolates are copied from; done once, because it takes
   * milliseconds.
   */
  static createImage({ wasm, memoryLimit, sources }: IsolateDeps): IsolateImage {
    const isolate = new Isolate(
      (callbacks) => QuickJs.create(wasm, callbacks, { memory: memoryLimit, stack: stackBytes }),
      (engine) => loadPrelude(engine, sources),
    )
    return { engine: isolate.#engine.image(), entries: isolate.#entries }
  }

  static copy(wasm: WebAssembly.Module, image: IsolateImage): Isolate {
    return new Isolate(
      (callbacks) => QuickJs.copy(wasm, callbacks, image.engine),
      () => image.entries,
    )
  }

  /** Removes all traces of the previous run. @returns false if the isolate has to be replaced */
  reset(image: IsolateImage): boolean {
    this.#host = detachedHost
    return this.#engine.reset(image.engine)
  }

  /** Attaches the host for the next run. */
  attach(host: IsolateHost): void {
    this.#host = host
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
