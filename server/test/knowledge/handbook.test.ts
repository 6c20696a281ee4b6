import { describe, expect, it } from "vitest"
import { createHandbook, documentationFolder } from "../../src/knowledge/search/handbook.ts"

describe("the handbook", () => {
  const { search } = createHandbook(documentationFolder)

  it.each([
    ["How do I create an API key?", "How do I create an API key?"],
    ["how can I connect a provider", "How do I connect a provider or a runtime?"],
    ["share a model with a group", "How do I share a model with a group or a person?"],
    ["How do I back up the data?", "Back up and restore"],
    ["how do I turn on SCIM", "Turn on SCIM"],
    ["can I use PostgreSQL", "PostgreSQL"],
    ["reset a forgotten password", "How do I reset a password?"],
    ["how do I write a function", "How do I write a function?"],
  ])("finds for “%s” the section “%s”", async (question, section) => {
    const found = await search(question, 3)
    const headings = found.map(({ heading }) => heading?.at(-1))
    expect(headings).toContain(section)
  })

  it("returns passages verbatim, with their offsets in the document's text", async () => {
    const [first] = await search("How do I create an API key?", 1)
    expect(first).toMatchObject({
      filename: "Getting started",
      file_id: "handbook/getting-started.md",
    })
    expect(first?.text).toContain("The key is shown once")
    expect((first?.end ?? 0) - (first?.start ?? 0)).toBe(first?.text.length)
  })

  it.each(["hello", "qwertz uiop", ""])("finds nothing for “%s”", async (question) => {
    expect(await search(question, 3)).toEqual([])
  })

  it("finds nothing without documents", async () => {
    expect(await createHandbook("/nowhere/at/all").search("API key", 3)).toEqual([])
  })
})
