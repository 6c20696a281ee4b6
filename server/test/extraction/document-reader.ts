import { afterAll, beforeAll } from "vitest"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

/** What the gateway read from an uploaded document. */
interface ReadDocument {
  id: string
  /** HTTP status of the upload. */
  status: number
  /** Processing data of the file record, such as `error` and `error_code`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
  data: any
  format: string | undefined
  text: string
}

/**
 * Starts a gateway for the test file, and stops it afterwards.
 * @returns a function that uploads a document and waits for its text
 */
export const useDocumentReader = (
  settings: Record<string, string> = {},
): ((filename: string, content: string | Uint8Array) => Promise<ReadDocument>) => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGateway({ EXTRACTION_TIMEOUT: "20s", ...settings })
  })
  afterAll(() => gateway.stop())
  return async (filename, content) => {
    const query = "?process_in_background=false"
    const { status, body } = await upload(gateway, filename, content, { query })
    const text = await gateway.call("GET", `/api/v1/files/${body.id}/data/content`)
    const { id, data, meta } = body
    return { id, status, data, format: meta?.format, text: text.body.content }
  }
}
