import { z } from "zod"
import { fail } from "../errors.ts"
import type { Files } from "../files/files.ts"
import type { KnownFile, StoredFile } from "../files/store.ts"
import type { Principal } from "../grants/grants.ts"
import type { Caller } from "../http/caller.ts"
import type { Collections } from "./collections.ts"
import { mergeNeighbours } from "./neighbours.ts"
import { estimateTokens, type Retrieval } from "./retrieval.ts"
import type { Findings, FoundPassage, SearchWay } from "./schema.ts"

export const FileReference = z.looseObject({
  type: z.enum(["file", "collection"]),
  id: z.string().min(1).max(200),
})
export type FileReference = z.output<typeof FileReference>

/** How long a chat waits for files that are still being read. */
const patienceMs = 30_000
/** Files whose text is no longer than this are given whole, in tokens. */
const wholeTokens = 3000
const mostPassages = 40

/** One entry a passage; entry i is citation [i + 1]. */
export interface Source {
  source: { id: string; name: string; type: "file" | "collection" }
  document: string[]
  metadata: Record<string, unknown>[]
  distances: number[]
}

export interface Cited {
  passages: FoundPassage[]
  sources: Source[]
  sources_skipped: Findings["sources_skipped"]
}

interface Needs {
  files: Files
  collections: Collections
  retrieval: Retrieval
  /** Milliseconds; for tests. */
  patience?: number
}

interface Scope {
  named: StoredFile[]
  /** By file: the collection that it is asked for through. */
  collected: Map<string, { file: KnownFile; collection: { id: string; name: string } }>
  ways: Set<SearchWay>
}

export const skippedOf = (file: KnownFile): Findings["sources_skipped"][number] => ({
  id: file.id,
  name: file.filename,
  status: file.status,
  reason:
    file.error ??
    (file.status === "stored"
      ? "It was stored without being processed."
      : "It is still being read."),
})

export const isSearchable = (file: KnownFile): boolean =>
  file.passages !== null && file.status !== "failed"

const isSettled = (file: KnownFile): boolean =>
  isSearchable(file) || file.status === "failed" || file.status === "stored"

/** A collection that a model brings along, opened by its owner's access beside the caller's. */
export interface Lent {
  id: string
  owner: Principal | undefined
}

/** How a reply names a passage that it rests on. */
export const sourceOf = (
  passage: FoundPassage,
  collection?: { id: string; name: string },
): Source => {
  const { file_id, filename, text, start, end, score, page, slide, sheet, row, heading } = passage
  const place = { page, slide, sheet, row, heading: heading?.join(" › ") }
  const told = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined))
  const lent = collection && { collection_id: collection.id, collection_name: collection.name }
  return {
    source: { id: file_id, name: filename, type: "file" },
    document: [text],
    metadata: [{ file_id, name: filename, ...told, start, end, score, ...lent }],
    distances: [1 - score],
  }
}

