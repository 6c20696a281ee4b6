import type { ChatRequest, Context, Message, Setting } from "portico"

export const name = "Proxy"
export const description = "Forwards questions to a service with its own HTTP API"

export const settings: Record<string, Setting> = {
  url: {
    type: "text",
    label: "Address",
    description:
      "The URL that questions are posted to. Its host must be allowed for this function.",
    required: true,
  },
  key: {
    type: "secret",
    label: "API key",
    description: "Sent in the header below.",
  },
  header: { type: "text", label: "Header", default: "Authorization" },
  scheme: {
    type: "text",
    label: "Authorization scheme",
    description: "Precedes the key in the header; leave empty for none.",
    default: "Bearer",
  },
  question: {
    type: "text",
    label: "Question field",
    description: "Name of the JSON field for the last message.",
    default: "question",
  },
  history: {
    type: "text",
    label: "Conversation field",
    description: "Name of the JSON field for all messages; leave empty to omit them.",
    default: "",
  },
  answer: {
    type: "text",
    label: "Answer field",
    description: "Path of the text in the response, for example answer or result.items.0.text",
    default: "answer",
  },
}

const textOf = (message: Message | undefined): string => {
  const content = message?.content ?? ""
  if (typeof content === "string") return content
  return content.map(({ text = "" }) => text).join("\n")
}

/** Reads a path such as `result.items.0.text` from the service's response. */
const readPath = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce(
      (inner: unknown, name) =>
        typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined,
      value,
    )

const textSettings = ({ url, header, scheme, question, answer }: Context["settings"]) => ({
  url: String(url),
  header: String(header),
  scheme: String(scheme ?? ""),
  question: String(question),
  answer: String(answer),
})

export const reply = async ({ messages }: ChatRequest, context: Context): Promise<string> => {
  const { key, history } = context.settings
  const { url, header, scheme, question, answer } = textSettings(context.settings)
  const lastMessage = textOf(messages.findLast(({ role }) => role === "user"))
  const body = { [question]: lastMessage, ...(history && { [String(history)]: messages }) }
  const headers: Record<string, string> = { "content-type": "application/json" }
  if (key) headers[header] = scheme ? `${scheme} ${key}` : String(key)
  const response = await context.fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  if (!response.ok) {
    context.log.error(response.status, (await response.text()).slice(0, 500))
    throw new Error(`The service responded with status ${response.status}`)
  }
  const text = readPath(await response.json(), answer)
  if (typeof text === "string") return text
  throw new Error(`The service's response has no text at "${answer}"`)
}
