import type { TestGateway } from "../harness/gateway.ts"
import { adminKey } from "../harness/gateway.ts"

/** Uploads a file as multipart form data, as a browser does. */
export const upload = async (
  gateway: Pick<TestGateway, "url">,
  filename: string,
  content: string | Uint8Array,
  { key = adminKey, query = "", type = "application/octet-stream" } = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
): Promise<{ status: number; body: any }> => {
  const form = new FormData()
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
  form.append("file", new Blob([new Uint8Array(bytes)], { type }), filename)
  const response = await fetch(`${gateway.url}/api/v1/files/${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
  return { status: response.status, body: await response.json() }
}

/** Uploads texts at the same time and waits until they can be searched. @returns ids, in order */
export const uploadTexts = async (
  gateway: Pick<TestGateway, "url">,
  texts: readonly (readonly [name: string, text: string])[],
): Promise<string[]> => {
  const query = "?process_in_background=false"
  const uploads = texts.map(([name, text]) => upload(gateway, name, text, { query }))
  return (await Promise.all(uploads)).map(({ body }) => body.id)
}

/** Same as `upload`, but waits until the file is embedded, or cannot be, and returns its record. */
export const uploadAndEmbed = async (
  gateway: Pick<TestGateway, "url">,
  filename: string,
  content: string | Uint8Array,
  { key = adminKey } = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
): Promise<any> => {
  const query = "?process_in_background=false"
  const { status, body } = await upload(gateway, filename, content, { key, query })
  if (status !== 200) throw new Error(`the upload failed: ${JSON.stringify(body)}`)
  const headers = { authorization: `Bearer ${key}` }
  for (;;) {
    const response = await fetch(`${gateway.url}/api/v1/files/${body.id}`, { headers })
    // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
    const file: any = await response.json()
    if (file.data.embedding !== "pending") return file
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Creates a collection with files. @returns its id */
export const createCollection = async (
  gateway: TestGateway,
  name: string,
  fileIds: readonly string[] = [],
  key = adminKey,
): Promise<string> => {
  const made = await gateway.call("POST", "/api/v1/knowledge/create", { name }, { key })
  const { id } = made.body
  for (const file_id of fileIds) {
    await gateway.call("POST", `/api/v1/knowledge/${id}/file/add`, { file_id }, { key })
  }
  return id
}
