import { expect } from "vitest"
import { adminKey } from "./gateway.ts"

/**
 * Resolves when requests sent before, with the same key, have arrived and their caller is known: two
 * later ones, each on its own connection, have been answered.
 */
export const waitForEarlierRequests = async (
  { url }: { url: string },
  key = adminKey,
): Promise<void> => {
  for (let n = 0; n < 2; n++) {
    const headers = { authorization: `Bearer ${key}`, connection: "close" }
    const response = await fetch(`${url}/api/v1/auths/`, { headers })
    await response.arrayBuffer()
    expect(response.status).toBe(200)
  }
}
