import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { ChunkedReferences, type ScimJson } from "@portico/scim"

/** Responses with more members are streamed in chunks. */
const maxBufferedMembers = 1000
const charactersPerChunk = 64 * 1024
/** Placeholder for a list of members; stored text never contains U+0000. */
const membersPlaceholder = "\0"

/** The JSON of a response, split at the placeholders of member lists. */
const splitAtMembers = (body: ScimJson): { texts: string[]; lists: ChunkedReferences[] } => {
  const lists: ChunkedReferences[] = []
  const marked = (json: ScimJson): ScimJson => {
    if (!(json.members instanceof ChunkedReferences)) return json
    lists.push(json.members)
    return { ...json, members: membersPlaceholder }
  }
  const { Resources } = body
  const whole = Array.isArray(Resources)
    ? { ...body, Resources: Resources.map(marked) }
    : marked(body)
  return { texts: JSON.stringify(whole).split(JSON.stringify(membersPlaceholder)), lists }
}

function* joinChunks({ texts, lists }: ReturnType<typeof splitAtMembers>): Generator<string> {
  for (const [index, text] of texts.entries()) {
    yield text
    yield* lists[index]?.chunks() ?? []
  }
}

/** Yields to the event loop before each chunk. */
const streamChunks = (pieces: Generator<string>): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        await yieldToEventLoop()
        let text = ""
        while (text.length < charactersPerChunk) {
          const { value, done } = pieces.next()
          if (done) break
          text += value
        }
        if (text === "") controller.close()
        else controller.enqueue(Buffer.from(text))
      },
    },
    { highWaterMark: 0 },
  )

export const createScimResponse = (
  body: ScimJson,
  status = 200,
  headers: Record<string, string> = {},
): Response => {
  const parts = splitAtMembers(body)
  const members = parts.lists.reduce((sum, { count }) => sum + count, 0)
  const pieces = joinChunks(parts)
  const content = members > maxBufferedMembers ? streamChunks(pieces) : [...pieces].join("")
  return new Response(content, {
    status,
    headers: { "content-type": "application/scim+json", ...headers },
  })
}
