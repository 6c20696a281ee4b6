const defaultPort: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" }

/** Whether a URL's host and port match the host patterns that an administrator allowed. */
export const allowsHost = (hosts: readonly string[], url: URL): boolean => {
  const port = url.port || defaultPort[url.protocol]
  return hosts.some((pattern) => {
    const [, host = "", patternPort] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? []
    // A pattern without a port matches the scheme's default port only.
    if (patternPort === undefined ? url.port !== "" : patternPort !== port) return false
    if (host.startsWith("*.")) return url.hostname.endsWith(host.slice(1))
    return host === url.hostname
  })
}
