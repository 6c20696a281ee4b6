import type { PriceView } from "../../../../server/src/prices/schema.ts"
import { t } from "../../i18n/translate.ts"

type Scoped = Pick<PriceView, "provider" | "connection">

/** The names of connections by id. */
export type ConnectionNames = ReadonlyMap<string, string>

/** What an entry is limited to, as one text: "", "provider:openai" or "connection:<id>". */
export const scopeOf = ({ provider, connection }: Scoped): string => {
  if (connection !== undefined) return `connection:${connection}`
  return provider === undefined ? "" : `provider:${provider}`
}

export const parseScope = (scope: string): Scoped => {
  const at = scope.indexOf(":")
  const id = scope.slice(at + 1)
  if (scope.startsWith("connection:")) return { connection: id }
  return scope.startsWith("provider:") ? { provider: id } : {}
}

export const describeScope = ({ provider, connection }: Scoped, names: ConnectionNames): string => {
  if (connection !== undefined) {
    return t("prices.ofConnection", { name: names.get(connection) ?? connection })
  }
  return provider === undefined ? t("prices.ofAll") : t("prices.ofProvider", { name: provider })
}
