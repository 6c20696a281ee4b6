import { afterEach, describe, expect, it } from "vitest"
import { createTypeStripper } from "./index.ts"

const stripper = createTypeStripper()
afterEach(() => stripper.close())

describe("the type stripper", () => {
  it("removes types and keeps every line and column", async () => {
    const source = "interface A { b: string }\nexport const c = (d: A): string => d.b\n"
    const code = `${" ".repeat(25)}\nexport const c = (d   )         => d.b\n`
    expect(await stripper.strip(source)).toEqual({ code })
  })

  it("reports the position of an error", async () => {
    expect(await stripper.strip("const a = 1\nconst b: = 2")).toMatchObject({
      problem: { message: expect.any(String), line: 2, column: 10 },
    })
  })

  it("rejects syntax that is more than types", async () => {
    expect(await stripper.strip("enum A { B }")).toMatchObject({ problem: { line: 1 } })
  })

  it("survives a source that breaks the parser", async () => {
    const deep = `${"(".repeat(100_000)}1${")".repeat(100_000)}`
    const [broken, next] = await Promise.all([
      stripper.strip(deep),
      stripper.strip("let a: number"),
    ])
    expect(broken).toMatchObject({ problem: { line: null } })
    expect(next).toEqual({ code: "let a        " })
  })
})
