import { describe, expect, it } from "vitest"
import { storageFailureOf } from "./outages.ts"

const diskFullMessage = "database or disk is full"

describe("storage failures", () => {
  it("are recognized by the message of another thread's error", () => {
    expect(storageFailureOf(new Error(diskFullMessage))).toBe("full")
    expect(storageFailureOf(new Error("disk I/O error"))).toBe("broken")
  })

  it("are not inferred from a provider's message about its own disk", () => {
    const refused = Object.assign(new Error(`it answered 400: ${diskFullMessage}`), {
      name: "RefusedError",
    })
    expect(storageFailureOf(refused)).toBeNull()
    expect(storageFailureOf(new SyntaxError(`"${diskFullMessage}" is not valid JSON`))).toBeNull()
  })
})
