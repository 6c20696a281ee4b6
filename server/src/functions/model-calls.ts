import type { Failure } from "../errors.ts"
import { type Fields, isObject } from "../formats/json-values.ts"
import type { Flow } from "../outbound/client.ts"
import { createEventReader } from "../outbound/sse-decoder.ts"
import { UnreadableReply } from "../outbound/upstream-error.ts"
import { createWholeReply } from "./completion-accumulator.ts"
import type { Abilities, Asker, ReplyHears } from "./host-services.ts"
import { Refused } from "./sandbox/session.ts"

const maxReplyBytes = 16_000_000
const tooLong = `it exceeds ${maxReplyBytes / 1e6} MB`
const maxStreams = 32
/** Maximum number of pieces buffered ahead of the function. */
const maxReadAheadBytes = 256

type Operation = Parameters<Abilities["ask"]>[1]["operation"]

const refusedBy = ({ message, code, status }: Failure): Refused =>
  new Refused(message, { code, status, denied: false })

/** @throws {UnreadableReply} */
const jsonOf = (text: string): Fields => {
  const value = parsed(text)
  if (isObject(value)) return value
  throw new UnreadableReply("it is not a JSON object")
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Parses an event's data; null for `[DONE]` and anything else that is not a JSON object. */
const chunkOf = (data: string): Fields | null => {
  const chunk = parsed(data)
  return isObject(chunk) ? chunk : null
}

/** The first choice of a completion or chunk as a piece for the function; null if it is empty. */
const pieceOf = (reply: Fields | null): Fields | null => {
  if (reply === null) return null
  const [choice] = Array.isArray(reply.choices) ? reply.choices : []
  const said = isObject(choice?.delta) ? choice.delta : choice?.message
  const piece: Fields = { ...(isObject(said) ? said : {}) }
  if (typeof choice?.finish_reason === "string") piece.finish_reason = choice.finish_reason
  if (isObject(reply.usage)) piece.usage = reply.usage
  if (Array.isArray(reply.sources)) piece.sources = reply.sources
  return Object.keys(piece).length > 0 ? piece : null
}

/** Reads a response to the end, streamed or not. @throws {UnreadableReply} */
const createGathering = () => {
  const chunks: Buffer[] = []
  const events = createEventReader()
  const gathered = createWholeReply()
  let bytes = 0
  let streamed = false
  const add = (datas: readonly string[]): void => {
    for (const data of datas) gathered.add(chunkOf(data))
  }
  return {
    begins: (isStream: boolean): void => {
      streamed = isStream
    },
    data: (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > maxReplyBytes) throw new UnreadableReply(tooLong)
      if (streamed) add(events.read(chunk))
      else chunks.push(chunk)
    },
    end: (): Fields => {
      if (!streamed) return jsonOf(Buffer.concat(chunks).toString("utf8"))
      add(events.end())
      return gathered.reply()
    },
  }
}

interface Stream {
  next(): Promise<{ pieces: Fields[]; done: boolean }>
  close(): void
}

/** Another model's response, read at the function's pace. */
const openStream = (ask: (hears: ReplyHears) => Flow): Stream => {
  const reader = createEventReader()
  const ahead: Fields[] = []
  let whole: ReturnType<typeof createGathering> | null = null
  let over = false
  let failure: Refused | null = null
  let wake: () => void = () => {}
  let stop: Flow | null = null

  const take = (chunks: readonly (Fields | null)[]): void => {
    for (const chunk of chunks) {
      const piece = pieceOf(chunk)
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
    begins: (isStream) => {
      if (!isStream) whole = createGathering()
    },
    data: (chunk) => {
      if (whole) whole.data(chunk)
      else take(reader.read(chunk).map(chunkOf))
      return ahead.length < maxReadAheadBytes
    },
    end: () => {
      take(whole ? [whole.end()] : reader.end().map(chunkOf))
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

/** The requests of one run to other models; all are cancelled when the run ends. */
export const createModelCalls = (abilities: Abilities, asker: Asker) => {
  const streamById = new Map<number, Stream>()
  const flows = new Set<Flow>()
  let lastId = 0

  const whole = (operation: Operation, fields: Fields): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const reply = createGathering()
      const settle = (work: () => void): void => {
        flows.delete(flow)
        work()
      }
      const flow = abilities.ask(
        asker,
        { operation, fields: { ...fields, stream: false } },
        {
          begins: reply.begins,
          data: (chunk) => {
            reply.data(chunk)
            return true
          },
          end: () => {
            const whole = reply.end()
            settle(() => resolve(whole))
          },
          failed: (failure) => settle(() => reject(refusedBy(failure))),
        },
      )
      flows.add(flow)
    })

  return {
    chat: (fields: Fields) => whole("chat/completions", fields),
    embed: (fields: Fields) => whole("embeddings", fields),

    open: (fields: Fields): { stream: number } => {
      if (streamById.size >= maxStreams)
        throw new Refused(`A run can read at most ${maxStreams} streams at once`)
      const asked = { ...fields, stream: true }
      const stream = openStream((hears) =>
        abilities.ask(asker, { operation: "chat/completions", fields: asked }, hears),
      )
      streamById.set(++lastId, stream)
      return { stream: lastId }
    },

    next: async (id: number) => {
      const stream = streamById.get(id)
      if (!stream) throw new Refused("This stream has ended")
      const { pieces, done } = await stream.next()
      if (done) streamById.delete(id)
      return { pieces, done }
    },

    close: (id: number): void => {
      streamById.get(id)?.close()
      streamById.delete(id)
    },

    /** Cancels all requests in progress. */
    cancelAll: (): void => {
      for (const stream of streamById.values()) stream.close()
      for (const flow of flows) flow.cancel()
      streamById.clear()
    },
  }
}
