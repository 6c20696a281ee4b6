import { readFile } from "node:fs/promises"
import { z } from "zod"
import packageJson from "../../package.json" with { type: "json" }
import { fail } from "../errors.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { MountedRoute } from "../http/server.ts"

/** Only same-origin files and no inline scripts. */
const headers = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Portico: HTTP API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="page"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const startScript = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "none",
  tagsSorter: "alpha",
  validatorUrl: null,
})
`

const readVendored = (name: string): Promise<string> =>
  readFile(new URL(`../../vendor/swagger-ui/${name}`, import.meta.url), "utf8")

interface DocsAsset {
  type: string
  read: () => Promise<string> | string
}

/** Assets of the page; the bundle is Swagger UI (see vendor/swagger-ui/README.md). */
const assets = new Map<string, DocsAsset>([
  ["start.js", { type: "text/javascript", read: () => startScript }],
  [
    "swagger-ui-bundle.js",
    { type: "text/javascript", read: () => readVendored("swagger-ui-bundle.js") },
  ],
  ["swagger-ui.css", { type: "text/css", read: () => readVendored("swagger-ui.css") }],
])

const createResponse = (body: string, type: string): Response =>
  new Response(body, { headers: { ...headers, "content-type": `${type}; charset=utf-8` } })

const Document = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) })

const createDocument = async (routes: readonly MountedRoute[]): Promise<string> => {
  // Imported lazily, as most processes never serve this document.
  const { createOpenApiDocument } = await import("./openapi.ts")
  return JSON.stringify(createOpenApiDocument(routes, packageJson.version))
}

/**
 * `/docs` and `/openapi.json`. `routes` is read on the first request, when all routes are mounted.
 */
export const addApiDocsRoutes = (router: Router, routes: readonly MountedRoute[]): void => {
  let document: Promise<string> | undefined
  router.on(
    route("get", "/openapi.json", {
      access: "anyone",
      summary: "This document",
      responses: { 200: json(Document, "OpenAPI 3.1") },
    }),
    async () => {
      // Cached: generating it takes hundreds of milliseconds, and anyone may request it.
      document ??= createDocument(routes)
      return new Response(await document, { headers: { "content-type": "application/json" } })
    },
  )
  router.on(
    route("get", "/docs", {
      access: "anyone",
      summary: "This document as an HTML page",
      responses: { 200: { description: "An HTML page", contentType: "text/html" } },
    }),
    () => createResponse(page, "text/html"),
  )
  router.on(
    route("get", "/docs/:file", {
      access: "anyone",
      summary: "Assets of the documentation page",
      params: z.object({ file: z.string() }),
      responses: { 200: { description: "An asset", contentType: "text/javascript" } },
    }),
    async ({ params }) => {
      const part = assets.get(params.file) ?? fail("not_found", `/docs/${params.file} not found.`)
      return createResponse(await part.read(), part.type)
    },
  )
}
