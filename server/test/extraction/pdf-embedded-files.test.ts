import { expect, it } from "vitest"
import { createDocx } from "../files/make-documents.ts"
import { useDocumentReader } from "./document-reader.ts"
import { createFormPdf, streamObject } from "./make-form-pdf.ts"

const read = useDocumentReader()

const fileOf = (name: string, stream: number) =>
  `<</Type/Filespec/F(${name})/UF(${name})/EF<</F ${stream} 0 R>>>>`

it("reads the files of a portfolio after its cover page", async () => {
  const pdf = createFormPdf({
    pages: [{ text: [[50, 700, "Tender documents"]] }],
    catalog:
      "/Collection<</View/D>>/Names<</EmbeddedFiles<</Names[(a) 1000 0 R(b) 1002 0 R(c) 1004 0 R]>>>>",
    objects: [
      fileOf("prices.csv", 1001),
      streamObject("Item,Price\nSmoker,19.50\nHive tool,7.20\n"),
      fileOf("report.docx", 1003),
      streamObject(createDocx().toString("latin1")),
      fileOf("Standard.joboptions", 1005),
      streamObject("<< /ASCII85EncodePages false >>"),
    ],
  })
  const { text } = await read("portfolio.pdf", pdf)
  expect(text).toMatch(/^Tender documents/)
  expect(text).toContain("Item: Smoker | Price: 19.50")
  expect(text).toContain("Bees & wasps sting.")
  expect(text).not.toContain("ASCII85EncodePages")
})

it("reads the invoice data and the files attached to a page", async () => {
  const invoice = `<?xml version="1.0"?><Invoice><ID>2026-0815</ID><GrandTotalAmount>119.00</GrandTotalAmount></Invoice>`
  const pdf = createFormPdf({
    pages: [
      {
        annotations: [
          "<</Type/Annot/Subtype/FileAttachment/Rect[50 700 70 720]/Contents(A note)/FS 1002 0 R>>",
        ],
      },
    ],
    catalog: "/Names<</EmbeddedFiles<</Names[(factur-x.xml) 1000 0 R]>>>>",
    objects: [
      fileOf("factur-x.xml", 1001),
      streamObject(invoice),
      fileOf("note.txt", 1003),
      streamObject("Call before delivery."),
    ],
  })
  const { text } = await read("invoice.pdf", pdf)
  expect(text).toContain("2026-0815")
  expect(text).toContain("119.00")
  expect(text).toContain("Call before delivery.")
})
