import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

const wasm = readFileSync(new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm")))

/**
 * Maps section ids of a WebAssembly module to their contents; see
 * https://webassembly.github.io/spec/core/binary/modules.html.
 */
const sections = (): Map<number, Buffer> => {
  const found = new Map<number, Buffer>()
  let at = 8
  while (at < wasm.length) {
    const id = wasm[at++] ?? 0
    let length = 0
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = wasm[at++] ?? 0
      length |= (byte & 0x7f) << shift
      more = byte >= 0x80
    }
    found.set(id, wasm.subarray(at, at + length))
    at += length
  }
  return found
}

it("QuickJS keeps all its state in one memory and one global, so that a snapshot is complete", () => {
  const found = sections()
  const [tables, memories, globals] = [4, 5, 6].map((id) => found.get(id)?.[0])
  expect({ tables, memories, globals }).toEqual({ tables: 1, memories: 1, globals: 1 })
  // The only mutable global, an i32: the stack pointer.
  expect([...(found.get(6) ?? [])].slice(1, 3)).toEqual([0x7f, 1])
})
