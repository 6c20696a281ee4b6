import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import type { Readable } from "node:stream"

/** Bytes that were received whole and lie on the local disk, but under no name yet. */
export interface Received {
  hash: string
  size: number
  /** Does what takes its time of keeping them. */
  prepare(): Promise<void>
  /**
   * Gives them the name of their hash, for good. Called within `Database.alone`, so that no removal
   * of the same content comes between this and the row that names them.
   */
  keep(): Promise<void>
  /** Removes them, unless they were kept. */
  drop(): Promise<void>
}

export interface Receiving {
  /** Called once with the first 4 kB, or all of it; may throw to refuse. */
  look(head: Buffer): void
  /** Called with the size so far; may throw to refuse. */
  count(size: number): void
  /** Waited for after each piece, where others are to have their turn. */
  turn?(): Promise<void> | null
}

/** A file on the local disk with an object's bytes. */
export interface LocalCopy {
  path: string
  /** To be called when it is no longer needed. */
  release(): Promise<void>
}

/** Files' bytes, each content once, under the SHA-256 of it. */
export interface Objects {
  /** How many are to be kept at once: on a disk it is work, on a network mostly waiting. */
  keepsAtOnce: number
  /** Streams to the disk while hashing. Nothing stays when it throws. */
  receive(source: Readable, receiving: Receiving): Promise<Received>
  /** Takes over a file on the disk, which is gone once it was dropped. */
  adopt(path: string): Promise<Received>
  /** Null where the object is missing. */
  localCopy(hash: string): Promise<LocalCopy | null>
  /** A path for what is needed for a moment; whoever takes it removes it. */
  temporary(): string
  /** @param range first and last byte; null where the object is missing */
  read(hash: string, range?: { start: number; end: number }): Promise<Readable | null>
  remove(hash: string): Promise<void>
  /** Hashes of all that is kept. */
  list(): AsyncIterable<string>
  /** Removes what was left behind of what never came to its end; `all` whatever its age. */
  sweep(all: boolean): Promise<void>
  /** Writes a little, and nothing that stays. @throws what keeps it from being written */
  probe(): Promise<void>
  close(): Promise<void>
}

const headBytes = 4096

/** Shows the first 4 kB of a stream, or all of a shorter one, once. */
export const createLook = (look: (head: Buffer) => void) => {
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

/** SHA-256 in hex, and the size, of a file. */
export const hashFile = async (path: string): Promise<{ hash: string; size: number }> => {
  const hash = createHash("sha256")
  let size = 0
  for await (const chunk of createReadStream(path)) {
    size += chunk.length
    hash.update(chunk)
  }
  return { hash: hash.digest("hex"), size }
}
