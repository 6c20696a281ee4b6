import { isIP } from "node:net"
import { isPlainHost } from "@portico/http1"
import type { Config } from "../config/config.ts"
import { Failure } from "../errors.ts"
import { stripBrackets } from "../outbound/strip-brackets.ts"
import { isLoopback } from "./loopback.ts"

/** Clients of a gateway use few hosts; beyond these, each request is checked in full. */
const maxCachedHosts = 100
const maxQuotedLength = 100

/** The host of a Host header, without its port. */
const hostnameOf = (host: string): string => {
  const bracket = host.lastIndexOf("]")
  const colon = host.indexOf(":", bracket + 1)
  return colon < 0 ? host : host.slice(0, colon)
}

/**
 * Whether a Host header names this machine or an IP address. A page of another website cannot send
 * such a host, even if its own name is made to resolve to this machine (DNS rebinding).
 */
export const isLocalHost = (host: string | undefined): boolean => {
  if (host === undefined || !isPlainHost(host)) return false
  const hostname = hostnameOf(host)
  return isLoopback(hostname) || isIP(stripBrackets(hostname)) !== 0
}

const createHostFailure = (host: string | undefined): Failure => {
  if (host === undefined || !isPlainHost(host)) {
    return new Failure("bad_request", "The Host header is missing or invalid.")
  }
  const name = hostnameOf(host).slice(0, maxQuotedLength)
  return new Failure(
    "host_not_allowed",
    `This gateway only accepts requests for local hosts, not for "${name}". ` +
      "To use this host name, for example behind a reverse proxy, set PUBLIC_URL to the gateway's address.",
  )
}

/**
 * Checks Host headers while the gateway listens on a loopback address: it answers to local names, IP
 * addresses and the host of PUBLIC_URL. On any other address, every host is accepted.
 * @returns why a request is refused; undefined if it is accepted
 */
export const createHostCheck = ({ HOST, PUBLIC_URL }: Pick<Config, "HOST" | "PUBLIC_URL">) => {
  if (!isLoopback(HOST)) return (): undefined => undefined
  const publicHostname = PUBLIC_URL && new URL(PUBLIC_URL).hostname
  const acceptedHosts = new Set<string>()
  return (host: string | undefined): Failure | undefined => {
    if (host !== undefined && acceptedHosts.has(host)) return undefined
    const isPublic = host !== undefined && hostnameOf(host).toLowerCase() === publicHostname
    if (host === undefined || !(isPublic || isLocalHost(host))) return createHostFailure(host)
    if (acceptedHosts.size < maxCachedHosts) acceptedHosts.add(host)
    return undefined
  }
}

export type HostCheck = ReturnType<typeof createHostCheck>
