import { Parser } from "htmlparser2"
import { failUnreadable } from "./unreadable.ts"

export interface MarkupHandler {
  open?(name: string, attributes: Record<string, string>): void
  close?(name: string): void
  text?(text: string): void
  /** Elements whose text is passed to `text`; all if absent. */
  textElements?: readonly string[]
}

const maxDepth = 3000

/** Walks HTML or XML as a stream of events. */
export const walkMarkup = (source: string, handler: MarkupHandler, xmlMode: boolean): void => {
  const { textElements } = handler
  let depth = 0
  let isInText = textElements === undefined
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > maxDepth) failUnreadable("too_large", { id: "document_nested_too_deeply" })
        if (textElements?.includes(name)) isInText = true
        handler.open?.(name, attributes)
      },
      onclosetag: (name) => {
        depth--
        if (textElements?.includes(name)) isInText = false
        handler.close?.(name)
      },
      ontext: (text) => {
        if (isInText) handler.text?.(text)
      },
    },
    { xmlMode, decodeEntities: true },
  )
  parser.end(source)
}

/** Walks XML. Rejects documents that define entities, which could expand without limit. */
export const walkXml = (source: string, handler: MarkupHandler): void => {
  if (/<!ENTITY/i.test(source.slice(0, 100_000))) {
    failUnreadable("unsafe", { id: "document_has_xml_entities" })
  }
  walkMarkup(source, handler, true)
}
