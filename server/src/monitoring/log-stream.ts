import { write, writeSync } from "node:fs"

const blockBytes = 64 * 1024
/** A UTF-16 unit takes up to three bytes in UTF-8. */
const maxBytesPerUnit = 3
/** Maximum bytes queued for a slow reader; further blocks are dropped and counted. */
const maxQueuedBytes = 32 * 1024 * 1024
const retryMs = 20

/**
 * Buffers log lines in blocks and writes them asynchronously. Passing strings to `fs.write` costs
 * more than the rest of a request's log line.
 */
export const createLogStream = (fd: number) => {
  let filling = Buffer.allocUnsafeSlow(blockBytes)
  let filled = 0
  const queue: Buffer[] = []
  let queuedBytes = 0
  /** Blocks dropped since the last report. */
  let dropped = 0
  let writing = false
  const flushed: (() => void)[] = []

  const enqueue = (block: Buffer): void => {
    if (block.length === 0) return
    if (queuedBytes > maxQueuedBytes) {
      dropped++
      return
    }
    queue.push(block)
    queuedBytes += block.length
  }

  const closeBlock = (): void => {
    enqueue(filling.subarray(0, filled))
    filling = Buffer.allocUnsafeSlow(blockBytes)
    filled = 0
  }

  /** Reports dropped blocks in the log itself as soon as it can be written again. */
  const reportDropped = (): void => {
    const kilobytes = (dropped * blockBytes) / 1024
    const record = {
      level: 40,
      time: Date.now(),
      kilobytes,
      msg: "log lines dropped: the reader was too slow",
    }
    dropped = 0
    enqueue(Buffer.from(`${JSON.stringify(record)}\n`))
  }

  const consume = (block: Buffer, bytes: number): void => {
    queuedBytes -= bytes
    if (bytes < block.length) queue[0] = block.subarray(bytes)
    else queue.shift()
  }

  const pump = (): void => {
    if (writing) return
    if (queue.length === 0 && dropped > 0) reportDropped()
    const [block] = queue
    if (!block) {
      for (const done of flushed.splice(0)) done()
      return
    }
    writing = true
    write(fd, block, 0, block.length, null, (error, bytes) => {
      writing = false
      // A write error has nowhere to be reported, so the block is dropped; a slow reader (EAGAIN)
      // is retried.
      if (error?.code === "EAGAIN") setTimeout(pump, retryMs)
      else {
        consume(block, error ? block.length : bytes)
        pump()
      }
    })
  }

  return {
    write: (line: string): void => {
      const max = line.length * maxBytesPerUnit
      if (max > filling.length - filled) closeBlock()
      if (max > blockBytes) enqueue(Buffer.from(line))
      else filled += filling.write(line, filled)
      if (queue.length > 0) pump()
    },

    /** Starts writing the buffered lines. @param done called when everything is written */
    flush: (done?: () => void): void => {
      if (done) flushed.push(done)
      if (filled > 0) closeBlock()
      pump()
    },

    /** Writes everything synchronously; for use at process exit. */
    flushSync: (): void => {
      closeBlock()
      try {
        for (const block of queue.splice(0)) writeSync(fd, block)
      } catch {
        // The reader has closed the log.
      }
    },
  }
}
