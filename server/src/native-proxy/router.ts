import { fail } from "../errors.ts"
import { route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { NativeProxyRequest } from "./native-proxy.ts"

interface Deps {
  router: Router
  /** The prefix at which the proxy is mounted, such as `/ollama`. */
  prefix: string
  summary: string
  forward: (request: NativeProxyRequest) => Promise<void>
  /** Whether the proxy is currently enabled. */
  isEnabled?: () => boolean
}

/** Forwards everything below a prefix to a native API. The path determines who may send it. */
export const createNativeProxyRouter = ({
  router,
  prefix,
  summary,
  forward,
  isEnabled,
}: Deps): Router => {
  router.raw(
    route("all", "/*", {
      access: "user",
      grantsPrivileges: false,
      summary,
      responses: {
        200: { description: "The upstream's response, byte for byte", contentType: "*/*" },
        403: { description: "Only administrators may change a runtime" },
        404: { description: "The model does not exist or you do not have access to it" },
        429: {
          description: "A limit is reached",
          headers: { "retry-after": "Seconds after which the request can pass" },
        },
        502: { description: "The upstream is unreachable" },
        503: { description: "No upstream is configured; the error names the setting to use" },
      },
    }),
    async ({ context, caller, actor }) => {
      if (isEnabled?.() === false) {
        fail(
          "forbidden",
          `${prefix} is disabled. An administrator can enable it with the setting enable_openai_proxy.`,
        )
      }
      const { url = "" } = context.incoming
      if (!url.startsWith(prefix)) fail("not_found", `No route for ${url.slice(0, 200)}.`)
      await forward({ context, caller, actor, target: url.slice(prefix.length) || "/" })
    },
  )
  return router
}
