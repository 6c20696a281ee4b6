import { walkMarkup } from "./markup.ts"
import { localName } from "./ooxml/office-xml.ts"

/** Metadata is at the start. */
const maxMetadata = 100_000

/** The time of the last change comes before that of the creation. */
const htmlNames = [
  "dcterms.modified",
  "dc.date.modified",
  "article:modified_time",
  "last-modified",
  "datemodified",
  "dcterms.created",
  "article:published_time",
  "dc.date",
  "date",
]

/**
 * The texts of elements, in the order of `names`.
 * @param names without namespace prefixes; of `meta` elements, their `property`
 */
export const findDatesInXml = (source: string, names: readonly string[]): string[] => {
  const textByName = new Map<string, string>()
  let current = ""
  const handler = {
    open: (name: string, attributes: Record<string, string>) => {
      current = localName(localName(name) === "meta" ? (attributes.property ?? name) : name)
    },
    close: () => {
      current = ""
    },
    text: (piece: string) => {
      if (names.includes(current))
        textByName.set(current, `${textByName.get(current) ?? ""}${piece}`)
    },
  }
  walkMarkup(source.slice(0, maxMetadata), handler, true)
  return names.flatMap((name) => textByName.get(name) ?? [])
}

/** The dates in the `meta` elements of a page. */
export const findDatesInHtml = (source: string): string[] => {
  const contentByName = new Map<string, string>()
  const open = (element: string, attributes: Record<string, string>): void => {
    if (element !== "meta") return
    const { name, property, itemprop, "http-equiv": header, content } = attributes
    const key = (name ?? property ?? itemprop ?? header ?? "").toLowerCase()
    if (content) contentByName.set(key, content)
  }
  walkMarkup(source.slice(0, maxMetadata), { open }, false)
  return htmlNames.flatMap((name) => contentByName.get(name) ?? [])
}

const rtfDates = [
  /\\revtim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})/,
  /\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})/,
]

/** The times of the last change and of the creation of a rich text. */
export const findDatesInRtf = (source: string): string[] => {
  const start = source.slice(0, maxMetadata)
  return rtfDates.flatMap((pattern) => {
    const [, year, month, day] = pattern.exec(start) ?? []
    return year && month && day ? [`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`] : []
  })
}
