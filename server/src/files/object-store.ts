import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import type { Readable } from "node:stream"

/** Fully received content on the local disk, not yet stored under its hash. */
export interface ReceivedObject {
  hash: string
  size: number
  /** Does the slow part of `commit` ahead of time. */
  prepare(): Promise<void>
  /**
   * Stores the content under its hash. Called within `Database.runExclusive`, so that no removal of
   * the same content can run between this and the insertion of the file's row.
   */
  commit(): Promise<void>
  /** Removes the temporary copy, except a file given to `receiveFile`; committed content remains. */
  discard(): Promise<void>
}

export interface ReceiveHooks {
  /** Called once with the first 4 KB, or everything if shorter. May throw to reject the upload. */
  onHead(head: Buffer): void
  /** Called with the number of bytes so far. May throw to reject the upload. */
  onSize(size: number): void
  /** Awaited after each chunk, to yield to other requests. */
  yieldTurn?(): Promise<void> | null
}

/** A local file with an object's content. */
export interface LocalCopy {
  path: string
  /** Must be called when the copy is no longer needed. */
  release(): Promise<void>
}

/** Content-addressed store: each content is stored once, under its SHA-256. */
export interface ObjectStore {
  /**
   * Maximum concurrent commits: one on a disk, where commits are I/O-bound; more over a network.
   */
  maxConcurrentCommits: number
  /** Streams to the local disk while hashing. Leaves nothing behind when it throws. */
  receive(source: Readable, receiving: ReceiveHooks): Promise<ReceivedObject>
  /** Hashes a local file, which remains for the caller to remove. */
  receiveFile(path: string): Promise<ReceivedObject>
  /** Null if the object is missing. */
  localCopy(hash: string): Promise<LocalCopy | null>
  /** Path for a temporary file; the caller removes it. */
  temporary(): string
  /**
   * @param range first and last byte, inclusive
   * @returns null if the object is missing
   */
  read(hash: string, range?: { start: number; end: number }): Promise<Readable | null>
  remove(hash: string): Promise<void>
  /** Hashes of all stored objects. */
  list(): AsyncIterable<string>
  /** Removes remains of uploads that never completed; with `all`, regardless of age. */
  sweep(all: boolean): Promise<void>
  /** Writes and removes a small probe. @throws the error that prevents writing */
  probe(): Promise<void>
  close(): Promise<void>
}

const headBytes = 4096

/** Calls `look` once with the first 4 KB of a stream, or all of a shorter one. */
export const createHeadReader = (look: (head: Buffer) => void) => {
  let head: Buffer | null = Buffer.alloc(0)
  const show = (): void => {
    const shown = head
    head = null
    if (shown) look(shown)
  }
  return {
    add: (chunk: Buffer): void => {
      if (!head) return
      head = Buffer.concat([head, chunk.subarray(0, headBytes)]).subarray(0, headBytes)
      if (head.length >= headBytes) show()
    },
    end: show,
  }
}

/** SHA-256 (hex) and size of a file. */
export const hashFile = async (path: string): Promise<{ hash: string; size: number }> => {
  const hash = createHash("sha256")
  let size = 0
  for await (const chunk of createReadStream(path)) {
    size += chunk.length
    hash.update(chunk)
  }
  return { hash: hash.digest("hex"), size }
}
