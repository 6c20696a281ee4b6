import type { Exchange } from "../http/exchange.ts"
import type { Json } from "./projection.ts"

export const scimPath = "/api/v1/scim/v2"

export const scimReply = (
  body: Json,
  status = 200,
  headers: Record<string, string> = {},
): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/scim+json", ...headers },
  })

/** What the addresses of resources begin with: PUBLIC_URL, or where the request was sent to. */
export const createBaseOf =
  (publicUrl: string | undefined) =>
  ({ incoming }: Exchange): string => {
    const asked = `http://${incoming.headers.host ?? ""}`
    const origin = URL.canParse(asked) ? new URL(asked).origin : "http://localhost"
    return `${publicUrl ?? origin}${scimPath}`
  }
