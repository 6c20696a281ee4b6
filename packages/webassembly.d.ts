/**
 * The parts of the WebAssembly API in use; neither Node's types nor the ECMAScript library declare
 * it.
 */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  type ImportedFunction = (...args: number[]) => number | undefined
  class Module {
    constructor(bytes: Uint8Array)
    static exports(module: Module): { name: string }[]
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory | ImportedFunction>>)
    readonly exports: Record<string, unknown>
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
