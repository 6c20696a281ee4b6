import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"
import type { ListSearchParams } from "./list-search-params.ts"

type Change = Record<string, string | number | undefined>

/** A list's search parameters and functions to change them. */
export const useListSearch = <F extends string = never>() => {
  const found: object = useSearch({ strict: false })
  // The route validated it with `listSearch`.
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
  const toPage = useCallback((page: number) => change({ page }), [change])
  const clear = useCallback(() => {
    void navigate({ to: ".", search: {} as never, replace: true })
  }, [navigate])
  return { search, change, setQuery, toPage, clear }
}
