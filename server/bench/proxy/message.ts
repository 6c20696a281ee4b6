export type MessageEvents = {
  /** Start line and header lines, without the empty line. */
  head: (text: string) => void
  /** Part of the body; valid only during the call, the memory is used again. */
  body: (bytes: Buffer) => void
  end: () => void
}

type Phase = "head" | "fixed" | "size" | "data" | "gap" | "trailer"

/**
 * Reads HTTP/1.1 messages framed by Content-Length or chunks, one after the other.
 * Node's own client and server cost more CPU than nginx does, so that on a small machine they
 * would be what is measured; this is for the load driver and the mock upstream only.
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

  /** Text up to the mark, over several reads if need be; undefined while the mark is missing. */
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
