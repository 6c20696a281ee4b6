import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type { ChatPassages } from "../../../server/src/conversations/source-schema.ts"
import type { FileRecord, FileText, FileWithOwner } from "../../../server/src/files/schema.ts"
import type { Page } from "../../../server/src/http/pagination.ts"
import type {
  CollectionChanges,
  CollectionFile,
  CollectionQuery,
  CollectionSearchResult,
  CollectionWithFiles,
  FileCollections,
  FileCounts,
  FileOutline,
  FilePassage,
  FoundPassage,
  NewCollection,
} from "../../../server/src/knowledge/schema.ts"
import { api, type QueryParams } from "./api.ts"

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

const files = "/api/v1/files"
const knowledge = "/api/v1/knowledge"
const filePath = (id: string): string => `${files}/${encodeURIComponent(id)}`
const collectionPath = (id: string): string => `${knowledge}/${encodeURIComponent(id)}`

export const fileQuery = (id: string) =>
  queryOptions({
    queryKey: ["files", "one", id],
    queryFn: ({ signal }) => api.get<FileWithOwner>(filePath(id), { signal }),
  })

export const filesQuery = (query: QueryParams) =>
  queryOptions({
    queryKey: ["files", "list", query],
    queryFn: ({ signal }) => api.get<Page<FileWithOwner>>(`${files}/`, { query, signal }),
    placeholderData: keepPreviousData,
  })

/** Part of the text extracted from a file. */
export const fileTextQuery = (id: string, piece: { start: number; end: number }) =>
  queryOptions({
    queryKey: ["files", "one", id, "text", piece],
    queryFn: ({ signal }) =>
      api.get<FileText>(`${filePath(id)}/data/content`, { query: piece, signal }),
  })

export const filePassagesQuery = (
  id: string,
  query: { page?: number; at?: number; page_size: number },
) =>
  queryOptions({
    queryKey: ["files", "one", id, "passages", query],
    queryFn: ({ signal }) =>
      api.get<Page<FilePassage>>(`${filePath(id)}/passages`, { query, signal }),
    placeholderData: keepPreviousData,
  })

export const fileOutlineQuery = (id: string) =>
  queryOptions({
    queryKey: ["files", "one", id, "outline"],
    queryFn: async ({ signal }) =>
      (await api.get<FileOutline>(`${filePath(id)}/outline`, { signal })).items,
  })

export const fileCollectionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["files", "one", id, "collections"],
    queryFn: async ({ signal }) =>
      (await api.get<FileCollections>(`${filePath(id)}/collections`, { signal })).items,
  })

export const collectionsQuery = (query: QueryParams) =>
  queryOptions({
    queryKey: ["collections", "list", query],
    queryFn: ({ signal }) => api.get<Page<CollectionWithFiles>>(`${knowledge}/`, { query, signal }),
    placeholderData: keepPreviousData,
  })

export const collectionQuery = (id: string) =>
  queryOptions({
    queryKey: ["collections", "one", id],
    queryFn: ({ signal }) => api.get<CollectionWithFiles>(collectionPath(id), { signal }),
  })

export const collectionFilesQuery = (id: string, query: QueryParams) =>
  queryOptions({
    queryKey: ["collections", "one", id, "files", query],
    queryFn: ({ signal }) =>
      api.get<Page<CollectionFile>>(`${collectionPath(id)}/files`, { query, signal }),
    placeholderData: keepPreviousData,
  })

/** The results of a test search in a collection. */
export const findingsQuery = (id: string, question: CollectionQuery) =>
  queryOptions({
    queryKey: ["findings", id, question],
    queryFn: ({ signal }) =>
      api.post<CollectionSearchResult>(`${collectionPath(id)}/query`, question, { signal }),
    // Results change only when the user searches again.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  })

/** The passages sent to the model for an answer, with their text. */
export const passagesQuery = (chatId: string, messageId: string) =>
  queryOptions({
    queryKey: ["chats", "passages", chatId, messageId],
    queryFn: async ({ signal }) => {
      const path = `/api/v1/chats/${encodeURIComponent(chatId)}/messages/${encodeURIComponent(messageId)}/passages`
      return (await api.get<ChatPassages>(path, { signal })).items
    },
  })

export const contentUrl = (id: string): string => `${filePath(id)}/content`

export const fileApi = {
  reprocess: (id: string) => api.post<FileRecord>(`${filePath(id)}/process`),
  transferPath: (id: string): string => `${filePath(id)}/transfer`,
  remove: (id: string) => api.delete(filePath(id)),
}

export const collectionApi = {
  create: (body: Partial<NewCollection>) =>
    api.post<CollectionWithFiles>(`${knowledge}/create`, body),
  update: (id: string, changes: CollectionChanges) =>
    api.post<CollectionWithFiles>(`${collectionPath(id)}/update`, changes),
  removeFile: (id: string, fileId: string) =>
    api.post(`${collectionPath(id)}/file/remove`, { file_id: fileId }),
  /** IDs of all files that failed to process. */
  failedFileIds: async (id: string): Promise<string[]> => {
    const ids: string[] = []
    const query = { status: "failed", page_size: 200 }
    for (let page = 1, total = 1; ids.length < total; page++) {
      const found = await api.get<Page<CollectionFile>>(`${collectionPath(id)}/files`, {
        query: { ...query, page },
      })
      if (found.items.length === 0) break
      ids.push(...found.items.map((file) => file.id))
      total = found.total
    }
    return ids
  },
  reset: (id: string) => api.post(`${collectionPath(id)}/reset`),
  transferPath: (id: string): string => `${collectionPath(id)}/transfer`,
  remove: (id: string, confirm?: "delete") =>
    api.delete(`${collectionPath(id)}/delete`, undefined, { query: { confirm } }),
}
