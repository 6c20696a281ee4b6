import type { Block } from "../blocks.ts"
import { walkXml } from "../markup.ts"
import { findDatesInXml } from "../metadata-dates.ts"
import type { ReadingContext } from "../reading-context.ts"
import { readHtml } from "../text/html.ts"
import { failUnreadable } from "../unreadable.ts"
import { resolveArchivePath, type Zip } from "./zip.ts"

const decodeHref = (href: string): string => {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}

/** The chapters of an EPUB in reading order (EPUB 3.3, §5). */
export const readEpub = (zip: Zip, context: ReadingContext): Block[] => {
  let opf = ""
  walkXml(zip.readText("META-INF/container.xml"), {
    open: (name, attributes) => {
      if (name === "rootfile" && opf === "") opf = attributes["full-path"] ?? ""
    },
  })
  if (zip.has("META-INF/encryption.xml") && zip.has("META-INF/rights.xml")) {
    failUnreadable("protected", { id: "document_copy_protected" })
  }
  const targets = new Map<string, string>()
  const order = new Set<string>()
  walkXml(zip.readText(opf), {
    open: (name, { id = "", href = "", idref = "" }) => {
      const bare = name.replace(/^.*:/, "")
      if (bare === "item") targets.set(id, resolveArchivePath(opf, decodeHref(href)))
      if (bare === "itemref") order.add(idref)
    },
  })
  context.noteDates(() => findDatesInXml(zip.readText(opf), ["modified", "date"]))
  return [...order].flatMap((id) => {
    const page = zip.read(targets.get(id) ?? "")
    return page ? readHtml(page.toString("utf8")) : []
  })
}
