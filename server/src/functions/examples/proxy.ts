import type { ChatRequest, Context, Message, Setting } from "portico"

export const name = "Proxy"
export const description = "Asks a service with an HTTP API of its own"

export const settings: Record<string, Setting> = {
  url: {
    type: "text",
    label: "Address",
    description: "Where a question is posted. Its host must be among the allowed ones.",
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
    label: "Before the key",
    description: "A word and a space come before it in the header; empty for none.",
    default: "Bearer",
  },
  question: {
    type: "text",
    label: "Question's field",
    description: "Under this name the last message is sent.",
    default: "question",
  },
  history: {
    type: "text",
    label: "Conversation's field",
    description: "Under this name all messages are sent; empty: they are not.",
    default: "",
  },
  answer: {
    type: "text",
    label: "Answer's place",
    description: "Where the text is in the reply, such as: answer, or result.items.0.text",
    default: "answer",
  },
}

const textOf = (message: Message | undefined): string => {
  const content = message?.content ?? ""
  if (typeof content === "string") return content
  return content.map(({ text = "" }) => text).join("\n")
}

/** `result.items.0.text` in what the service said. */
const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce(
      (inner: unknown, name) =>
        typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined,
      value,
    )

const texts = ({ url, header, scheme, question, answer }: Context["settings"]) => ({
  url: String(url),
  header: String(header),
  scheme: String(scheme ?? ""),
  question: String(question),
  answer: String(answer),
})

export const reply = async ({ messages }: ChatRequest, context: Context): Promise<string> => {
  const { key, history } = context.settings
  const { url, header, scheme, question, answer } = texts(context.settings)
  const asked = textOf(messages.findLast(({ role }) => role === "user"))
  const body = { [question]: asked, ...(history && { [String(history)]: messages }) }
  const headers: Record<string, string> = { "content-type": "application/json" }
  if (key) headers[header] = scheme ? `${scheme} ${key}` : String(key)
  const response = await context.fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  if (!response.ok) {
    context.log.error(response.status, (await response.text()).slice(0, 500))
    throw new Error(`The service answered with ${response.status}`)
  }
  const said = at(await response.json(), answer)
  if (typeof said === "string") return said
  throw new Error(`The service's reply has no text at "${answer}"`)
}
