import { randomUUID } from "node:crypto"
import type { Fields } from "../../src/formats/json-values.ts"
import { serializeInput } from "../../src/stored-responses/serialize-response.ts"
import { createStoredResponses } from "../../src/stored-responses/stored-responses.ts"
import type { TestGateway } from "../harness/gateway.ts"

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

interface Exchange {
  response: Fields & { id: string }
  input: readonly Fields[]
}

/** The gateway's stored responses, parsed, with another clock or other limits. */
export const storedResponsesOf = (
  { gateway }: Pick<TestGateway, "gateway">,
  options: Partial<Parameters<typeof createStoredResponses>[0]> = {},
) => {
  const stored = createStoredResponses({
    db: gateway.db,
    storage: gateway.storageLimit,
    audit: gateway.audit,
    config: gateway.config,
    now: nowSeconds,
    ...options,
  })
  return {
    ...stored,
    save: async (userId: string, { response, input }: Exchange) =>
      stored.save(userId, { response, input: serializeInput(input, randomUUID) }),
    get: async (userId: string, id: string) => JSON.parse(String(await stored.get(userId, id))),
    readHistory: async (userId: string, id: string) => {
      const texts = await stored.readHistory(userId, id)
      return texts.map((text) => JSON.parse(text))
    },
    readItems: async (userId: string, ids: readonly string[]) => {
      const texts = await stored.readItems(userId, ids)
      return new Map([...texts].map(([id, text]) => [id, JSON.parse(text)]))
    },
  }
}

export const message = (content: string, id?: string) => ({
  type: "message",
  role: "user",
  content,
  ...(id !== undefined && { id }),
})

/** A request with one message, and its response, which answers it in capitals. */
export const exchangeOf = (
  id: string,
  { previous = null, text = id }: { previous?: string | null; text?: string } = {},
) =>
  ({
    response: {
      id,
      object: "response",
      created_at: 1_700_000_000,
      status: "completed",
      model: "gpt-fake",
      output: [
        {
          id: `msg_of_${id}`,
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: text.toUpperCase() }],
        },
      ],
      previous_response_id: previous,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    input: [message(text, `in_${id}`)],
  }) satisfies Exchange
