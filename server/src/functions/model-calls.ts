import type { Failure } from "../errors.ts"
import type { Flow } from "../outbound/client.ts"
import type { Abilities, Asker, ReplyHears } from "./abilities.ts"
import { type Fields, isObject } from "./completion.ts"
import { createEventReader } from "./event-reader.ts"
import { Refused } from "./wall/session.ts"

const mostReplyBytes = 16 * 1024 * 1024
const mostStreams = 32
/** Pieces read ahead of the guest. */
const mostAhead = 256

type Operation = Parameters<Abilities["ask"]>[1]["operation"]

const refusedBy = ({ message, code, status }: Failure): Refused =>
  new Refused(message, { code, status, denied: false })

/** The piece of a reply in one event; null where it has none. */
const pieceOf = (data: string): Fields | null => {
  if (data === "[DONE]") return null
  const chunk: unknown = JSON.parse(data)
  if (!isObject(chunk)) return null
  const [choice] = Array.isArray(chunk.choices) ? chunk.choices : []
  const piece: Fields = { ...(isObject(choice?.delta) ? choice.delta : {}) }
  if (typeof choice?.finish_reason === "string") piece.finish_reason = choice.finish_reason
  if (isObject(chunk.usage)) piece.usage = chunk.usage
  if (Array.isArray(chunk.sources)) piece.sources = chunk.sources
  return Object.keys(piece).length > 0 ? piece : null
}

interface Stream {
  next(): Promise<{ pieces: Fields[]; done: boolean }>
  close(): void
}

/** Another model's reply, read as the guest asks for it. */
const openStream = (ask: (hears: ReplyHears) => Flow): Stream => {
  const reader = createEventReader()
  const ahead: Fields[] = []
  let over = false
  let failure: Refused | null = null
  let wake: () => void = () => {}
  let stop: Flow | null = null

  const take = (datas: string[]): void => {
    for (const data of datas) {
      const piece = pieceOf(data)
      if (piece) ahead.push(piece)
    }
    wake()
  }
  const finish = (why: Refused | null): void => {
    over = true
    failure = why
    wake()
  }
  stop = ask({
    begins: () => {},
    data: (chunk) => {
      take(reader.read(chunk))
      return ahead.length < mostAhead
    },
    end: () => {
      take(reader.end())
      finish(null)
    },
    failed: (reason) => finish(refusedBy(reason)),
  })

  return {
    next: async () => {
      while (ahead.length === 0 && !over) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const pieces = ahead.splice(0)
      if (pieces.length === 0 && failure) throw failure
      stop?.resume()
      return { pieces, done: over && failure === null }
    },
    close: () => stop?.cancel(),
  }
}

/** The calls of one run to other models; all end with it. */
export const createModelCalls = (abilities: Abilities, asker: Asker) => {
  const streamById = new Map<number, Stream>()
  const flows = new Set<Flow>()
  let lastId = 0

  const whole = (operation: Operation, fields: Fields): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let bytes = 0
      const settle = (work: () => void): void => {
        flows.delete(flow)
        work()
      }
      const flow = abilities.ask(
        asker,
        { operation, fields: { ...fields, stream: false } },
        {
          begins: () => {},
          data: (chunk) => {
            bytes += chunk.length
            if (bytes <= mostReplyBytes) chunks.push(chunk)
            return true
          },
          end: () => settle(() => resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")))),
          failed: (failure) => settle(() => reject(refusedBy(failure))),
        },
      )
      flows.add(flow)
    })

  return {
    chat: (fields: Fields) => whole("chat/completions", fields),
    embed: (fields: Fields) => whole("embeddings", fields),

    open: (fields: Fields): { stream: number } => {
      if (streamById.size >= mostStreams) throw new Refused("Too many replies are read at once")
      const asked = { ...fields, stream: true }
      const stream = openStream((hears) =>
        abilities.ask(asker, { operation: "chat/completions", fields: asked }, hears),
      )
      streamById.set(++lastId, stream)
      return { stream: lastId }
    },

    next: async (id: number) => {
      const stream = streamById.get(id)
      if (!stream) throw new Refused("This reply is over")
      const { pieces, done } = await stream.next()
      if (done) streamById.delete(id)
      return { pieces, done }
    },

    close: (id: number): void => {
      streamById.get(id)?.close()
      streamById.delete(id)
    },

    /** Ends all that is under way. */
    end: (): void => {
      for (const stream of streamById.values()) stream.close()
      for (const flow of flows) flow.cancel()
      streamById.clear()
    },
  }
}
