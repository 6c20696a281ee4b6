import { describe, expect, it } from "vitest"
import { storageTrouble } from "./connection-errors.ts"

const words = "database or disk is full"

describe("storage failures", () => {
  it("are recognized by the message of another thread's error", () => {
    expect(storageTrouble(new Error(words))).toBe("full")
    expect(storageTrouble(new Error("disk I/O error"))).toBe("broken")
  })

  it("are not inferred from a provider's message about its own disk", () => {
    const refused = Object.assign(new Error(`it answered 400: ${words}`), { name: "RefusedError" })
    expect(storageTrouble(refused)).toBeNull()
    expect(storageTrouble(new SyntaxError(`"${words}" is not valid JSON`))).toBeNull()
  })
})
