import type { Chooser } from "../../test/harness/random.ts"
import type { Operation } from "./document.ts"
import type { Ids } from "./ids.ts"
import type { Values } from "./values.ts"

/** A request before encoding, whose parts can be mutated one by one. */
export interface Draft {
  method: string
  path: string
  query: [name: string, value: string][]
  headers: Record<string, string>
  /** A JSON value; ignored if `raw` is set. */
  body: unknown
  raw: Buffer | undefined
}

/** Paths that runtimes and providers behind the two proxies support, and one that they do not. */
const proxiedPaths = [
  ...["api/tags", "api/chat", "api/generate", "api/embed", "api/show", "api/ps", "api/version"],
  ...["api/pull", "api/delete", "api/blobs/sha256:00", "v1/models", "v1/chat/completions"],
  ...["models", "chat/completions", "embeddings", "files", "nothing/here"],
]

const documents: readonly (readonly [filename: string, content: string])[] = [
  ["notes.md", "# Notes\n\nThe office opens at nine.\n\n## Travel\n\nBook trains early."],
  ["table.csv", "name,age\nAda,36\nGrace,85\n"],
  ["page.html", "<!doctype html><title>A page</title><h1>Hello</h1><p>World</p>"],
  ["data.json", '{"a":[1,2,3]}'],
  ["broken.pdf", "%PDF-1.7\nnot really"],
  ["picture.png", "\u0089PNG\r\n\u001a\n0000"],
  ["empty.txt", ""],
  ["noise.bin", "\u0000\u0001\u0002\u0003"],
]

const boundary = "----fuzz-boundary"

const part = (name: string, content: string, filename?: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
  `${filename === undefined ? "" : `; filename="${filename}"`}\r\n\r\n${content}\r\n`

/** Generates valid requests according to the OpenAPI document. */
export const createRequests = ({
  random,
  ids,
  values,
}: {
  random: Chooser
  ids: Ids
  values: Values
}) => {
  const upload = (): Buffer => {
    const [filename, content] = random.pick(documents)
    const metadata = random.chance(0.2) ? part("metadata", '{"from":"fuzz"}') : ""
    return Buffer.from(`${metadata}${part("file", content, filename)}--${boundary}--\r\n`, "latin1")
  }

  const pathParameter = (operation: Operation, name: string): string => {
    if (operation.path.endsWith("/{path}")) return random.pick(proxiedPaths)
    if (name === "version") return String(1 + random.below(3))
    if (name === "message_id") return ids.pick("messages")
    return ids.pick(operation.noun)
  }

  const pathOf = (operation: Operation): string =>
    operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = pathParameter(operation, name)
      return name === "path" ? value : encodeURIComponent(value)
    })

  const queryOf = (operation: Operation): Draft["query"] =>
    operation.parameters
      .filter((parameter) => parameter.in === "query" && (parameter.required || random.chance(0.4)))
      .map(({ name, schema }) => {
        const value =
          name === "id" ? ids.pick(operation.noun) : values.make(schema, name, operation.noun)
        return [name, String(value)]
      })

  const proxiedBody = (): unknown => ({
    model: values.make({ type: "string" }, "model", "models"),
    prompt: "Hello",
    messages: [{ role: "user", content: "Hello" }],
    input: ["Hello"],
    stream: random.chance(0.5),
  })

  const fillBody = (draft: Draft, operation: Operation): void => {
    const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
    if (!type || !content) return
    draft.headers["content-type"] = type
    if (type.startsWith("multipart/")) {
      draft.headers["content-type"] = `multipart/form-data; boundary=${boundary}`
      draft.raw = upload()
    } else if (type.endsWith("octet-stream")) {
      draft.raw = Buffer.alloc(random.below(3000), "text ")
      draft.headers["upload-offset"] = "0"
      draft.headers["upload-length"] = String(draft.raw.length)
    } else if (type.includes("urlencoded")) {
      draft.raw = Buffer.from(`logout_token=${random.word(30)}`)
    } else {
      draft.body = values.make(content.schema, "", operation.noun)
    }
  }

  return (operation: Operation): Draft => {
    const draft: Draft = {
      method: operation.method,
      path: pathOf(operation),
      query: queryOf(operation),
      headers: {},
      body: undefined,
      raw: undefined,
    }
    const isProxied = operation.path.endsWith("/{path}") && draft.method === "POST"
    if (isProxied) draft.body = proxiedBody()
    fillBody(draft, operation)
    return draft
  }
}

/** Encodes the body as bytes. */
export const bytesOf = ({ raw, body }: Draft): Buffer | undefined => {
  if (raw) return raw
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body))
}
