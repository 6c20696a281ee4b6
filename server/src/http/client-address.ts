import { BlockList, isIP } from "node:net"
import type { Incoming } from "./request-context.ts"

const family = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4")

/** IPv4 that arrived over an IPv6 socket, as plain IPv4. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

/** A test for membership in CIDR ranges; a bare address is a range of one. */
export const createRanges = (cidrs: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = "", bits] = cidr.split("/")
    if (bits === undefined) list.addAddress(address, family(address))
    else list.addSubnet(address, Number(bits), family(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, family(address))
}

/**
 * The address a request came from. Proxies in `trusted` are believed, from the nearest outwards;
 * what anybody else writes into X-Forwarded-For counts for nothing.
 */
export const createAddressOf = (trustedCidrs: readonly string[]) => {
  const trusted = createRanges(trustedCidrs)
  return (incoming: Incoming): string => {
    const peer = plain(incoming.socket.remoteAddress ?? "")
    if (trustedCidrs.length === 0 || !trusted(peer)) return peer
    const forwarded = String(incoming.headers["x-forwarded-for"] ?? "")
    const hops = forwarded.split(",").map((hop) => plain(hop.trim()))
    const nonsense = hops.findLastIndex((hop) => isIP(hop) === 0)
    const believed = hops.slice(nonsense + 1)
    return believed.findLast((hop) => !trusted(hop)) ?? believed[0] ?? peer
  }
}

/**
 * What an address is counted by: whoever has an IPv6 address has its whole /64, so they count as one.
 * IPv4 is counted by address, over whatever socket it arrives.
 */
export const networkOf = (address: string): string => {
  const bare = plain(address)
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
