import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type { FileRecord, FileWithOwner } from "../../../server/src/files/schema.ts"
import type {
  CollectionChanges,
  CollectionFile,
  CollectionQuery,
  CollectionSearchResult,
  CollectionWithFiles,
  FileCounts,
  FilePassage,
  FoundPassage,
  NewCollection,
} from "../../../server/src/knowledge/schema.ts"
import { api } from "./api.ts"
import type { QueryFor } from "./api-types.ts"
import { pageQuery, routeQuery } from "./route-query.ts"

export type {
  CollectionFile,
  CollectionSearchResult,
  CollectionWithFiles,
  FileCounts,
  FilePassage,
  FileRecord,
  FileWithOwner,
  FoundPassage,
  NewCollection,
}

export const fileQuery = (id: string) =>
  routeQuery(["files", "one", id], "/api/v1/files/:id", { params: { id } })

export const filesQuery = (query: QueryFor<"/api/v1/files">) =>
  pageQuery(["files", "list", query], "/api/v1/files", { query })

/** Part of the text extracted from a file. */
export const fileTextQuery = (id: string, piece: { start: number; end: number }) =>
  routeQuery(["files", "one", id, "text", piece], "/api/v1/files/:id/data/content", {
    params: { id },
    query: piece,
  })

export const filePassagesQuery = (
  id: string,
  query: { page?: number; at?: number; page_size: number },
) =>
  pageQuery(["files", "one", id, "passages", query], "/api/v1/files/:id/passages", {
    params: { id },
    query,
  })

/** As the API accepts; a longer passage is found by its beginning. */
const maxSoughtLength = 100_000

/** Where a cited passage is in a file whose text may have been extracted again since. */
export const locatedPassageQuery = (id: string, sought: { text: string; near: number }) =>
  queryOptions({
    queryKey: ["files", "one", id, "located", sought],
    queryFn: async ({ signal }) =>
      (
        await api.post("/api/v1/files/:id/passages/locate", {
          params: { id },
          body: { ...sought, text: sought.text.slice(0, maxSoughtLength).toWellFormed() },
          signal,
        })
      ).found,
  })

export const fileOutlineQuery = (id: string) =>
  queryOptions({
    queryKey: ["files", "one", id, "outline"],
    queryFn: async ({ signal }) =>
      (await api.get("/api/v1/files/:id/outline", { params: { id }, signal })).items,
  })

export const fileCollectionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["files", "one", id, "collections"],
    queryFn: async ({ signal }) =>
      (await api.get("/api/v1/files/:id/collections", { params: { id }, signal })).items,
  })

export const collectionsQuery = (query: QueryFor<"/api/v1/knowledge">) =>
  pageQuery(["collections", "list", query], "/api/v1/knowledge", { query })

export const collectionQuery = (id: string) =>
  routeQuery(["collections", "one", id], "/api/v1/knowledge/:id", { params: { id } })

export const collectionFilesQuery = (id: string, query: QueryFor<"/api/v1/knowledge/:id/files">) =>
  pageQuery(["collections", "one", id, "files", query], "/api/v1/knowledge/:id/files", {
    params: { id },
    query,
  })

/** The results of a test search in a collection. */
export const testSearchQuery = (id: string, question: CollectionQuery) =>
  queryOptions({
    queryKey: ["findings", id, question],
    queryFn: ({ signal }) =>
      api.post("/api/v1/knowledge/:id/query", { params: { id }, body: question, signal }),
    // Results change only when the user searches again.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  })

/** The passages sent to the model for an answer, with their text. */
export const passagesQuery = (chatId: string, messageId: string) =>
  queryOptions({
    queryKey: ["chats", "passages", chatId, messageId],
    queryFn: async ({ signal }) => {
      const path = "/api/v1/chats/:id/messages/:message_id/passages"
      const params = { id: chatId, message_id: messageId }
      return (await api.get(path, { params, signal })).items
    },
  })

export const fileContentUrl = (id: string): string =>
  `/api/v1/files/${encodeURIComponent(id)}/content`

export const fileApi = {
  /** @param encoding of a text file; null detects it, and it stays as it is if omitted */
  reprocess: (id: string, encoding?: string | null) =>
    api.post("/api/v1/files/:id/process", { params: { id }, body: { encoding } }),
  transfer: (id: string, to: string) =>
    api.post("/api/v1/files/:id/transfer", { params: { id }, body: { transfer_to: to } }),
  remove: (id: string) => api.delete("/api/v1/files/:id", { params: { id } }),
}

export const collectionApi = {
  create: (body: NewCollection) => api.post("/api/v1/knowledge/create", { body }),
  update: (id: string, changes: CollectionChanges) =>
    api.post("/api/v1/knowledge/:id/update", { params: { id }, body: changes }),
  removeFile: (id: string, fileId: string) =>
    api.post("/api/v1/knowledge/:id/file/remove", { params: { id }, body: { file_id: fileId } }),
  /** IDs of all files that failed to process. */
  failedFileIds: async (id: string): Promise<string[]> => {
    const ids: string[] = []
    const query = { status: "failed", page_size: 200 }
    for (let page = 1, total = 1; ids.length < total; page++) {
      const found = await api.get("/api/v1/knowledge/:id/files", {
        params: { id },
        query: { ...query, page },
      })
      if (found.items.length === 0) break
      ids.push(...found.items.map((file) => file.id))
      total = found.total
    }
    return ids
  },
  reset: (id: string) => api.post("/api/v1/knowledge/:id/reset", { params: { id } }),
  transfer: (id: string, to: string) =>
    api.post("/api/v1/knowledge/:id/transfer", { params: { id }, body: { transfer_to: to } }),
  remove: (id: string, confirm?: "delete") =>
    api.delete("/api/v1/knowledge/:id/delete", { params: { id }, query: { confirm } }),
}
