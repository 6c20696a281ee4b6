import type { RequestContext } from "../http/request-context.ts"

export const scimPath = "/api/v1/scim/v2"

/** The base URL of resources in a response to this request. */
export type FindBaseUrl = (context: RequestContext) => string

/** Returns the base URL of resources: PUBLIC_URL, or the request's host. */
export const createBaseUrlResolver =
  (publicUrl: string | undefined): FindBaseUrl =>
  ({ incoming }) => {
    const requestUrl = `http://${incoming.headers.host ?? ""}`
    const origin = URL.canParse(requestUrl) ? new URL(requestUrl).origin : "http://localhost"
    return `${publicUrl ?? origin}${scimPath}`
  }
