import { waitFor } from "../harness/usage-records.ts"

/** Waits until the gateway lists all these models to the key's owner. */
export const waitForModels = async (
  { url, key }: { url: string; key: string },
  models: readonly string[],
): Promise<void> => {
  const headers = { authorization: `Bearer ${key}` }
  await waitFor(async () => {
    const response = await fetch(`${url}/v1/models`, { headers })
    const list = await response.text()
    return response.ok && models.every((model) => list.includes(`"id":${JSON.stringify(model)}`))
  })
}
