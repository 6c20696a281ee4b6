import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"
import type { ListSearchParams } from "./list-search-params.ts"

type Change = Record<string, string | number | undefined>
type Direction = "asc" | "desc"

interface ListOptions {
  /** The order until the user chooses another; undefined if the list has none to choose from. */
  order_by?: string
  direction?: Direction
  page_size?: number
}

/** The order to ask for; the default direction applies to the default order only. */
const orderOf = (search: ListSearchParams, { order_by, direction = "asc" }: ListOptions) => {
  if (order_by === undefined) return {}
  return search.order_by === undefined
    ? { order_by, direction: search.direction ?? direction }
    : { order_by: search.order_by, direction: search.direction ?? "asc" }
}

/** A list's search parameters in the URL, and functions to change them. */
export const useListSearch = <F extends string = never>(options: ListOptions = {}) => {
  const found: object = useSearch({ strict: false })
  // The route validated it with `createListSearchParser`.
  const search = found as ListSearchParams<F>
  const navigate = useNavigate()

  /** Replaces the current history entry; any change returns to the first page. */
  const change = useCallback(
    (changes: Change) => {
      const next = (before: Change): Change => {
        const after = { ...before, page: undefined, ...changes }
        return Object.fromEntries(
          Object.entries(after).filter(([, value]) => value !== undefined && value !== ""),
        )
      }
      void navigate({ to: ".", search: next as never, replace: true })
    },
    [navigate],
  )
  const setQuery = useCallback((query: string) => change({ query }), [change])
  const clear = useCallback(() => {
    void navigate({ to: ".", search: {} as never, replace: true })
  }, [navigate])

  const { page = 1, order_by, direction, ...filters } = search
  return {
    search,
    /** What to ask the API for. */
    params: { ...filters, ...orderOf(search, options), page, page_size: options.page_size ?? 30 },
    isFiltered: Object.values(filters).some(Boolean),
    change,
    setQuery,
    clear,
  }
}

export type ListSearch<F extends string = never> = ReturnType<typeof useListSearch<F>>
