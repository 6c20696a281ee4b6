import { expect, it } from "vitest"
import { createCompoundFile, type Storage } from "../files/make-compound-file.ts"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()

const content = Buffer.from("EncryptedPackage", "utf16le")

it.each<[name: string, parts: Storage, error: RegExp]>([
  ["a.doc", { WordDocument: content }, /^This is a Word document.*save it as \.docx/],
  ["upper.doc", { WORDDOCUMENT: content }, /^This is a Word document/],
  ["a.xls", { Workbook: content }, /^This is an Excel workbook.*save it as \.xlsx/],
  ["excel5.xls", { Book: content }, /^This is an Excel workbook/],
  ["a.ppt", { "PowerPoint Document": content }, /^This is a PowerPoint.*save it as \.pptx/],
  ["a.vsd", { VisioDocument: content }, /^This is a Visio drawing.*save it as a PDF/],
  ["a.pub", { Contents: content, Quill: { QuillSub: content } }, /^This is a Publisher document/],
  ["a.wps", { MatOST: content }, /^This is a Microsoft Works document/],
  ["a.mpp", { "   114": { x: content } }, /^This is a Microsoft Project plan/],
  ["a.hwp", { FileHeader: content, BodyText: { Section0: content } }, /^This is a Hangul document/],
  ["other.bin", { Something: content, constructor: content }, /old Windows format/],
])("says what %s is and what to do with it", async (name, parts, error) => {
  const { data } = await read(name, createCompoundFile(parts))
  expect(data).toMatchObject({ error_code: "unsupported", error: expect.stringMatching(error) })
})

it("recognizes a Windows installer", async () => {
  const installer = createCompoundFile(
    { x: content },
    { classId: "84100c0000000000c000000000000046" },
  )
  expect((await read("setup.msi", installer)).data.error).toMatch(/Windows installer/)
})

it("asks for the password of an encrypted document to be removed", async () => {
  const encrypted = createCompoundFile({ EncryptionInfo: content, EncryptedPackage: content })
  const { data } = await read("secret.docx", encrypted)
  expect(data).toMatchObject({ error_code: "protected" })
})

it("reports a damaged directory", async () => {
  const damaged = createCompoundFile({ WordDocument: content }).subarray(0, 600)
  expect((await read("damaged.doc", damaged)).data.error_code).toBe("damaged")
})
