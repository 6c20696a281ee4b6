import { detachedHost } from "./engine-host.ts"
import {
  type MemoryImage,
  pageBytes,
  readUsedBlocks,
  restoreBlocks,
  writeBlocks,
} from "./memory-image.ts"
import { QuickJsError } from "./quickjs-error.ts"
import type { Pointer, QuickJsExports } from "./quickjs-exports.ts"
import { createWasiImports } from "./wasi.ts"
import { importsRejectedMessage } from "./worker-protocol.ts"

/** Memory allocated up front: an engine whose memory did not grow can be reset. */
const spareBytes = 1_000_000
const shortTextLength = 1024
const moduleFlag = 1

/** A QuickJS engine with its exports memory; call `start` or `restore` once before anything else. */
export class QuickJs {
  /** The host of the current run. */
  host = detachedHost
  readonly #exports: QuickJsExports
  #heap: Buffer
  #undefinedValue: Pointer = 0
  #startedAt: number | null = null

  constructor(wasm: WebAssembly.Module) {
    const instance = new WebAssembly.Instance(wasm, {
      env: {
        host_call: (_name, _length, _self, count, args) => this.#handleHostCall(count, args),
        host_interrupt: () => (this.host.shouldInterrupt() ? 1 : 0),
        host_promise_rejection: (promise, reason) => {
          this.free(promise, reason)
          return undefined
        },
        host_module_normalize: (_from, name) => this.#copyString(name),
        host_module_load: () => this.#throwIn(importsRejectedMessage),
        host_get_timezone_offset: () => 0,
      },
      wasi_snapshot_preview1: createWasiImports({
        memory: () => this.#memory,
        startedAt: () => this.#startedAt,
      }),
    })
    // Not validated: these are the exports of the one installed version.
    this.#exports = instance.exports as unknown as QuickJsExports
    this.#heap = Buffer.from(this.#exports.memory.buffer)
  }

  /** Starts the engine, with limits in bytes. */
  start({ memory, stack }: { memory: number; stack: number }): void {
    const exports = this.#exports
    exports._initialize()
    if (exports.qjs_init() !== 0) throw new Error("The JavaScript engine could not be started")
    exports.qjs_set_memory_limit(memory)
    exports.qjs_set_max_stack_size(stack)
    exports.qjs_set_interrupt_handler(1)
    exports.qjs_set_module_loader(1)
    this.#undefinedValue = exports.qjs_get_undefined()
    exports.wasm_free(exports.wasm_malloc(spareBytes))
  }

  /** Brings a new engine into the state of the image. */
  restore(image: MemoryImage): void {
    const { memory } = this.#exports
    memory.grow(image.pages - memory.buffer.byteLength / pageBytes)
    writeBlocks(this.#memory, image.blocks)
    this.#restorePointers(image)
  }

  takeImage(): MemoryImage {
    const exports = this.#exports
    const heap = this.#memory
    return {
      pages: heap.length / pageBytes,
      blocks: readUsedBlocks(heap),
      stack: exports.__stack_pointer.value,
      runtime: exports.qjs_get_runtime_ptr(),
      context: exports.qjs_get_context_ptr(),
      undefinedValue: this.#undefinedValue,
    }
  }

  /**
   * Removes all traces of a run by restoring every byte of the memory from the image.
   * @returns false if the memory has grown; the engine then has to be replaced
   */
  reset(image: MemoryImage): boolean {
    this.host = detachedHost
    const heap = this.#memory
    if (heap.length !== image.pages * pageBytes) return false
    restoreBlocks(heap, image.blocks)
    this.#restorePointers(image)
    return true
  }

  #restorePointers({ stack, runtime, context, undefinedValue }: MemoryImage): void {
    // The stack pointer is the only global that the engine writes; its state starts at these two
    // pointers.
    this.#exports.__stack_pointer.value = stack
    this.#exports.qjs_set_runtime_and_context(runtime, context)
    this.#undefinedValue = undefinedValue
    this.#startedAt = performance.now()
  }

