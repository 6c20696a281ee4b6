/** Elements whose content is not shown. */
export const unshownElements = new Set(
  `text:tracked-changes table:tracked-changes office:forms office:scripts office:binary-data
   text:sequence-decls dc:date meta:date-string svg:title math:annotation`.split(/\s+/),
)
export const containerElements = new Set(["table:table-cell", "text:note", "office:annotation"])
/** Elements whose text is kept apart from that of the paragraph. */
export const labelElements = new Set([
  "text:note-citation",
  "dc:creator",
  "svg:desc",
  "text:number",
])
