/** What a list shows, as it stands in the address. */
export type ListSearch<F extends string = never> = {
  query?: string
  page?: number
  order_by?: string
  direction?: "asc" | "desc"
} & Partial<Record<F, string>>

const text = (value: unknown): string | undefined => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Reads a list's search from an address that anybody may have written; `filters` are its own. */
export const listSearch =
  <F extends string = never>(...filters: readonly F[]) =>
  (search: Record<string, unknown>): ListSearch<F> => {
    const page = Number(search.page)
    const names = ["query", "order_by", ...filters]
    const entries: (readonly [string, unknown])[] = names.map((name) => [name, text(search[name])])
    const { direction } = search
    entries.push(["page", Number.isInteger(page) && page > 1 ? page : undefined])
    entries.push(["direction", direction === "desc" || direction === "asc" ? direction : undefined])
    const present = entries.filter(([, value]) => value !== undefined)
    return Object.fromEntries(present) as ListSearch<F>
  }
