import type { NewConnection } from "./schema.ts"

/** Shorter ones are no secrets, and would make holes in every sentence. */
const shortest = 6

/** A text of somebody else's, such as an upstream's error, without the connection's secrets. */
export const redact = (
  text: string,
  { api_key, headers }: Pick<NewConnection, "api_key" | "headers">,
): string =>
  [api_key, ...Object.values(headers)]
    .filter((secret) => secret.length >= shortest)
    .reduce((shown, secret) => shown.replaceAll(secret, "…"), text)
