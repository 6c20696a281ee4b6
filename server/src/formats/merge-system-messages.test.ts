import { describe, expect, it } from "vitest"
import { mergeSystemMessages } from "./merge-system-messages.ts"

const system = (content: unknown) => ({ role: "system", content })
const user = (content: unknown) => ({ role: "user", content })
const assistant = { role: "assistant", content: "Yes?" }
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }

describe("system messages", () => {
  it("at the beginning become one", () => {
    expect(mergeSystemMessages([system("a"), system("b"), user("c")])).toEqual([
      system("a\n\nb"),
      user("c"),
    ])
  })

  it("after a message of the user become part of it", () => {
    const messages = [system("a"), user("b"), system("c"), assistant, user([image]), system("d")]
    expect(mergeSystemMessages(messages)).toEqual([
      system("a"),
      user("b\n\nc"),
      assistant,
      user([image, { type: "text", text: "d" }]),
    ])
  })

  it("after an answer become a message of the user", () => {
    expect(mergeSystemMessages([user("a"), assistant, system("b")])).toEqual([
      user("a"),
      assistant,
      user("b"),
    ])
  })

  it("are merged in linear time", () => {
    const startedAt = performance.now()
    const messages = Array.from({ length: 40_000 }, () => system([image]))
    const [merged] = mergeSystemMessages(messages)
    expect(merged?.content).toHaveLength(40_000)
    // Copying the content for each message took half a minute.
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })
})
