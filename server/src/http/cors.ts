/** How long browsers may remember a preflight's result; Chromium's maximum. */
const maxAgeSeconds = 7200

const allowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"

/**
 * Response headers that pages of other origins may read: all of them, as requests with a key but
 * without cookies have no credentials in the sense of CORS. The names are for older browsers.
 */
const exposedHeaders = [
  ...["x-request-id", "request-id", "x-portico-dropped", "x-should-retry"],
  ...["retry-after", "retry-after-ms", "location", "etag", "content-disposition"],
  ...["upload-offset", "upload-length", "upload-expires", "upload-metadata", "tus-resumable"],
  "*",
].join(", ")

const varyHeaders: readonly string[] = ["vary", "Origin"]

/**
 * Headers that let pages of the listed origins use the gateway with a key of their own. Without
 * `Access-Control-Allow-Credentials`, browsers do not send them the session cookie.
 */
export const createCors = (origins: readonly string[]) => {
  const headersByOrigin = new Map(
    origins.map((origin): [string, readonly string[]] => [
      origin,
      [
        ...["access-control-allow-origin", origin],
        ...["access-control-expose-headers", exposedHeaders],
        ...varyHeaders,
      ],
    ]),
  )
  return {
    /** For each response: names and values in turn. Undefined while no origin is listed. */
    headersFor: (origin: string | undefined): readonly string[] | undefined =>
      headersByOrigin.size === 0 ? undefined : (headersByOrigin.get(origin ?? "") ?? varyHeaders),

    /** The response to a preflight; undefined if the request is none of a listed origin. */
    answerPreflight: ({ method, headers }: Request): Response | undefined => {
      if (method !== "OPTIONS" || !headersByOrigin.has(headers.get("origin") ?? ""))
        return undefined
      if (!headers.has("access-control-request-method")) return undefined
      const requestedHeaders = headers.get("access-control-request-headers")
      return new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": allowedMethods,
          ...(requestedHeaders !== null && { "access-control-allow-headers": requestedHeaders }),
          "access-control-max-age": String(maxAgeSeconds),
          vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
        },
      })
    },
  }
}

export type Cors = ReturnType<typeof createCors>
