import { fail } from "../errors.ts"
import { route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Proxied } from "./native-proxy.ts"

interface Deps {
  router: Router
  /** As it is mounted, with its slash: `/ollama`. */
  prefix: string
  summary: string
  forward: (proxied: Proxied) => Promise<void>
  /** Whether it is switched on now. */
  enabled?: () => boolean
}

/** Everything below a prefix goes to a native API; who may do what is decided by its path. */
export const proxyRoutes = ({ router, prefix, summary, forward, enabled }: Deps): Router => {
  const declared = route("user", {
    method: "all",
    path: "/*",
    givesAuthority: false,
    summary,
    responses: {
      200: { description: "The upstream's own reply, byte for byte", contentType: "*/*" },
      403: { description: "Only administrators may change a runtime" },
      404: { description: "The model does not exist, or is not granted" },
      502: { description: "The upstream cannot be reached" },
      503: { description: "No upstream is configured; the error names the setting" },
    },
  })
  router.raw(declared, async ({ exchange, caller, actor }) => {
    if (enabled?.() === false) {
      fail("forbidden", `${prefix} is switched off; an administrator can set enable_openai_proxy`)
    }
    const { url = "" } = exchange.incoming
    if (!url.startsWith(prefix)) fail("not_found", `There is nothing at ${url.slice(0, 200)}`)
    await forward({ exchange, caller, actor, target: url.slice(prefix.length) || "/" })
  })
  return router
}
