import { setImmediate as breathe } from "node:timers/promises"
import type { Exchange } from "../http/request-context.ts"
import type { Json } from "./projection.ts"
import { MemberList } from "./reference-list.ts"

export const scimPath = "/api/v1/scim/v2"

/** Responses with more members are streamed in chunks. */
const maxMembersPerBatch = 1000
const charactersAPiece = 64 * 1024
/** Placeholder for a list of members; stored text never contains U+0000. */
const mark = "\0"

/** The JSON of a response, split at the placeholders of member lists. */
const cut = (body: Json): { texts: string[]; lists: MemberList[] } => {
  const lists: MemberList[] = []
  const marked = (json: Json): Json => {
    if (!(json.members instanceof MemberList)) return json
    lists.push(json.members)
    return { ...json, members: mark }
  }
  const { Resources } = body
  const whole = Array.isArray(Resources)
    ? { ...body, Resources: Resources.map(marked) }
    : marked(body)
  return { texts: JSON.stringify(whole).split(JSON.stringify(mark)), lists }
}

function* piecesOf({ texts, lists }: ReturnType<typeof cut>): Generator<string> {
  for (const [index, text] of texts.entries()) {
    yield text
    yield* lists[index]?.pieces() ?? []
  }
}

/** Yields to the event loop before each chunk. */
const streamOf = (pieces: Generator<string>): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        await breathe()
        let text = ""
        while (text.length < charactersAPiece) {
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

export const scimReply = (
  body: Json,
  status = 200,
  headers: Record<string, string> = {},
): Response => {
  const parts = cut(body)
  const members = parts.lists.reduce((sum, { count }) => sum + count, 0)
  const pieces = piecesOf(parts)
  const content = members > maxMembersPerBatch ? streamOf(pieces) : [...pieces].join("")
  return new Response(content, {
    status,
    headers: { "content-type": "application/scim+json", ...headers },
  })
}

/** Returns the base URL of resources: PUBLIC_URL, or the request's host. */
export const createBaseOf =
  (publicUrl: string | undefined) =>
  ({ incoming }: Exchange): string => {
    const asked = `http://${incoming.headers.host ?? ""}`
    const origin = URL.canParse(asked) ? new URL(asked).origin : "http://localhost"
    return `${publicUrl ?? origin}${scimPath}`
  }
