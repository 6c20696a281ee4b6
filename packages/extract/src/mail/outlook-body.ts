import { readRtf } from "../text/rtf.ts"
import { decodeCodePage } from "./code-page.ts"
import { decompressRtf } from "./compressed-rtf.ts"
import { readEncapsulatedText } from "./encapsulated-html.ts"
import type { MapiProperties } from "./mapi-properties.ts"

const ids = { body: 0x1000, html: 0x1013, compressedRtf: 0x1009 }

export interface OutlookBody {
  text: string
  html: string
}

const readRtfBody = (properties: MapiProperties): OutlookBody => {
  const rtf = decompressRtf(properties.binary(ids.compressedRtf) ?? Buffer.alloc(0))
  const encapsulated = readEncapsulatedText(rtf)
  if (encapsulated) return encapsulated
  const paragraphs = readRtf(rtf.toString("latin1")).map(({ text }) => text)
  return { text: paragraphs.join("\n\n"), html: "" }
}

/** The text of an item, which is stored as plain text, HTML or RTF, or as several of them. */
export const readOutlookBody = (properties: MapiProperties): OutlookBody => {
  const text = properties.string(ids.body)
  const bytes = properties.binary(ids.html)
  const html = bytes ? decodeCodePage(bytes, properties.htmlCodePages) : properties.string(ids.html)
  if (html) return { text, html }
  const rtf = readRtfBody(properties)
  return { text: text.trim() ? text : rtf.text, html: rtf.html }
}