/** Finds the passages that a chat's `files` hold for its question. */
export const createCiting = (needs: Needs) => {
  const { files, collections, retrieval } = needs
  const patience = needs.patience ?? patienceMs

  const namedFile = async (caller: Caller, id: string, signal: AbortSignal) => {
    const param = "files"
    const unknown = () => fail("file_not_found", `There is no file ${id.slice(0, 200)}`, { param })
    const found = (await files.find(caller, id)) ?? unknown()
    const until = () => files.until(id, isSettled, { ms: patience, signal })
    const file = (isSettled(found) ? found : await until()) ?? unknown()
    if (isSearchable(file)) return file
    if (file.status === "failed") {
      fail("file_unreadable", `The file "${file.filename}" cannot be read: ${file.error}`, {
        param,
      })
    }
    if (file.status === "stored") {
      const message = `The file "${file.filename}" was stored without being processed; process it first`
      fail("file_not_ready", message, { param })
    }
    const message = `The file "${file.filename}" is still being read; try again soon`
    return fail("file_not_ready", message, { param, headers: { "retry-after": "5" } })
  }

  const addCollection = async (
    scope: Scope,
    collection: { id: string; name: string; search: SearchWay },
  ) => {
    scope.ways.add(collection.search)
    for (const file of await collections.filesOf(collection.id)) {
      if (!scope.collected.has(file.id)) scope.collected.set(file.id, { file, collection })
    }
  }

  const namedCollection = async (caller: Caller, id: string) => {
    const unknown = () =>
      fail("collection_not_found", `There is no collection ${id.slice(0, 200)}`, { param: "files" })
    return (await collections.find(caller, id)) ?? unknown()
  }

  const lentCollection = async (caller: Caller, { id, owner }: Lent) =>
    (await collections.find(caller, id)) ?? (owner && (await collections.find(owner, id)))

  const collect = async (
    caller: Caller,
    {
      references,
      lent,
      signal,
    }: { references: readonly FileReference[]; lent: readonly Lent[]; signal: AbortSignal },
  ): Promise<Scope> => {
    const scope: Scope = { named: [], collected: new Map(), ways: new Set() }
    const ids = Map.groupBy(references, ({ type }) => type)
    for (const { id } of ids.get("collection") ?? []) {
      await addCollection(scope, await namedCollection(caller, id))
    }
    for (const one of lent) {
      const opened = await lentCollection(caller, one)
      if (opened) await addCollection(scope, opened)
    }
    // All are asked for at once, so that one wait does for all.
    const files = (ids.get("file") ?? []).map(({ id }) => namedFile(caller, id, signal))
    scope.named.push(...(await Promise.all(files)))
    return scope
  }

  /** Those of collections, once they are read or the time is up. */
  const ready = async (scope: Scope, signal: AbortSignal) => {
    const searchable: KnownFile[] = []
    const skipped: Findings["sources_skipped"] = []
    const all = [...scope.collected.values()].map(({ file }) => file)
    const open = all.filter((file) => !isSettled(file)).map(({ id }) => id)
    const looked = await files.untilAll(open, isSettled, { ms: patience, signal })
    for (const file of all) {
      const last = looked.get(file.id) ?? file
      if (isSearchable(last)) searchable.push(last)
      else skipped.push(skippedOf(last))
    }
    return { searchable, skipped }
  }

  /** As many of the best as fit; the order in which they are given is that of the ranking. */
  const fill = (passages: readonly FoundPassage[], budget: number): FoundPassage[] => {
    const taken: FoundPassage[] = []
    let left = budget
    for (const passage of passages) {
      const cost = estimateTokens(passage.text) + 40
      if (!passage.used || cost > left || taken.length >= mostPassages) continue
      left -= cost
      taken.push(passage)
    }
    return taken
  }

  const isSmall = (scope: Scope, budget: number): boolean => {
    const characters = scope.named.reduce((sum, file) => sum + (file.text_length ?? 0), 0)
    return scope.collected.size === 0 && characters / 3.5 <= Math.min(wholeTokens, budget / 2)
  }

  return {
    /**
     * @param budget tokens that the passages may take
     * @throws {Failure} `file_not_found`, `collection_not_found`, `file_unreadable` or
     *   `file_not_ready`
     */
    cite: async (
      caller: Caller,
      asked: {
        references: readonly FileReference[]
        lent: readonly Lent[]
        query: string
        budget: number
        signal: AbortSignal
      },
    ): Promise<Cited> => {
      const { budget, signal } = asked
      const limit = mostPassages * 2
      const scope = await collect(caller, asked)
      const { searchable, skipped } = await ready(scope, signal)
      const searched = new Map([...scope.named, ...searchable].map((file) => [file.id, file]))
      const [only] = scope.ways
      const way = scope.ways.size === 1 && only ? only : "hybrid"
      const files = [...searched.values()]
      const all = isSmall(scope, budget)
        ? await retrieval.whole(files)
        : (await retrieval.search({ ...asked, asker: caller.user.id, files, way, limit })).passages
      const passages = mergeNeighbours(fill(all, budget))
      const sources = passages.map((passage) =>
        sourceOf(passage, scope.collected.get(passage.file_id)?.collection),
      )
      return { passages, sources, sources_skipped: skipped }
    },
  }
}

export type Citing = ReturnType<typeof createCiting>
