import { z } from "zod"
import { createPdf } from "../../test/files/make-documents.ts"

const Uploaded = z.object({
  id: z.string(),
  data: z.looseObject({ status: z.string(), error_code: z.string().nullish() }),
})

/**
 * Uploads a PDF and waits until it is read. The first start of the process that reads files may
 * exceed the gateway's timeout on a busy machine; the upload is then repeated.
 * @returns the file's id
 */
export const uploadReadFile = async (url: string, key: string, attempts = 5): Promise<string> => {
  const form = new FormData()
  form.append("file", new Blob([createPdf(["Moths fly to lamps."])]), "moths.pdf")
  const reply = await fetch(`${url}/api/v1/files/?process_in_background=false`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
  const { id, data } = Uploaded.parse(await reply.json())
  if (data.status === "completed") return id
  if (data.error_code !== "resource_limit" || attempts === 1)
    throw new Error(`moths.pdf was not read: ${JSON.stringify(data)}`)
  return await uploadReadFile(url, key, attempts - 1)
}