  /** Creates the function through which the isolate calls the host. */
  hostFunction(): Pointer {
    return this.#useText("host", (name, length) =>
      this.#exports.qjs_new_host_function(name, length, 0),
    )
  }

  /** @throws {QuickJsError} if the code cannot be parsed */
  evaluate(code: string, file: string): Pointer {
    return this.#evaluate(code, file, 0)
  }

  /** @returns a promise of the module's namespace */
  evaluateModule(code: string, file: string): Pointer {
    return this.#evaluate(code, file, moduleFlag)
  }

  #evaluate(code: string, file: string, flags: number): Pointer {
    return this.#useText(file, (name) =>
      this.#useText(code, (text, length) =>
        this.#throwIfException(this.#exports.qjs_eval(text, length, name, flags)),
      ),
    )
  }

  /** Frees the arguments. @throws {QuickJsError} */
  call(callee: Pointer, args: readonly Pointer[]): Pointer {
    const exports = this.#exports
    const list = this.#allocate(args.length * 4)
    for (const [index, arg] of args.entries()) this.#memory.writeUInt32LE(arg, list + index * 4)
    const result = exports.qjs_call(callee, this.#undefinedValue, args.length, list)
    exports.wasm_free(list)
    this.free(...args)
    return this.#throwIfException(result)
  }

  /** Runs pending jobs until none are left. @throws {QuickJsError} */
  runJobs(): void {
    const exports = this.#exports
    while (exports.qjs_is_job_pending())
      if (exports.qjs_execute_pending_job() < 0) throw this.#takeException()
  }

  property(value: Pointer, name: string): Pointer {
    return this.#useText(name, (at) => this.#exports.qjs_get_prop_string(value, at))
  }

  text(value: string): Pointer {
    return this.#useText(value, (at, length) => this.#exports.qjs_new_string(at, length))
  }

  free(...values: Pointer[]): void {
    for (const value of values) this.#exports.qjs_free_value(value)
  }

  get memoryBytes(): number {
    const exports = this.#exports
    const to = exports.wasm_malloc(26 * 8)
    if (to === 0) return this.#memory.length
    exports.qjs_compute_memory_usage(to)
    // `memory_used_size` is the third 64-bit field.
    const used = Number(this.#memory.readBigInt64LE(to + 16))
    exports.wasm_free(to)
    return used
  }

  /** A view of the engine's memory, renewed after growth because the old buffer is detached. */
  get #memory(): Buffer {
    if (this.#heap.length === 0) this.#heap = Buffer.from(this.#exports.memory.buffer)
    return this.#heap
  }

  #allocate(bytes: number): Pointer {
    return this.#exports.wasm_malloc(Math.max(bytes, 1)) || throwOutOfMemory()
  }

  /** Calls `use` with a null-terminated copy of the text in the engine's memory. */
  #useText<T>(text: string, use: (at: Pointer, length: number) => T): T {
    const max = text.length <= shortTextLength ? text.length * 3 : Buffer.byteLength(text)
    const at = this.#allocate(max + 1)
    const length = this.#memory.write(text, at, max, "utf8")
    this.#memory[at + length] = 0
    const result = use(at, length)
    this.#exports.wasm_free(at)
    return result
  }

  #readString(value: Pointer, max: number): string {
    const exports = this.#exports
    if (exports.qjs_is_string(value) === 0) throw "Only strings can be passed to the host"
    const lengthTo = this.#allocate(4)
    const at = exports.qjs_get_string_len(value, lengthTo)
    const length = this.#memory.readUInt32LE(lengthTo)
    exports.wasm_free(lengthTo)
    if (at === 0) return throwOutOfMemory()
    // A UTF-8 character has at least one byte, so only longer strings need counting.
    const characters = length <= max ? length : this.#lengthOf(value)
    const text = characters <= max ? this.#memory.toString("utf8", at, at + length) : ""
    exports.qjs_free_cstring(at)
    if (characters <= max) return text
    throw `String of ${characters} characters is too long (maximum ${max})`
  }

  #lengthOf(text: Pointer): number {
    const length = this.property(text, "length")
    const characters = this.#exports.qjs_get_float64(length)
    this.free(length)
    return characters
  }

  #throwIfException(value: Pointer): Pointer {
    if (this.#exports.qjs_is_exception(value) === 0) return value
    this.free(value)
    throw this.#takeException()
  }

  #takeException(): QuickJsError {
    const error = this.#exports.qjs_get_exception()
    const name = this.#readField(error, "name")
    const message = this.#readField(error, "message")
    const stack = this.#readField(error, "stack")
    this.free(error)
    return new QuickJsError({ name, message, stack })
  }

  #readField(error: Pointer, name: string): string {
    const value = this.property(error, name)
    const isText = this.#exports.qjs_is_string(value) !== 0
    const text = isText ? this.#readString(value, spareBytes) : ""
    this.free(value)
    return text
  }

  /** @returns an owned value, or 0 if an error was thrown in the function */
  #handleHostCall(count: number, args: Pointer): Pointer {
    const exports = this.#exports
    try {
      const [name = 0, text = name] = Array.from({ length: Math.min(count, 2) }, (_, index) =>
        this.#memory.readUInt32LE(args + index * 4),
      )
      if (name === 0) throw "Only strings can be passed to the host"
      const answer = this.host.operate(this.#readString(name, 20), (max) =>
        this.#readString(text, max),
      )
      return answer === undefined ? exports.qjs_dup_value(this.#undefinedValue) : this.text(answer)
    } catch (error) {
      // Only strings are thrown on purpose; stack traces of the gateway must not reach the
      // function.
      return this.#throwIn(typeof error === "string" ? error : "Malformed call to the host")
    }
  }

  #throwIn(message: string): 0 {
    const exports = this.#exports
    const error = exports.qjs_new_error()
    const text = this.text(message)
    this.#useText("message", (name) => exports.qjs_set_prop_string(error, name, text))
    exports.qjs_throw(error)
    this.free(text, error)
    return 0
  }

  /** A copy of a string that the engine frees itself. */
  #copyString(text: Pointer): Pointer {
    const end = this.#memory.indexOf(0, text)
    const copy = this.#allocate(end - text + 1)
    this.#memory.copyWithin(copy, text, end + 1)
    return copy
  }
}

/** The engine's own wording, recognized by `outcomeOf` in function-error.ts. */
const throwOutOfMemory = (): never => {
  throw "out of memory"
}
