const defaultPort: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" }

/** Whether one of the hosts that an administrator named stands for this address. */
export const allowsHost = (hosts: readonly string[], url: URL): boolean => {
  const port = url.port || defaultPort[url.protocol]
  return hosts.some((named) => {
    const [, host = "", own] = /^(.*?)(?::(\d+))?$/.exec(named) ?? []
    // Without a port only the usual ones are meant.
    if (own === undefined ? url.port !== "" : own !== port) return false
    if (host.startsWith("*.")) return url.hostname.endsWith(host.slice(1))
    return host === url.hostname
  })
}
