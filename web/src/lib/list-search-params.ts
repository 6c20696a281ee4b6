/** Search parameters of a list page. */
export type ListSearchParams<F extends string = never> = {
  query?: string | undefined
  page?: number | undefined
  order_by?: string | undefined
  direction?: "asc" | "desc" | undefined
} & { [Name in F]?: string | undefined }

/**
 * A search parameter as text, also if the router parsed it as a number or boolean; undefined if
 * empty.
 */
export const readSearchText = (value: unknown): string | undefined => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return typeof value === "string" && value !== "" ? value : undefined
}

/**
 * Creates a validator for a list's search parameters, which are untrusted input; `filters` are the
 * list's own parameters.
 */
export const createListSearchParser =
  <F extends string = never>(...filters: readonly F[]) =>
  (search: Record<string, unknown>): ListSearchParams<F> => {
    const page = Number(search.page)
    const names = ["query", "order_by", ...filters]
    const entries: (readonly [string, unknown])[] = names.map((name) => [
      name,
      readSearchText(search[name]),
    ])
    const { direction } = search
    entries.push(["page", Number.isInteger(page) && page > 1 ? page : undefined])
    entries.push(["direction", direction === "desc" || direction === "asc" ? direction : undefined])
    // The router keeps parameters that a route omits, so invalid ones must be overwritten.
    return Object.fromEntries(entries) as ListSearchParams<F>
  }
