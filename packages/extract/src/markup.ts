import { Parser } from "htmlparser2"
import { failUnreadable } from "./blocks.ts"

export type Attributes = Record<string, string>

export interface MarkupHandler {
  open?(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

const maxDepth = 3000

/** Walks HTML or XML as a stream of events. */
export const walkMarkup = (source: string, handler: MarkupHandler, xmlMode: boolean): void => {
  let depth = 0
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > maxDepth) failUnreadable("too_large", { id: "document_nested_too_deeply" })
        handler.open?.(name, attributes)
      },
      onclosetag: (name) => {
        depth--
        handler.close?.(name)
      },
      ontext: (text) => handler.text?.(text),
    },
    { xmlMode, decodeEntities: true },
  )
  parser.end(source)
}

/**
 * Walks XML as a stream of events. Documents that define entities are rejected, which prevents
 * entity expansion attacks.
 */
export const walkXml = (source: string, handler: MarkupHandler): void => {
  if (/<!ENTITY/i.test(source.slice(0, 100_000))) {
    failUnreadable("unsafe", { id: "document_has_xml_entities" })
  }
  walkMarkup(source, handler, true)
}

/** Resolves a relative path inside an archive. */
export const resolveArchivePath = (base: string, target: string): string => {
  if (target.startsWith("/")) return target.slice(1)
  const parts = base.split("/").slice(0, -1)
  for (const part of target.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "." && part !== "") parts.push(part)
  }
  return parts.join("/")
}
