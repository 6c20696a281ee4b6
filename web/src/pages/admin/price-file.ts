import { t } from "../../i18n/translate.ts"
import type { BodyFor } from "../../lib/api-types.ts"

export type PriceImportBody = BodyFor<"/api/v1/prices/import">

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The import of a file, whose contents the API checks: an export as JSON or CSV, or LiteLLM's price
 * file.
 * @throws if it is none of these
 */
export const parsePriceFile = ({ name, text }: { name: string; text: string }): PriceImportBody => {
  if (/\.csv$/i.test(name)) return { format: "csv", text }
  const value = parseJson(text)
  if (typeof value !== "object" || value === null) throw new Error(t("prices.importWrong"))
  const body = Array.isArray(value) ? { format: "json", prices: value } : value
  if ("format" in body && "prices" in body) return body as PriceImportBody
  return { format: "litellm", prices: { ...body } }
}
