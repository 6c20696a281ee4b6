import { randomFillSync } from "node:crypto"

const urlParts = [
  ...["href", "origin", "protocol", "username", "password", "host", "hostname"],
  ...["port", "pathname", "search", "hash"],
] as const

interface UrlOperation {
  address: string
  base?: string
  name?: string
  value?: string
}

const writableParts = new Set<string>(urlParts.filter((name) => name !== "origin"))

const operateOnUrl = (json: string): string => {
  const { address, base, name, value = "" }: UrlOperation = JSON.parse(json)
  if (!URL.canParse(address, base)) return "null"
  const parsed = new URL(address, base)
  if (name === "params") parsed.search = value
  else if (name !== undefined && writableParts.has(name)) Reflect.set(parsed, name, value)
  return JSON.stringify(Object.fromEntries(urlParts.map((part) => [part, parsed[part]])))
}

/** What the host computes for the sandbox's web APIs, without keeping state. */
export const webApiOperations: Readonly<Record<string, (text: string) => string>> = {
  encode: (text) => Buffer.from(text).toString("latin1"),
  decode: (binary) => new TextDecoder().decode(Buffer.from(binary, "latin1")),
  query: (text) => JSON.stringify([...new URLSearchParams(text)]),
  pairs: (json) => new URLSearchParams(JSON.parse(json)).toString(),
  url: operateOnUrl,
  seed: () => JSON.stringify([...randomFillSync(new Int32Array(4))]),
}
