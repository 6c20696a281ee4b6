const formats = new Map(
  Object.entries<string>({
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
  }),
)

/**
 * The format of a document or template by its media type.
 * @returns undefined if it is not one that is read
 */
export const odfFormat = (mediaType: string): string | undefined =>
  formats.get(mediaType.replace(/-template$/, ""))

/** The format of a document that is one XML file; undefined if the text does not begin with one. */
export const flatOdfFormat = (start: string): string | undefined => {
  const [, root = ""] = start.split("<office:document ", 2)
  const [, mediaType = ""] = root.split('office:mimetype="', 2)
  return odfFormat(mediaType.split('"', 1)[0] ?? "")
}
