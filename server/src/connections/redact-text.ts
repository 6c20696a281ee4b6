import type { NewConnection } from "./schema.ts"

/** Shorter values are not secrets, and replacing them would mangle the text. */
const minSecretLength = 6

/** Removes a connection's secrets from untrusted text, such as an upstream's error. */
export const redactSecretsIn = (
  text: string,
  { api_key, headers }: Pick<NewConnection, "api_key" | "headers">,
): string =>
  [api_key, ...Object.values(headers)]
    .filter((secret) => secret.length >= minSecretLength)
    .reduce((shown, secret) => shown.replaceAll(secret, "…"), text)
