import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { addressFamilyOf, createAddressList } from "./address-list.ts"
import { stripBrackets } from "./strip-brackets.ts"

/** Special-purpose, private, loopback, link-local, multicast and reserved IPv4 networks. */
const blockedIpv4Networks = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"],
  ...["172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"],
  ...["198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
]
/**
 * Everything but global unicast (2000::/3), and its special-purpose blocks (IANA). Ranges that
 * embed IPv4 addresses, such as 6to4 and NAT64, are blocked entirely: their target is unknown.
 */
const blockedIpv6Networks = [
  ...["::/3", "4000::/2", "8000::/1"],
  ...["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"],
]

/** Separate lists, because a `BlockList` with `::/3` also matches every IPv4 address. */
const blockedNetworks = {
  ipv4: createAddressList(blockedIpv4Networks),
  ipv6: createAddressList(blockedIpv6Networks),
}

/** Converts an IPv4-mapped IPv6 address to IPv4; returns other addresses unchanged. */
const unmapIpv4 = (address: string): string => {
  const [, dotted] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (dotted) return dotted
  const [, high = "", low = ""] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? []
  if (low === "") return address
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join(".")
}

/** Resolves a host name to all of its addresses. */
export type ResolveHostname = (hostname: string) => Promise<readonly { address: string }[]>

const resolveBySystem: ResolveHostname = (hostname) =>
  lookup(hostname, { all: true, verbatim: true })

/** The guard rejected a request; the message is meant for the caller. */
export class SsrfGuardError extends Error {
  override name = "SsrfGuardError"
}

export interface SsrfGuard {
  /**
   * @returns an address of the host
   * @throws {SsrfGuardError} if the host cannot be resolved or any address is blocked
   */
  resolveAllowed(hostname: string): Promise<string>
}

/**
 * Checks the target of requests whose URL is untrusted (server-side request forgery). A name is
 * resolved once and all of its addresses are checked; the caller must connect to the returned
 * address, so that DNS rebinding has no effect.
 * @param allowedNetworks CIDR networks to allow although they are blocked by default
 */
export const createSsrfGuard = (
  allowedNetworks: readonly string[],
  resolve: ResolveHostname = resolveBySystem,
): SsrfGuard => {
  const allowedAddresses = createAddressList(allowedNetworks)

  const isAllowed = (address: string): boolean => {
    const family = addressFamilyOf(address)
    return (
      allowedAddresses.check(address, family) || !blockedNetworks[family].check(address, family)
    )
  }

  return {
    resolveAllowed: async (hostname) => {
      const bare = stripBrackets(hostname)
      const resolved = isIP(bare)
        ? [{ address: bare }]
        : await resolve(bare).catch((): { address: string }[] => [])
      const addresses = resolved.map(({ address }) => unmapIpv4(address))
      const [first] = addresses
      if (!first) throw new SsrfGuardError(`The host ${hostname} cannot be resolved`)
      if (!addresses.every(isAllowed)) {
        const message = `The host ${hostname} is on a private or reserved network that may not be accessed`
        throw new SsrfGuardError(message)
      }
      return first
    },
  }
}
