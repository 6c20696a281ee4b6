/** What a list shows, as it stands in the address. */
export type ListSearch<F extends string = never> = {
  query?: string | undefined
  page?: number | undefined
  order_by?: string | undefined
  direction?: "asc" | "desc" | undefined
} & { [Name in F]?: string | undefined }

/** A text that stands in an address, also one that reads like a number; undefined where it is empty. */
export const readText = (value: unknown): string | undefined => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Reads a list's search from an address that anybody may have written; `filters` are its own. */
export const listSearch =
  <F extends string = never>(...filters: readonly F[]) =>
  (search: Record<string, unknown>): ListSearch<F> => {
    const page = Number(search.page)
    const names = ["query", "order_by", ...filters]
    const entries: (readonly [string, unknown])[] = names.map((name) => [
      name,
      readText(search[name]),
    ])
    const { direction } = search
    entries.push(["page", Number.isInteger(page) && page > 1 ? page : undefined])
    entries.push(["direction", direction === "desc" || direction === "asc" ? direction : undefined])
    // The router keeps what a route does not name: what is wrong must be overwritten.
    return Object.fromEntries(entries) as ListSearch<F>
  }
