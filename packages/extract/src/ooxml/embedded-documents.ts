import type { Block } from "../blocks.ts"
import { maxAttachments, type ReadingContext } from "../reading-context.ts"
import type { Zip } from "../zip/zip.ts"
import { readRelationships } from "./relationships.ts"

const embeddedDocument = /\/embeddings\/[^/]+\.(docx|docm|xlsx|xlsm|pptx|pptm|pdf)$/i
const chartRelationships = /\/charts\/_rels\/[^/]+\.rels$/

/** The workbooks with the data of charts, which are read with the charts. */
const findChartData = (zip: Zip): Set<string> => {
  const charts = zip.names
    .filter((name) => chartRelationships.test(name))
    .map((name) => name.replace("/_rels/", "/").replace(/\.rels$/, ""))
  const relationships = charts.flatMap((chart) => [...readRelationships(zip, chart).values()])
  return new Set(relationships.map(({ target }) => target))
}

/** Reads documents that were inserted as objects, such as a workbook in a letter. */
export const readEmbeddedDocuments = async (
  zip: Zip,
  context: ReadingContext,
): Promise<Block[]> => {
  const documents = zip.names.filter((name) => embeddedDocument.test(name))
  if (documents.length === 0) return []
  const chartData = findChartData(zip)
  const blocks: Block[] = []
  // One more than are read is reported by the context.
  const read = documents.filter((name) => !chartData.has(name)).slice(0, maxAttachments + 1)
  for (const name of read) {
    const filename = name.slice(name.lastIndexOf("/") + 1)
    const bytes = tryUnpack(zip, name)
    if (!bytes) {
      context.warn({ id: "document_attachment_unreadable", values: { name: filename } })
      continue
    }
    const source = { bytes, filename, contentType: "" }
    for (const block of await context.readAttachment(source, [filename])) blocks.push(block)
  }
  return blocks
}

const tryUnpack = (zip: Zip, name: string): Buffer | undefined => {
  try {
    return zip.read(name)
  } catch {
    return undefined
  }
}
