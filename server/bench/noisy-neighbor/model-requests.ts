import { type Attack, post, workers } from "./requests.ts"

/** Requests of the Messages and Responses APIs that expand to much work or memory. */

const model = "bench-reply"

/** Made by the attacker's process only: some have 14 MB. */
const lazily = (make: () => unknown): (() => string) => {
  let body: string | undefined
  return () => {
    body ??= JSON.stringify(make())
    return body
  }
}

const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const membersOf = (count: number): Record<string, string> =>
  Object.fromEntries(repeat(count, (index) => [`k${index}`, ""]))

const sending = (many: number, path: string, make: () => unknown): Attack => {
  const body = lazily(make)
  return workers(many, (attacked) => post(attacked, path, body()))
}

const responses = "/v1/responses"
const block = { type: "text", text: "" }
const message = { role: "user", content: "x" }
const tool = (index: number) => ({
  type: "function",
  name: `tool_${index}`,
  description: "x".repeat(80),
  parameters: { type: "object", properties: {} },
})
const schema = (index: number) => ({
  type: "object",
  properties: Object.fromEntries(
    repeat(1000, (at) => [
      `property_${index}_${at}`,
      { type: "string", description: "x".repeat(40) },
    ]),
  ),
})
const blocks = () => ({
  ...{ model, max_tokens: 10 },
  messages: [{ role: "user", content: repeat(450_000, () => block) }],
})

/** One after the other by each connection; each body has 8 to 14 MB. */
export const conversionAttacks: Readonly<Record<string, Attack>> = {
  "450,000 blocks of a message": sending(4, "/v1/messages", blocks),
  "450,000 blocks to count": sending(4, "/v1/messages/count_tokens", blocks),
  "250,000 items": sending(4, responses, () => ({
    ...{ model, store: false },
    input: repeat(250_000, () => message),
  })),
  "9,000 stored items": sending(4, responses, () => ({
    model,
    input: repeat(9000, () => ({ ...message, content: "x".repeat(1300) })),
  })),
  "80,000 tools": sending(4, responses, () => ({ model, input: "x", tools: repeat(80_000, tool) })),
  "100 tools of 80 KB": sending(4, responses, () => ({
    ...{ model, input: "x", store: false },
    tools: repeat(100, (index) => ({ ...tool(index), parameters: schema(index) })),
  })),
  "700,000 fields of reasoning": sending(4, responses, () => ({
    ...{ model, input: "x", reasoning: membersOf(700_000) },
  })),
  "700,000 fields of metadata": sending(4, responses, () => ({
    ...{ model, input: "x", metadata: membersOf(700_000) },
  })),
  "12 MB of instructions": sending(4, responses, () => ({
    ...{ model, input: "x", stream: true, instructions: "x".repeat(12_000_000) },
  })),
}

const history = (id: string | undefined) =>
  JSON.stringify({ model, stream: true, store: false, previous_response_id: id, input: "go" })

const manyItems = lazily(() => ({ model, input: repeat(9900, () => message) }))

/** `names` of the attacked gateway is the id of what they refer to. */
export const referenceAttacks: Readonly<Record<string, Attack>> = {
  "references to one item": workers(4, (attacked) => {
    const item = { type: "item_reference", id: attacked.names[0] }
    return post(attacked, responses, JSON.stringify({ model, input: repeat(320, () => item) }))
  }),
  "references to one file": workers(4, (attacked) => {
    const part = { type: "input_file", file_id: attacked.names[0] }
    const content = repeat(100_000, () => part)
    const input = [{ role: "user", content }]
    return post(attacked, responses, JSON.stringify({ model, store: false, input }))
  }),
  "long histories": workers(20, (attacked) =>
    post(attacked, responses, history(attacked.names[0])),
  ),
}

export const storageAttacks: Readonly<Record<string, Attack>> = {
  "stored responses": workers(30, (attacked) => post(attacked, responses, manyItems())),
  "stored responses on PostgreSQL": workers(30, (attacked) =>
    post(attacked, responses, manyItems()),
  ),
}
