import { write, writeSync } from "node:fs"

const blockBytes = 64 * 1024
/** A character takes up to three bytes of UTF-8 for each of its UTF-16 units. */
const maxBytesPerUnit = 3
/** Of lines that wait because nobody reads; more are dropped, and counted. */
const maxQueued = 32 * 1024 * 1024
const retryMs = 20

/**
 * Where log lines go: gathered in blocks and written behind the requests' backs. Strings handed to
 * Node's own `fs.write` cost more than the rest of a request's log line.
 */
export const createLogStream = (fd: number) => {
  let filling = Buffer.allocUnsafeSlow(blockBytes)
  let filled = 0
  const waiting: Buffer[] = []
  let waitingBytes = 0
  /** Blocks that were lost since it was last told. */
  let dropped = 0
  let writing = false
  const flushed: (() => void)[] = []

  const enqueue = (block: Buffer): void => {
    if (block.length === 0) return
    if (waitingBytes > maxQueued) {
      dropped++
      return
    }
    waiting.push(block)
    waitingBytes += block.length
  }

  const close = (): void => {
    enqueue(filling.subarray(0, filled))
    filling = Buffer.allocUnsafeSlow(blockBytes)
    filled = 0
  }

  /** Says in the log itself, as soon as somebody reads it again, that some of it is missing. */
  const tellOfLost = (): void => {
    const kilobytes = (dropped * blockBytes) / 1024
    const told = {
      level: 40,
      time: Date.now(),
      kilobytes,
      msg: "log lines dropped: the reader was too slow",
    }
    dropped = 0
    enqueue(Buffer.from(`${JSON.stringify(told)}\n`))
  }

  const taken = (block: Buffer, bytes: number): void => {
    waitingBytes -= bytes
    if (bytes < block.length) waiting[0] = block.subarray(bytes)
    else waiting.shift()
  }

  const pump = (): void => {
    if (writing) return
    if (waiting.length === 0 && dropped > 0) tellOfLost()
    const [block] = waiting
    if (!block) {
      for (const done of flushed.splice(0)) done()
      return
    }
    writing = true
    write(fd, block, 0, block.length, null, (error, bytes) => {
      writing = false
      // Nobody to tell of a log that cannot be written; a reader that is slow is waited for.
      if (error?.code === "EAGAIN") setTimeout(pump, retryMs)
      else {
        taken(block, error ? block.length : bytes)
        pump()
      }
    })
  }

  return {
    write: (line: string): void => {
      const max = line.length * maxBytesPerUnit
      if (max > filling.length - filled) close()
      if (max > blockBytes) enqueue(Buffer.from(line))
      else filled += filling.write(line, filled)
      if (waiting.length > 0) pump()
    },

    /** Begins to write what was gathered. @param done told when all of it was */
    flush: (done?: () => void): void => {
      if (done) flushed.push(done)
      if (filled > 0) close()
      pump()
    },

    /** Writes all that is left; for the last moment. */
    flushSync: (): void => {
      close()
      try {
        for (const block of waiting.splice(0)) writeSync(fd, block)
      } catch {
        // Whoever read it has gone.
      }
    },
  }
}
