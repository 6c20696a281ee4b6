import { describe, expect, it } from "vitest"
import type { Message } from "./chat-api.ts"
import { buildTurns, findNewestLeaf } from "./chat-tree.ts"
import { createTestMessage } from "./test-message.ts"

const message = (id: string, parent_id: string | null, batch: string | null = null): Message =>
  createTestMessage({ id, parent_id, batch, role: batch === null ? "user" : "assistant" })

const messages = [
  message("first", null),
  message("answer", "first", "a"),
  message("again", "first", "b"),
  message("beside", "first", "b"),
  message("other wording", null),
  message("under again", "again"),
  message("end", "under again", "c"),
]

describe("the shown branch", () => {
  it("leads from the root to the message, with answers side by side as one turn", () => {
    const turns = buildTurns(messages, "end")
    expect(turns.map(({ chosen }) => chosen.id)).toEqual(["first", "again", "under again", "end"])
    expect(turns[1]?.messages.map(({ id }) => id)).toEqual(["again", "beside"])
  })

  it("lists the alternatives of each turn", () => {
    const [root, answers] = buildTurns(messages, "end")
    expect(root?.alternatives.map(({ id }) => id)).toEqual(["first", "other wording"])
    expect(answers?.alternatives.map(({ id }) => id)).toEqual(["answer", "again"])
    expect([root?.alternativeIndex, answers?.alternativeIndex]).toEqual([0, 1])
  })

  it("is empty without a message and stops at a missing parent", () => {
    expect(buildTurns(messages, null)).toEqual([])
    expect(buildTurns([message("child", "gone")], "child")).toHaveLength(1)
  })

  it("terminates if messages are each other's parents", () => {
    const knot = [message("a", "b"), message("b", "a")]
    expect(buildTurns(knot, "a").length).toBe(2)
  })
})

describe("the newest leaf below a message", () => {
  it("follows the newest replies, and the first of those side by side", () => {
    expect(findNewestLeaf(messages, "first")).toBe("end")
    expect(findNewestLeaf(messages.slice(0, 4), "first")).toBe("again")
    expect(findNewestLeaf(messages, "other wording")).toBe("other wording")
  })
})
