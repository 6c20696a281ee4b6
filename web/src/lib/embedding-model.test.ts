import { describe, expect, it } from "vitest"
import type { EmbeddingStatus } from "../../../server/src/knowledge/embedding/schema.ts"
import { findPulledModel, isIndexChanging } from "./embedding-model.ts"

type Admin = NonNullable<EmbeddingStatus["admin"]>

const statusOf = (choice: Partial<Admin["choice"]>, building: Admin["building"] = null) => ({
  model: {
    id: "bge-m3:latest",
    built_in: false,
    available: true,
    reason: null,
    reason_reference: null,
  },
  admin: {
    choice: {
      by: "administrator" as const,
      model: null,
      variable: null,
      problem: null,
      problem_reference: null,
      ...choice,
    },
    building,
    models: [],
    recommended: null,
    installable: [],
  },
})

describe("the index", () => {
  it.each<[string, EmbeddingStatus, boolean]>([
    ["it is complete", statusOf({ model: "bge-m3:latest" }), false],
    ["the choice is automatic", statusOf({}), false],
    ["semantic search is off", { ...statusOf({ model: "none" }), model: null }, false],
    ["passages are missing", statusOf({}, { model: "bge-m3:latest", done: 1, total: 2 }), true],
    ["another model was just chosen", statusOf({ model: "nomic-embed-text:latest" }), true],
    [
      "the chosen model is unavailable",
      statusOf({ model: "gone", problem: "It is gone.", problem_reference: null }),
      false,
    ],
    ["the user is not an administrator", { ...statusOf({ model: "other" }), admin: null }, false],
  ])("is or is not changing if %s", (_case, status, changing) => {
    expect(isIndexChanging(status)).toBe(changing)
  })
})

describe("a pulled model", () => {
  const available = (id: string) => ({ id, built_in: false, connections: ["Ollama"] })
  const models = [available("my-bge-m3:latest"), available("gpu.bge-m3:latest")]

  it("is found by its name with a tag, and with its connection's prefix", () => {
    expect(findPulledModel(models, "bge-m3")?.id).toBe("gpu.bge-m3:latest")
    expect(findPulledModel([...models, available("bge-m3:567m")], "bge-m3:567m")?.id).toBe(
      "bge-m3:567m",
    )
    expect(findPulledModel(models, "bge")).toBe(undefined)
  })
})
