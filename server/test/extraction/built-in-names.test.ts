import { expect, it } from "vitest"
import { extractBlocks } from "../../../packages/extract/src/extract-blocks.ts"
import { createZip } from "../files/make-documents.ts"

const limits = { characters: 1e6, passages: 1000, unpacked: 1e7, pages: 1000 }

const read = async (filename: string, content: string | Buffer): Promise<string[]> => {
  const source = { bytes: Buffer.from(content), filename, contentType: "" }
  const resources = { limits, recognizer: null, extendTime: () => undefined }
  const { blocks } = await extractBlocks(source, resources)
  return blocks.map(({ text }) => text)
}

/** What every object of JavaScript has. */
const names = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"]

it.each(names)("reads documents that use the name %s", async (name) => {
  const word = createZip({
    "word/document.xml": `<w:document><w:body><w:p><w:r><w:${name}/><w:sym w:font="${name}" w:char="F041"/><w:t>Bees</w:t></w:r><m:oMath><m:r><m:${name}/><m:t>x</m:t></m:r></m:oMath></w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>First</w:t></w:r></w:p></w:body></w:document>`,
    "word/numbering.xml": `<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="${name}"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
  })
  const [bees, first] = await read("a.docx", word)
  expect(bees).toMatch(/Bees\$x\$$/)
  expect(bees).not.toMatch(/function|native/)
  expect(first).toBe("1. First")
  const text = createZip({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": `<office:document-content><office:body><office:text><${name}/><text:p>Bees<${name}/></text:p></office:text></office:body></office:document-content>`,
  })
  expect(await read("a.odt", text)).toEqual(["Bees"])
  expect(await read("a.rtf", `{\\rtf1 Bees\\${name} dance}`)).toEqual([
    name.startsWith("_") ? expect.stringContaining("Bees") : "Beesdance",
  ])
})
