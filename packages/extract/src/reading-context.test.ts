import { expect, it } from "vitest"
import { DocumentContext, type DocumentReader } from "./reading-context.ts"

const limits = { characters: 1000, unpacked: 1000, pages: 10, passages: 10 }

const contextWith = (read: DocumentReader) =>
  new DocumentContext({ limits, recognizer: null, extendTime: () => undefined }, read)

const attachment = (filename: string) => ({ bytes: Buffer.alloc(0), filename, contentType: "" })

it("names attachments in their warnings, and says nothing of pages recognized in them", async () => {
  const context = contextWith((_source, own) => {
    own.warn({ id: "document_pages_recognized", values: { count: 1, pages: "1" } })
    own.warn({ id: "document_pages_without_text", values: { count: 1, pages: "2" } })
    own.warn({ id: "document_pages_without_text", values: { count: 1, pages: "3" } })
    own.warn({ id: "document_encoding_uncertain", values: { encoding: "windows-1250" } })
    return { format: "pdf", blocks: [] }
  })
  await context.readAttachment(attachment("a.pdf"), [])
  expect(context.warnings).toEqual([
    { id: "document_attachment_incomplete", values: { name: "a.pdf" } },
    {
      id: "document_attachment_encoding_uncertain",
      values: { name: "a.pdf", encoding: "windows-1250" },
    },
  ])
})

it("lists losses first", async () => {
  const context = contextWith((_source, own) => {
    own.warn({ id: "document_encoding_uncertain", values: { encoding: "big5" } })
    return { format: "text", blocks: [] }
  })
  for (let number = 0; number < 30; number++) {
    await context.readAttachment(attachment(`${number}.txt`), [])
  }
  context.warn({ id: "document_pages_without_text", values: { count: 1, pages: "2" } })
  expect(context.warnings).toHaveLength(20)
  expect(context.warnings[0]).toMatchObject({ id: "document_pages_without_text" })
})

it("counts the text of nested attachments once", async () => {
  const context = contextWith(async ({ filename }, own) => {
    const text = filename === "text" ? "x".repeat(400) : ""
    const inner = text === "" ? await own.readAttachment(attachment("text"), []) : []
    return { format: "text", blocks: [...inner, { text, kind: "paragraph", location: {} }] }
  })
  await context.readAttachment(attachment("outer"), [])
  await context.readAttachment(attachment("outer"), [])
  await context.readAttachment(attachment("outer"), [])
  expect(context.warnings).toEqual([])
})

it("recognizes 500 pages of a document with its attachments", () => {
  const context = contextWith(() => ({ format: "text", blocks: [] }))
  for (let page = 0; page < 500; page++) expect(context.mayRecognizePage()).toBe(true)
  expect(context.mayRecognizePage()).toBe(false)
})
