import { describe, expect, it } from "vitest"
import type { Message } from "../../lib/chat-api.ts"
import { createTestMessage } from "../../lib/test-message.ts"
import { findCollectionSearch } from "./collection-search.ts"

const harbour = { type: "collection", id: "harbour", name: "Harbour" } as const
const file = { type: "file", id: "tide-table", name: "tides.csv" } as const

const question = (id: string, parent_id: string | null, files: Message["files"]): Message =>
  createTestMessage({ id, parent_id, content: ` ${id}? `, files })
const createAnswer = (id: string, parent_id: string): Message =>
  createTestMessage({ id, parent_id, role: "assistant", model: "mistral" })

const answer = createAnswer("answer", "And on Sundays")
const messages = [
  question("When is high water", null, [harbour]),
  createAnswer("first answer", "When is high water"),
  question("And on Sundays", "first answer", [file, harbour]),
  answer,
]
const chat = { messages, writable: true }

describe("the search for an answer's question", () => {
  it("uses the first attached collection and includes the previous question", () => {
    expect(findCollectionSearch(chat, answer)).toEqual({
      collectionId: "harbour",
      search: { q: "And on Sundays?", previous: "When is high water?", model: "mistral" },
      previousAnswer: "first answer",
    })
    const first = findCollectionSearch(chat, messages[1] ?? answer)
    expect(first?.search.previous).toBe(undefined)
    expect(first?.previousAnswer).toBe(undefined)
  })

  it("is truncated where the URL would become too long", () => {
    const long = messages.map((one) => ({ ...one, content: "x".repeat(50_000) }))
    const found = findCollectionSearch({ ...chat, messages: long }, answer)
    expect(found?.search.previous?.length).toBe(800)
    expect(found?.previousAnswer?.length).toBe(10_000)
  })

  it.each([
    [
      "only files are attached",
      { messages: [question("Why", null, [file]), createAnswer("a", "Why")] },
    ],
    ["the chat belongs to another user", { messages, writable: false }],
    ["the question is missing", { messages: [answer] }],
    [
      "messages are each other's parents",
      { messages: [createAnswer("a", "b"), createAnswer("b", "a")] },
    ],
  ])("is not offered if %s", (_case, changes) => {
    const last = changes.messages.at(-1) ?? answer
    expect(findCollectionSearch({ ...chat, ...changes }, last)).toBe(null)
  })
})
