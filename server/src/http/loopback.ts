import { stripBrackets } from "../outbound/strip-brackets.ts"
import { createCidrMatcher } from "./client-address.ts"

const isLoopbackAddress = createCidrMatcher(["127.0.0.0/8", "::1", "::ffff:127.0.0.0/104"])

/** Whether a host name or IP address always means this machine (RFC 6761 §6.3). */
export const isLoopback = (host: string): boolean => {
  const name = stripBrackets(host.toLowerCase())
  return name === "localhost" || name.endsWith(".localhost") || isLoopbackAddress(name)
}
