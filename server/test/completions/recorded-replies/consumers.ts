import { expect } from "vitest"
import { createChatClient } from "../../conversations/chat-client.ts"
import { saveFunction } from "../../functions/function-client.ts"
import { adminKey, type TestGateway } from "../../harness/gateway.ts"
import { waitFor, waitForUsageRecords } from "../../harness/usage-records.ts"

/** The models whose requests the recorded replies answer. */
export const models = ["m", "m-chunk", "m-after"] as const

const forwards = `export const name = "Forwards"
export const reply = (request) => ({ ...request, model: "m" })`
const reads = `export const name = "Reads"
export const reply = async ({ messages }, context) => {
  try {
    return JSON.stringify(await context.chat({ model: "m", messages }))
  } catch (error) {
    return "failed: " + error.message
  }
}`
const streams = `export const name = "Streams"
export async function* reply({ messages }, context) {
  try {
    for await (const piece of context.chat({ model: "m", messages, stream: true })) {
      yield JSON.stringify(piece) + "\\n"
    }
  } catch (error) {
    yield "failed: " + error.message
  }
}`
const shouts = `export const chunk = (delta) =>
  delta.last ? { content: "!" }
    : typeof delta.content === "string" ? { ...delta, content: delta.content.toUpperCase() } : delta`
const checks = `export const after = (reply) => {
  reply.choices.forEach(({ message }) => { message.content = (message.content ?? "") + " (checked)" })
  return reply
}`

/** Creates the functions and filters that consume replies. */
export const installConsumers = async (gateway: TestGateway): Promise<void> => {
  await saveFunction(gateway, "forwards", forwards)
  await saveFunction(gateway, "reads", reads)
  await saveFunction(gateway, "streams", streams)
  await saveFunction(gateway, "shouts", shouts, { filter_models: ["m-chunk"] })
  await saveFunction(gateway, "checks", checks, { filter_models: ["m-after"] })
}

const messages = [{ role: "user", content: "Hello" }]

/** The bytes of a body; says so if the connection was cut. */
const readBody = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
    return text
  } catch {
    return `${text}\n(connection cut)`
  }
}

const describeUsage = async (gateway: TestGateway, requestId: string): Promise<string> => {
  // A function's own record may follow that of the model it called.
  await expect.poll(() => gateway.gateway.inFlight.count()).toBe(0)
  const records = await waitForUsageRecords(gateway, requestId)
  return records
    .map((record) => {
      const { model, operation, outcome, status, tokens_in, tokens_out, estimated } = record
      const counts = `${tokens_in} in, ${tokens_out} out${estimated ? ", estimated" : ""}`
      return `usage: ${operation} ${model}: ${outcome} ${status}, ${counts}`
    })
    .sort()
    .join("\n")
}

const shown = ["content-type", "content-length", "transfer-encoding", "retry-after"]

/** A long text with its middle left out. */
const abbreviate = (text: string): string =>
  text.length <= 20_000
    ? text
    : `${text.slice(0, 300)}… ${text.length} characters …${text.slice(-300)}`

const requestAsClient = async (
  gateway: TestGateway,
  path: string,
  body: object,
): Promise<string> => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  const text = await readBody(response)
  const headers = shown
    .map((name) => [name, response.headers.get(name)])
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`)
  const usage = await describeUsage(gateway, response.headers.get("x-request-id") ?? "")
  return [`${response.status}`, ...headers, usage, "", abbreviate(text)].join("\n")
}

type Consumer = (gateway: TestGateway, streamed: boolean) => Promise<string>

const relayed =
  (model: string, path = "/v1/chat/completions", more: object = {}): Consumer =>
  (gateway, stream) =>
    requestAsClient(gateway, path, { model, messages, stream, ...more })

const answered: Consumer = async (gateway) => {
  const chats = createChatClient(gateway, adminKey)
  const id = await chats.createChat({ models: ["m"] })
  await chats.call("POST", `/${id}/messages`, { content: "Hello" })
  const message = await waitFor(async () => {
    const last = (await chats.call("GET", `/${id}`)).body.messages.at(-1)
    return last.state === "running" ? null : last
  })
  const { content, reasoning, state, finish_reason, tokens_in, tokens_out } = message
  // In one order: a message in memory has another one than its row.
  const error = message.error && Object.fromEntries(Object.entries(message.error).sort())
  const usage = await describeUsage(gateway, message.request_id)
  const fields = { content: abbreviate(content), reasoning, state, error, finish_reason }
  return `${usage}\n\n${JSON.stringify({ ...fields, tokens_in, tokens_out }, null, 2)}`
}

/** Everything in the gateway that reads a provider's reply. */
export const consumers: Record<string, Consumer> = {
  client: relayed("m"),
  "client that asks for usage": relayed("m", undefined, {
    stream_options: { include_usage: true },
  }),
  "native client": relayed("m", "/openai/chat/completions"),
  "answer in a chat": answered,
  "filter of chunks": relayed("m-chunk"),
  "filter of whole replies": relayed("m-after"),
  "function that forwards": relayed("forwards"),
  // Their own replies are not streamed: how pieces are combined depends on timing.
  "function that reads": (gateway) => relayed("reads")(gateway, false),
  "function that streams": (gateway) => relayed("streams")(gateway, false),
}
