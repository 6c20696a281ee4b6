import { EvalFlags, type JSValueHandle, QuickJS } from "quickjs-wasi"
import { moduleName } from "./guest-log.ts"
import { noImports } from "./protocol.ts"

const stackBytes = 256 * 1024

const entryNames = ["load", "invoke", "settle", "ring", "abort"] as const
export type Entry = (typeof entryNames)[number]

/** What the machine's one host function does; a text that is thrown is an error in the guest. */
export interface Host {
  /** @param read takes the text over, if it has no more than so many characters */
  operate(name: string, read: (most: number) => string): string | undefined
  /** Asked every few thousand steps; true ends the guest, and nothing in it can catch that. */
  interrupted(): boolean
}

export interface MachineNeeds {
  wasm: WebAssembly.Module
  /** Bytes. */
  memory: number
  sources: { prelude: string; globals: string }
}

const longestOperation = 20

/** A QuickJS of its own memory, in which everything is ready but the author's module. */
export class Machine {
  readonly #vm: QuickJS
  readonly #entries = new Map<Entry, JSValueHandle>()
  #host: Host

  private constructor(vm: QuickJS, host: Host) {
    this.#vm = vm
    this.#host = host
  }

  static async create({ wasm, memory, sources }: MachineNeeds): Promise<Machine> {
    const host: { current: Host } = {
      current: { operate: () => undefined, interrupted: () => false },
    }
    const vm = await QuickJS.create({
      wasm,
      memoryLimit: memory,
      maxStackSize: stackBytes,
      interruptHandler: () => host.current.interrupted(),
      timezoneOffset: 0,
      moduleLoader: {
        normalize: (_from: string, name: string) => name,
        load: () => {
          // A text: the stack of an Error would tell the guest of our files.
          throw noImports
        },
      },
      // What the engine itself would print goes nowhere.
      wasi: () => ({ fd_write: () => 8 }),
    })
    const machine = new Machine(vm, host.current)
    host.current = {
      operate: (...asked) => machine.#host.operate(...asked),
      interrupted: () => machine.#host.interrupted(),
    }
    machine.#furnish(sources)
    return machine
  }

  /** Whom it serves from now on. */
  serve(host: Host): void {
    this.#host = host
  }

  /** @throws what the engine says of a module that does not parse */
  load(code: string, json: string): void {
    const module = this.#vm.evalCode(code, moduleName, EvalFlags.TYPE_MODULE)
    module.consume((handle) => this.#enter("load", handle, json))
  }

  call(entry: Entry, json: string): void {
    this.#enter(entry, null, json)
  }

  /** Runs what waits to be run, until nothing does. */
  runJobs(): void {
    this.#vm.executePendingJobs()
  }

  get memoryBytes(): number {
    return this.#vm.getMemoryUsage().memoryUsedSize
  }

  #furnish({ prelude, globals }: MachineNeeds["sources"]): void {
    const vm = this.#vm
    const host = vm.newFunction("host", (name, text) => this.#operated(name, text))
    const made = [prelude, globals].map((source) =>
      vm.evalCode(source, "portico").consume((make) => vm.callFunction(make, vm.undefined, host)),
    )
    const [api] = made
    for (const entry of entryNames) if (api) this.#entries.set(entry, api.getProp(entry))
    for (const handle of [host, ...made]) handle.dispose()
  }

  #operated(name: JSValueHandle, text: JSValueHandle): JSValueHandle {
    const operation = this.#read(name, longestOperation)
    const answer = this.#operate(operation, text)
    return answer === undefined ? this.#vm.undefined : this.#vm.newString(answer)
  }

  #operate(name: string, text: JSValueHandle): string | undefined {
    try {
      return this.#host.operate(name, (most) => this.#read(text, most))
    } catch (error) {
      // Only texts are thrown on purpose; a stack of ours is none of the guest's business.
      throw typeof error === "string" ? error : "What was handed over is malformed"
    }
  }

  #read(handle: JSValueHandle, most: number): string {
    if (!handle.isString) throw "Only text crosses"
    const { length } = handle
    if (length > most) throw `${length} characters are too many: ${most} can be handed over at once`
    const text = handle.toString()
    // What the library says when the engine has no memory left to hand a text over.
    if (text === "<null>" && length !== text.length) throw "out of memory"
    return text
  }

  #enter(entry: Entry, first: JSValueHandle | null, json: string): void {
    const callee = this.#entries.get(entry)
    if (!callee) throw new Error(`the prelude has no ${entry}`)
    const text = this.#vm.newString(json)
    const args = first ? [first, text] : [text]
    this.#vm.callFunction(callee, this.#vm.undefined, ...args).dispose()
    text.dispose()
  }
}
