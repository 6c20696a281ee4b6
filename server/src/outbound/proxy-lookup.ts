import { type BlockList, isIP } from "node:net"
import { addressFamilyOf, createAddressList } from "./address-list.ts"
import { stripBrackets } from "./strip-brackets.ts"

interface ProxySettings {
  HTTP_PROXY?: string | undefined
  HTTPS_PROXY?: string | undefined
  NO_PROXY: readonly string[]
}

/** Whether the name or address is of this machine, which a proxy would take for its own. */
const isLoopback = (host: string): boolean =>
  ["localhost", "::1"].includes(host) ||
  host.endsWith(".localhost") ||
  (isIP(host) === 4 && host.startsWith("127."))

const containsAddress = (list: BlockList, host: string): boolean =>
  isIP(host) > 0 && list.check(host, addressFamilyOf(host))

/** Whether an item of `NO_PROXY` is the host or a domain above it: `example.com`, `.example.com:8443`. */
const matchesHost = (item: string, host: string, port: string): boolean => {
  if (item === "*") return true
  const [, name = item, itemPort] = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(item) ?? []
  const domain = name.replace(/^\*?\./, "")
  const isPort = itemPort === undefined || itemPort === port
  return isPort && (host === domain || host.endsWith(`.${domain}`))
}

/** @returns the URL of the proxy for a URL; null if it is requested directly */
export const createProxyLookup = ({ HTTP_PROXY, HTTPS_PROXY, NO_PROXY }: ProxySettings) => {
  const isAddress = (item: string): boolean => isIP(item.split("/")[0] ?? "") > 0
  const addresses = createAddressList(NO_PROXY.filter(isAddress))
  const hosts = NO_PROXY.filter((item) => !isAddress(item))
  return ({ protocol, hostname, port }: URL): string | null => {
    const isSecure = protocol === "https:"
    const host = stripBrackets(hostname)
    const isDirect =
      isLoopback(host) ||
      containsAddress(addresses, host) ||
      hosts.some((item) => matchesHost(item, host, port || (isSecure ? "443" : "80")))
    return isDirect ? null : ((isSecure ? HTTPS_PROXY : HTTP_PROXY) ?? null)
  }
}
