import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { stripUnusedExports } from "./strip-unused-exports.ts"

const binary = readFileSync(new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm")))

it("removes the engine's unused exports and nothing else", () => {
  const before = WebAssembly.Module.exports(new WebAssembly.Module(binary))
  const after = WebAssembly.Module.exports(new WebAssembly.Module(stripUnusedExports(binary)))
  expect(after.length).toBeLessThan(before.length / 2)
  expect(after.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["memory", "qjs_eval", "qjs_call", "wasm_malloc", "__stack_pointer"]),
  )
})
