import { headerOf, type RequestHandle } from "@portico/http1"
import { HostCallError } from "@portico/sandbox"
import type { Failure } from "../errors.ts"
import { ChunkDecoder } from "../formats/chunk-decoder.ts"
import { type Fields, isObject, objectOf, parseObject } from "../formats/json-values.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import type { Chunk } from "../formats/response-converter.ts"
import { createCompletionAccumulator } from "./completion-accumulator.ts"
import type { HostServices, ModelResponseReceiver, RequestOrigin } from "./host-services.ts"

const maxReplyBytes = 16_000_000
const tooLong = `it exceeds ${maxReplyBytes / 1e6} MB`
const maxStreams = 32
/** Maximum number of pieces buffered ahead of the function. */
const maxReadAheadBytes = 256

type RequestKind = Parameters<HostServices["requestModel"]>[1]["kind"]

export const toHostCallError = ({ message, code, status }: Failure): HostCallError =>
  new HostCallError(message, { code, status, denied: false })

/** @throws {MalformedResponse} */
const parseCompletion = (text: string): Fields => {
  const completion = parseObject(text)
  if (completion) return completion
  throw new MalformedResponse("it is not a JSON object")
}

/** The first choice of a completion or chunk as a piece for the function; null if it is empty. */
const pieceOf = (reply: Chunk): Fields | null => {
  if (reply === null) return null
  const [choice] = Array.isArray(reply.choices) ? reply.choices : []
  const message = isObject(choice?.delta) ? choice.delta : choice?.message
  const piece: Fields = { ...objectOf(message) }
  if (typeof choice?.finish_reason === "string") piece.finish_reason = choice.finish_reason
  if (isObject(reply.usage)) piece.usage = reply.usage
  if (Array.isArray(reply.sources)) piece.sources = reply.sources
  return Object.keys(piece).length > 0 ? piece : null
}

const isEventStream = (rawHeaders: readonly string[]): boolean =>
  headerOf(rawHeaders, "content-type")?.startsWith("text/event-stream") === true

/** Reads a response to the end, streamed or not. @throws {MalformedResponse} */
const createResponseReader = () => {
  const body: Buffer[] = []
  const decoder = new ChunkDecoder()
  const accumulator = createCompletionAccumulator()
  let bytes = 0
  let streamed = false
  return {
    onHead: (_status: number, rawHeaders: readonly string[]): void => {
      streamed = isEventStream(rawHeaders)
    },
    onData: (chunk: Buffer): boolean => {
      bytes += chunk.length
      if (bytes > maxReplyBytes) throw new MalformedResponse(tooLong)
      if (streamed) decoder.push(chunk).forEach(accumulator.add)
      else body.push(chunk)
      return true
    },
    finish: (): Fields => {
      if (!streamed) return parseCompletion(Buffer.concat(body).toString("utf8"))
      decoder.end().forEach(accumulator.add)
      return accumulator.completion()
    },
  }
}

interface ModelStream {
  next(): Promise<{ pieces: Fields[]; done: boolean }>
  close(): void
}

/** Another model's response, read at the function's pace. */
const openStream = (ask: (receiver: ModelResponseReceiver) => RequestHandle): ModelStream => {
  const decoder = new ChunkDecoder()
  const buffered: Fields[] = []
  let whole: ReturnType<typeof createResponseReader> | null = null
  let isDone = false
  let failure: HostCallError | null = null
  let wake: () => void = () => {}
  let handle: RequestHandle | null = null

  const add = (reply: Chunk): void => {
    const piece = pieceOf(reply)
    if (piece) buffered.push(piece)
  }
  const addChunks = (chunks: readonly Chunk[]): void => {
    chunks.forEach(add)
    wake()
  }
  const finish = (why: HostCallError | null): void => {
    isDone = true
    failure = why
    wake()
  }
  handle = ask({
    onHead: (_status, rawHeaders) => {
      if (!isEventStream(rawHeaders)) whole = createResponseReader()
    },
    onData: (chunk) => {
      if (whole) whole.onData(chunk)
      else addChunks(decoder.push(chunk))
      return buffered.length < maxReadAheadBytes
    },
    onEnd: () => {
      if (whole) add(whole.finish())
      else addChunks(decoder.end())
      finish(null)
    },
    stop: (_outcome, failed) => finish(toHostCallError(failed)),
  })

  return {
    next: async () => {
      while (buffered.length === 0 && !isDone) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const pieces = buffered.splice(0)
      if (pieces.length === 0 && failure) throw failure
      handle?.resume()
      return { pieces, done: isDone && failure === null }
    },
    close: () => handle?.cancel(),
  }
}

/** The requests of one run to other models; all are cancelled when the run ends. */
export const createModelCalls = (hostServices: HostServices, origin: RequestOrigin) => {
  const streamById = new Map<number, ModelStream>()
  const handles = new Set<RequestHandle>()
  let lastId = 0

  const requestFull = (kind: RequestKind, fields: Fields): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const reader = createResponseReader()
      const settle = (work: () => void): void => {
        handles.delete(handle)
        work()
      }
      const handle = hostServices.requestModel(
        origin,
        { kind, fields: { ...fields, stream: false } },
        {
          onHead: reader.onHead,
          onData: reader.onData,
          onEnd: () => {
            const completion = reader.finish()
            settle(() => resolve(completion))
          },
          stop: (_outcome, failure) => settle(() => reject(toHostCallError(failure))),
        },
      )
      handles.add(handle)
    })

  return {
    complete: (fields: Fields) => requestFull("completion", fields),
    embed: (fields: Fields) => requestFull("embeddings", fields),

    openStream: (fields: Fields): { stream: number } => {
      if (streamById.size >= maxStreams)
        throw new HostCallError(`A run can read at most ${maxStreams} streams at once`)
      const streamRequest = { ...fields, stream: true }
      const stream = openStream((receiver) =>
        hostServices.requestModel(origin, { kind: "completion", fields: streamRequest }, receiver),
      )
      streamById.set(++lastId, stream)
      return { stream: lastId }
    },

    readStream: async (id: number) => {
      const stream = streamById.get(id)
      if (!stream) throw new HostCallError("This stream has ended")
      const { pieces, done } = await stream.next()
      if (done) streamById.delete(id)
      return { pieces, done }
    },

    closeStream: (id: number): void => {
      streamById.get(id)?.close()
      streamById.delete(id)
    },

    /** Cancels all requests in progress. */
    cancelAll: (): void => {
      for (const stream of streamById.values()) stream.close()
      for (const handle of handles) handle.cancel()
      streamById.clear()
    },
  }
}
