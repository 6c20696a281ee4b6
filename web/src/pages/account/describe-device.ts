const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\/|Chromium\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/curl\//, "curl"],
  [/python/i, "Python"],
  [/node|undici/i, "Node.js"],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
]

const first = (table: typeof browsers, text: string): string | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1]

/** "Firefox · Linux", from the User-Agent header; null without one. */
export const describeDevice = (userAgent: string | null): string | null => {
  if (!userAgent) return null
  const parts = [first(browsers, userAgent), first(systems, userAgent)].filter(Boolean)
  return parts.length > 0 ? parts.join(" · ") : userAgent.slice(0, 40)
}
