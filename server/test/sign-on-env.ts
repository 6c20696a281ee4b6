import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import type { FakeIssuer } from "./fakes/issuer.ts"

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** What a gateway's environment says of a provider. */
export const providerEnv = (
  { url, clientId, clientSecret }: Pick<FakeIssuer, "url" | "clientId" | "clientSecret">,
  more: Record<string, string> = {},
  name = "OKTA",
): Record<string, string> => ({
  [`OIDC_${name}_ISSUER`]: url,
  [`OIDC_${name}_CLIENT_ID`]: clientId,
  [`OIDC_${name}_CLIENT_SECRET`]: clientSecret,
  ...Object.fromEntries(Object.entries(more).map(([key, value]) => [`OIDC_${name}_${key}`, value])),
})
