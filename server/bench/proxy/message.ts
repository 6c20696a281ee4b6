export type MessageEvents = {
  /** Start line and header lines, without the empty line. */
  head: (text: string) => void
  /** Part of the body; valid only during the call because the buffer is reused. */
  body: (bytes: Buffer) => void
  end: () => void
}

type Phase = "head" | "fixed" | "size" | "data" | "gap" | "trailer"

/**
 * Minimal parser for HTTP/1.1 messages with Content-Length or chunked framing, for the load driver
 * and the mock upstream only. Node's own client and server use more CPU than nginx, so on a small
 * machine the benchmark would measure them instead.
 */
export const createMessageReader = (events: MessageEvents) => {
  let phase: Phase = "head"
  let pending = ""
  let left = 0

  const finish = () => {
    phase = "head"
    events.end()
  }

  const begin = (head: string) => {
    events.head(head)
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      phase = "size"
      return
    }
    left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    if (left === 0) finish()
    else phase = "fixed"
  }

  /** Text up to the mark, across reads if necessary; undefined while the mark is missing. */
  const until = (mark: string, data: Buffer, at: number): { text?: string; next: number } => {
    const before = pending.length
    pending += data.toString("latin1", at)
    const found = pending.indexOf(mark)
    if (found < 0) return { next: data.length }
    const text = pending.slice(0, found)
    pending = ""
    return { text, next: at + found + mark.length - before }
  }

  const steps: Record<Phase, (data: Buffer, at: number) => number> = {
    head: (data, at) => {
      const { text, next } = until("\r\n\r\n", data, at)
      if (text !== undefined) begin(text)
      return next
    },
    fixed: (data, at) => {
      const next = Math.min(data.length, at + left)
      events.body(data.subarray(at, next))
      left -= next - at
      if (left === 0) finish()
      return next
    },
    size: (data, at) => {
      const { text, next } = until("\r\n", data, at)
      if (text === undefined) return next
      left = Number.parseInt(text, 16)
      phase = left === 0 ? "trailer" : "data"
      return next
    },
    data: (data, at) => {
      const next = Math.min(data.length, at + left)
      events.body(data.subarray(at, next))
      left -= next - at
      if (left === 0) phase = "gap"
      return next
    },
    gap: (data, at) => {
      const { text, next } = until("\r\n", data, at)
      if (text !== undefined) phase = "size"
      return next
    },
    trailer: (data, at) => {
      const { text, next } = until("\r\n", data, at)
      if (text === "") finish()
      return next
    },
  }

  return (data: Buffer) => {
    for (let at = 0; at < data.length; ) at = steps[phase](data, at)
  }
}
