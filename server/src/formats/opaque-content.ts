import { type Fields, parseObject } from "./json-values.ts"

/** Distinguishes the gateway's own opaque content from that of providers. */
const prefix = "portico."

export const encodeGatewayContent = (content: object): string =>
  prefix + Buffer.from(JSON.stringify(content)).toString("base64url")

export const isGatewayContent = (text: string): boolean => text.startsWith(prefix)

/** Null if it is none of the gateway's. Clients may have changed it. */
export const decodeGatewayContent = (text: string): Fields | null =>
  isGatewayContent(text)
    ? parseObject(Buffer.from(text.slice(prefix.length), "base64url").toString("utf8"))
    : null
