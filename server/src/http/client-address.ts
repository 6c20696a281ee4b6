import { BlockList, isIP } from "node:net"
import type { IncomingHead, RequestContext } from "./request-context.ts"

const family = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4")

/** Converts an IPv4-mapped IPv6 address to IPv4. */
const unmapIpv4 = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

/** Creates a test for membership in CIDR ranges; a bare address matches only itself. */
export const createCidrMatcher = (cidrs: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = "", bits] = cidr.split("/")
    if (bits === undefined) list.addAddress(address, family(address))
    else list.addSubnet(address, Number(bits), family(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, family(address))
}

/**
 * Determines a request's client address. X-Forwarded-For is evaluated from the nearest proxy
 * outwards, and only as far as each hop is a trusted proxy.
 */
export const createClientAddressResolver = (trustedCidrs: readonly string[]) => {
  const trusted = createCidrMatcher(trustedCidrs)
  return (incoming: IncomingHead): string => {
    const peer = unmapIpv4(incoming.socket.remoteAddress ?? "")
    if (trustedCidrs.length === 0 || !trusted(peer)) return peer
    const forwarded = String(incoming.headers["x-forwarded-for"] ?? "")
    const hops = forwarded.split(",").map((hop) => unmapIpv4(hop.trim()))
    const lastInvalid = hops.findLastIndex((hop) => isIP(hop) === 0)
    const trustedHops = hops.slice(lastInvalid + 1)
    return trustedHops.findLast((hop) => !trusted(hop)) ?? trustedHops[0] ?? peer
  }
}

/**
 * Network by which an address is rate limited: the /64 for IPv6, because one subscriber controls all
 * of it; the address itself for IPv4, including IPv4-mapped IPv6.
 */
export const networkOf = (address: string): string => {
  const bare = unmapIpv4(address)
  if (isIP(bare) !== 6) return bare
  const [head = "", tail] = (bare.split("%", 1)[0] ?? "").split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail ? tail.split(":") : []
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array.from({ length: zeros }, () => "0"), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}

/** Whose limits a request counts against: its user's, or its network's. */
export const limitOwnerOf = ({ caller, address }: RequestContext): string =>
  caller?.user.id ?? networkOf(address)
