import type { NewConnection } from "./schema.ts"

/** Shorter values are not secrets, and replacing them would mangle the text. */
const shortest = 6

/** Removes a connection's secrets from untrusted text, such as an upstream's error. */
export const redact = (
  text: string,
  { api_key, headers }: Pick<NewConnection, "api_key" | "headers">,
): string =>
  [api_key, ...Object.values(headers)]
    .filter((secret) => secret.length >= shortest)
    .reduce((shown, secret) => shown.replaceAll(secret, "…"), text)
