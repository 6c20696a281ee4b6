import { type MarkupHandler, walkXml } from "../markup.ts"
import { localName } from "../ooxml/office-xml.ts"

/**
 * Walks the XML of a part. Element names come without the namespace prefix that some programs
 * write; attributes keep theirs.
 */
export const walkPart = (source: string, { open, close, text }: MarkupHandler): void => {
  walkXml(source, {
    ...(open && { open: (name, attributes) => open(localName(name), attributes) }),
    ...(close && { close: (name) => close(localName(name)) }),
    ...(text && { text }),
  })
}
