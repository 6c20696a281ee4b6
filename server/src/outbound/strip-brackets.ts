/** URLs and Host headers enclose IPv6 addresses in brackets. */
export const stripBrackets = (host: string): string =>
  host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host
