import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { type Passage, readMarkdown, splitIntoPassages } from "@portico/extract"
import {
  createSegmentCache,
  extractTerms,
  maxCandidates,
  maxPassages,
  packIndexSegment,
  type RankedHit,
  rankHits,
  searchLexical,
} from "@portico/search"
import type { FoundPassage } from "../schema.ts"
import { createFoundPassage } from "./found-passage.ts"

/** Searchable like a collection under this id, which no collection can have. */
export const handbookId = "handbook"

/** The documentation shipped with the gateway. */
export const documentationFolder = join(import.meta.dirname, "../../../../docs")

const maxCharacters = 2_000_000

interface Document {
  id: string
  name: string
  text: string
  passages: readonly Passage[]
  /** As packed by `packIndexSegment`. */
  words: Uint8Array
}

const titleOf = (text: string, file: string): string =>
  /^#\s+(.+)$/m.exec(text)?.[1]?.trim() ?? file

/** The indexed text includes headings, so that their words count for the passage. */
const textToIndex = (text: string, { starts, ends, location }: Passage): string =>
  `${location.heading?.slice(1).join(" ") ?? ""}\n${text.slice(starts, ends)}`

const readDocument = async (folder: string, file: string): Promise<Document> => {
  const source = await readFile(join(folder, file), "utf8")
  const { text, passages } = splitIntoPassages(readMarkdown(source), {
    characters: maxCharacters,
    passages: maxPassages,
  })
  const words = packIndexSegment(passages.map((passage) => textToIndex(text, passage)))
  return { id: `${handbookId}/${file}`, name: titleOf(source, file), text, passages, words }
}

const loadDocuments = async (folder: string) => {
  // An image built without the documentation has no handbook; searches then find nothing.
  const files = await readdir(folder).catch(() => [])
  const documents: Document[] = []
  for (const file of files.filter((name) => name.endsWith(".md")).sort()) {
    documents.push(await readDocument(folder, file))
    // Lets other requests run between two documents.
    await setImmediate()
  }
  const segmentCache = createSegmentCache(Number.POSITIVE_INFINITY)
  segmentCache.put(
    documents.map(({ id, name, words }) => ({ id, filename: `${name}.md`, data: words })),
  )
  return { documents, cache: segmentCache }
}

/** Whole words and prefixes. A shared trigram alone does not make a passage relevant. */
const keywordsOf = (text: string): Set<string> => {
  const { kinds } = extractTerms(text)
  return new Set([...kinds.keys()].filter((term) => kinds.get(term) !== "trigram"))
}

const toFoundPassage = (
  document: Document,
  { starts: start, ends: end, location }: Passage,
  { score, lexical }: RankedHit,
): FoundPassage =>
  createFoundPassage({
    file_id: document.id,
    filename: document.name,
    text: document.text.slice(start, end),
    ...location,
    start,
    end,
    score,
    lexical,
  })

const searchIn = (
  { documents, cache }: Awaited<ReturnType<typeof loadDocuments>>,
  query: string,
): RankedHit[] => {
  const parts = cache.scopesOf(documents.map(({ id }) => id))
  const { hits, total } = searchLexical(parts, query, maxCandidates)
  return rankHits({ lexical: hits, dense: null, total })
}

/** The gateway's own documentation with lexical search. */
export interface Handbook {
  /** The best passages; loads the documentation on first use. */
  search(query: string, limit: number): Promise<FoundPassage[]>
}

export const createHandbook = (folder: string): Handbook => {
  let loading: ReturnType<typeof loadDocuments> | undefined
  return {
    search: async (query, limit) => {
      loading ??= loadDocuments(folder)
      const handbook = await loading
      const found: FoundPassage[] = []
      const keywords = keywordsOf(query)
      for (const hit of searchIn(handbook, query)) {
        const document = handbook.documents[hit.file]
        const passage = document?.passages[hit.passage]
        if (!document || !passage || found.length >= limit) continue
        const text = `${document.name} ${textToIndex(document.text, passage)}`
        if (!keywordsOf(text).isDisjointFrom(keywords))
          found.push(toFoundPassage(document, passage, hit))
      }
      return found
    },
  }
}
