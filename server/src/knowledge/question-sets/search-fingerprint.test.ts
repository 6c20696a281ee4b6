import { describe, expect, it } from "vitest"
import { findChange, SearchFingerprint } from "./search-fingerprint.ts"

const create = (fields: Partial<SearchFingerprint> = {}): SearchFingerprint =>
  SearchFingerprint.parse({ version: "1.9.0", model: "m", reranker: "r", ...fields })

describe("a change of the search", () => {
  it("has a reason", () => {
    expect(findChange(null, create())).toBe("questions")
    expect(findChange(create(), create())).toBeNull()
    expect(findChange(create(), create({ model: "n" }))).toBe("model")
    expect(findChange(create(), create({ budget: 1 }))).toBe("settings")
    expect(findChange(create(), create({ reranker: "s" }))).toBe("settings")
    expect(findChange(create(), create({ filesDigest: "1" }))).toBe("files")
  })

  it("is the same for two replicas that differ, so that they do not take turns", () => {
    const newer = create({ version: "1.10.0" })
    expect(findChange(create(), newer)).toBe("version")
    expect(findChange(newer, create())).toBeNull()
    const withoutReranker = create({ reranker: "" })
    expect(findChange(withoutReranker, create())).toBe("settings")
    expect(findChange(create(), withoutReranker)).toBeNull()
  })
})
