import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { Failure, type FailureCode, fail } from "../../errors.ts"
import type { ReserveMemory } from "../../http/body-memory.ts"
import type { Caller } from "../../http/caller.ts"
import { bodyTasks } from "../conversion/body-tasks.ts"
import type { BodyWork } from "../conversion/body-work.ts"
import {
  type FileContent,
  type FileContentReader,
  type FoundFile,
  maxFileBytes,
} from "../references/file-content-reader.ts"
import type { FileContentById, FilePartReference } from "../references/file-references.ts"
import type { ModelRequest } from "../request/model-request.ts"

const checkKind = (
  { expectsImage }: FilePartReference,
  { mediaType, filename }: FoundFile,
): void => {
  if (expectsImage && !mediaType.startsWith("image/")) {
    fail("bad_request", `The file "${filename}" is not an image.`, { param: "file_id" })
  }
}

const fileIdMark = Buffer.from('"file_id"')

/** Reasons for which the content of a file will never be available again. */
const lostCodes = new Set<FailureCode>(["file_not_found", "file_lost", "file_unreadable"])

const failNoAccess = (id: string, cause: unknown): never => {
  const message = `You no longer have access to the file "${id}", to which this conversation refers. Ask its owner to share it again, or start a new conversation.`
  return fail("file_not_found", message, { param: "file_id", cause })
}

/** Who refers to files, and what limits that. */
interface InlineContext {
  caller: Caller
  signal: AbortSignal
  /** The positions of items that were stored by earlier requests. */
  storedPositions: readonly number[]
  reserve: ReserveMemory
}

/**
 * Replaces references to the caller's files in a request of the Responses or Messages API by their
 * content: providers do not know them. Images and PDF documents are sent as they are, other files as
 * their text. In stored items, a note replaces a file that is lost.
 */
export const createFileInliner = (
  files: FileContentReader,
  bodyWork: Pick<BodyWork, "read" | "change">,
) => {
  /** A file of earlier requests that is lost must not end the conversation; lost access does. */
  const nullIfLost =
    (id: string, references: readonly FilePartReference[]) =>
    async (error: unknown): Promise<null> => {
      const isLost = error instanceof Failure && lostCodes.has(error.code)
      if (!isLost || !references.every(({ isStored }) => isStored)) throw error
      if (error.code === "file_not_found" && (await files.exists(id))) failNoAccess(id, error)
      return null
    }

  /** One after the other, each once, after its memory is reserved. */
  const readContents = async (
    references: readonly FilePartReference[],
    { caller, signal, reserve }: InlineContext,
  ): Promise<FileContentById> => {
    const contents = new Map<string, FileContent | null>()
    let total = 0
    const read = async (id: string, group: readonly FilePartReference[]): Promise<FileContent> => {
      const file = await files.find(caller, id, signal)
      for (const reference of group) checkKind(reference, file)
      total += file.size * group.length
      if (total > maxFileBytes) {
        const message = `The files of a request may have ${maxFileBytes / 1e6} MB in total.`
        fail("body_too_large", message, { param: "file_id" })
      }
      reserve(file.encodedSize * group.length)
      return file.read()
    }
    for (const [id, group] of Map.groupBy(references, (reference) => reference.id)) {
      contents.set(id, await read(id, group).catch(nullIfLost(id, group)))
      await yieldToEventLoop()
    }
    return contents
  }

  /** @returns the same request if it refers to no file. @throws {Failure} */
  return async (request: ModelRequest, context: InlineContext): Promise<ModelRequest> => {
    const { fileMember: member } = request.operation
    if (!(member && request.mayContain(fileIdMark))) return request
    const { caller, signal, storedPositions } = context
    const owner = { userId: caller.user.id, signal }
    const scope = { member, storedPositions }
    const references = await bodyWork.read(owner, request, bodyTasks.findFiles, scope)
    if (references.length === 0) return request
    const contents = await readContents(references, context)
    // The files are large, though the request may be small.
    const options = { input: { member, contents }, isLarge: true }
    return (await bodyWork.change(owner, request, bodyTasks.inlineFiles, options)).request
  }
}

export type FileInliner = ReturnType<typeof createFileInliner>
