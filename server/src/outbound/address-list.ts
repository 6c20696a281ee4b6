import { BlockList, isIP } from "node:net"

export const addressFamilyOf = (address: string): "ipv4" | "ipv6" =>
  isIP(address) === 6 ? "ipv6" : "ipv4"

/** A list of addresses and CIDR ranges. */
export const createAddressList = (cidrs: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = "", bits] = cidr.split("/")
    const family = addressFamilyOf(address)
    list.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family)
  }
  return list
}
