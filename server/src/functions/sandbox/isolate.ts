import type { Image } from "./memory-image.ts"
import { Engine, type Outside, type Read } from "./quickjs.ts"
import type { Pointer } from "./quickjs-exports.ts"
import { moduleName } from "./run-log.ts"

const stackBytes = 256 * 1024

const entryNames = ["load", "invoke", "settle", "ring"] as const
export type Entry = (typeof entryNames)[number]

/**
 * The isolate's connection to the outside. A string thrown by `operate` becomes an error in the
 * function.
 */
export interface Host {
  operate(name: string, read: Read): string | undefined
  /** Called every few thousand steps. Returning true ends the run; its code cannot catch that. */
  interrupted(): boolean
}

export interface MachineDeps {
  wasm: WebAssembly.Module
  /** Memory limit in bytes. */
  memory: number
  sources: { prelude: string; globals: string }
}

/** Snapshot of an isolate in which no function has run yet. */
export interface MachineImage {
  engine: Image
  entries: readonly Pointer[]
}

const nobody: Host = { operate: () => undefined, interrupted: () => false }

/**
 * A QuickJS instance with its own memory in which everything but the function's module is loaded.
 */
export class Machine {
  readonly #engine: Engine
  readonly #entries: readonly Pointer[]
  #host = nobody

  private constructor(
    make: (outside: Outside) => Engine,
    entriesOf: (engine: Engine) => readonly Pointer[],
  ) {
    this.#engine = make({
      called: (name, read) => this.#host.operate(name, read),
      interrupted: () => this.#host.interrupted(),
    })
    this.#entries = entriesOf(this.#engine)
  }

  /**
   * Creates the snapshot that all isolates are copied from; done once, because it takes
   * milliseconds.
   */
  static image({ wasm, memory, sources }: MachineDeps): MachineImage {
    const machine = new Machine(
      (outside) => Engine.create(wasm, outside, { memory, stack: stackBytes }),
      (engine) => furnish(engine, sources),
    )
    return { engine: machine.#engine.image(), entries: machine.#entries }
  }

  static copy(wasm: WebAssembly.Module, image: MachineImage): Machine {
    return new Machine(
      (outside) => Engine.copy(wasm, outside, image.engine),
      () => image.entries,
    )
  }

  /** Removes all traces of the previous run. @returns false if the isolate has to be replaced */
  reset(image: MachineImage): boolean {
    this.#host = nobody
    return this.#engine.reset(image.engine)
  }

  /** Attaches the host for the next run. */
  serve(host: Host): void {
    this.#host = host
  }

  /** @throws {QuickJsError} if the module cannot be parsed */
  load(code: string, json: string): void {
    const module = this.#engine.evaluateModule(code, moduleName)
    this.#callFunction("load", [module, this.#engine.text(json)])
  }

  call(entry: Entry, text: string): void {
    this.#callFunction(entry, [this.#engine.text(text)])
  }

  /** Runs pending jobs until none are left. */
  runJobs(): void {
    this.#engine.runJobs()
  }

  get memoryBytes(): number {
    return this.#engine.usedBytes
  }

  #callFunction(entry: Entry, args: readonly Pointer[]): void {
    const callee = this.#entries[entryNames.indexOf(entry)] ?? 0
    this.#engine.free(this.#engine.call(callee, args))
  }
}

/**
 * Runs the prelude and web globals.
 * @returns the prelude's entry points, in the order of `entryNames`
 */
const furnish = (engine: Engine, { prelude, globals }: MachineDeps["sources"]): Pointer[] => {
  const [api = 0] = [prelude, globals].map((source) =>
    engine.call(engine.evaluate(source, "portico"), [engine.hostFunction()]),
  )
  return entryNames.map((name) => engine.property(api, name))
}
