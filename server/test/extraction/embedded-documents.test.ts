import { expect, it } from "vitest"
import { extractBlocks } from "../../../packages/extract/src/extract-blocks.ts"
import { createZip } from "../files/make-documents.ts"

const limits = { characters: 1e6, passages: 1000, unpacked: 1e7, pages: 1000 }

const documentWith = (text: string): string =>
  `<w:document><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`

it("reads documents in Office documents, but not the data of charts", async () => {
  const inner = createZip({ "word/document.xml": documentWith("Price list.") })
  const bytes = createZip({
    "word/document.xml": documentWith("See the list."),
    "word/embeddings/Prices.docx": inner,
    "word/embeddings/Data.xlsx": inner,
    "word/charts/chart1.xml": "<c:chartSpace/>",
    "word/charts/_rels/chart1.xml.rels": `<Relationships><Relationship Id="r1" Type="x/package" Target="../embeddings/Data.xlsx"/></Relationships>`,
  })
  const source = { bytes, filename: "a.docx", contentType: "" }
  const resources = { limits, recognizer: null, extendTime: () => undefined }
  const { blocks } = await extractBlocks(source, resources)
  expect(blocks).toMatchObject([
    { text: "See the list." },
    { text: "Price list.", location: { heading: ["Prices.docx"] } },
  ])
})
