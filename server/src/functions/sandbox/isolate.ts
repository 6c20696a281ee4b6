import type { Image } from "./memory-image.ts"
import { Engine, type Outside, type Read } from "./quickjs.ts"
import type { Pointer } from "./quickjs-exports.ts"
import { moduleName } from "./run-log.ts"

const stackBytes = 256 * 1024

const entryNames = ["load", "invoke", "settle", "ring"] as const
export type Entry = (typeof entryNames)[number]

/** What the machine's one host function does; a text that is thrown is an error in the guest. */
export interface Host {
  operate(name: string, read: Read): string | undefined
  /** Asked every few thousand steps; true ends the guest, and nothing in it can catch that. */
  interrupted(): boolean
}

export interface MachineDeps {
  wasm: WebAssembly.Module
  /** Bytes. */
  memory: number
  sources: { prelude: string; globals: string }
}

/** A machine as it is before it serves anybody. */
export interface MachineImage {
  engine: Image
  entries: readonly Pointer[]
}

const nobody: Host = { operate: () => undefined, interrupted: () => false }

/** A QuickJS of its own memory, in which everything is ready but the author's module. */
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

  /** What all machines are copies of: made once, as it takes milliseconds. */
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

  /** Nothing of whom it served is left. @returns false where another has to take its place */
  reset(image: MachineImage): boolean {
    this.#host = nobody
    return this.#engine.reset(image.engine)
  }

  /** Whom it serves from now on. */
  serve(host: Host): void {
    this.#host = host
  }

  /** @throws what the engine says of a module that does not parse */
  load(code: string, json: string): void {
    const module = this.#engine.evaluateModule(code, moduleName)
    this.#enter("load", [module, this.#engine.text(json)])
  }

  call(entry: Entry, text: string): void {
    this.#enter(entry, [this.#engine.text(text)])
  }

  /** Runs what waits to be run, until nothing does. */
  runJobs(): void {
    this.#engine.runJobs()
  }

  get memoryBytes(): number {
    return this.#engine.usedBytes
  }

  #enter(entry: Entry, args: readonly Pointer[]): void {
    const callee = this.#entries[entryNames.indexOf(entry)] ?? 0
    this.#engine.free(this.#engine.call(callee, args))
  }
}

/** @returns the prelude's entries, in their order */
const furnish = (engine: Engine, { prelude, globals }: MachineDeps["sources"]): Pointer[] => {
  const [api = 0] = [prelude, globals].map((source) =>
    engine.call(engine.evaluate(source, "portico"), [engine.hostFunction()]),
  )
  return entryNames.map((name) => engine.property(api, name))
}
