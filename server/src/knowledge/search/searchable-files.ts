import { fail } from "../../errors.ts"
import { errorReferenceOf, type FileSummary, type StoredFile } from "../../files/file-store.ts"
import type { Files } from "../../files/files.ts"
import type { Caller } from "../../http/caller.ts"
import { translatable } from "../../i18n/message.ts"

/** How long a request waits for files that are still being processed. */
const timeoutMs = 30_000

export const isSearchable = (file: FileSummary): boolean =>
  file.passages !== null && file.status !== "failed"

const isSettled = (file: FileSummary): boolean =>
  isSearchable(file) || file.status === "failed" || file.status === "stored"

interface Deps {
  files: Pick<Files, "find" | "waitForFile" | "waitForFiles">
}

/** What a request says of a file. */
interface FileRequest {
  /** The request's parameter, named in errors. */
  param: string
  signal: AbortSignal
}

/** Files that a request names. */
export interface SearchableFiles {
  /** @throws {Failure} `file_not_found`, also if the caller has no access */
  find(caller: Caller, id: string, param: string): Promise<StoredFile>
  /**
   * Waits until a file's text and passages are available.
   * @throws {Failure} `file_not_found` if it is deleted, `file_unreadable` or `file_not_ready`
   */
  waitUntilSearchable(found: StoredFile, request: FileRequest): Promise<StoredFile>
  /**
   * Waits for files that are still being processed, but not for longer than a request may take.
   * @returns the last state of those, by id
   */
  waitUntilSettled(
    found: readonly FileSummary[],
    signal: AbortSignal,
  ): Promise<Map<string, FileSummary>>
}

export const createSearchableFiles = ({ files }: Deps): SearchableFiles => {
  const failUnknown = (id: string, param: string): never =>
    fail("file_not_found", `File "${id.slice(0, 200)}" not found.`, { param })

  return {
    find: async (caller, id, param) => (await files.find(caller, id)) ?? failUnknown(id, param),

    waitUntilSearchable: async (found, { param, signal }) => {
      const wait = () => files.waitForFile(found.id, isSettled, { ms: timeoutMs, signal })
      const file = (isSettled(found) ? found : await wait()) ?? failUnknown(found.id, param)
      if (isSearchable(file)) return file
      if (file.status === "failed") {
        const message = translatable("file_unreadable", {
          name: file.filename,
          reason: errorReferenceOf(file) ?? file.error ?? "",
        })
        fail("file_unreadable", message, { param })
      }
      if (file.status === "stored") {
        const message = translatable("file_not_processed", { name: file.filename })
        fail("file_not_ready", message, { param })
      }
      const message = translatable("file_processing", { name: file.filename })
      return fail("file_not_ready", message, { param, headers: { "retry-after": "5" } })
    },

    waitUntilSettled: (found, signal) => {
      const unsettledIds = found.filter((file) => !isSettled(file)).map(({ id }) => id)
      return files.waitForFiles(unsettledIds, isSettled, { ms: timeoutMs, signal })
    },
  }
}
