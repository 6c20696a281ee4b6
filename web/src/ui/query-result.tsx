import type { ReactNode } from "react"
import type { QueryState } from "../lib/list-result.ts"
import { ErrorNote } from "./error-note.tsx"
import { Skeleton } from "./skeleton.tsx"

interface QueryResultProps<T> {
  query: QueryState<T>
  rows?: number
  children: (data: NonNullable<T>) => ReactNode
}

/** Renders a query's data, a skeleton while it loads, or its error. */
export const QueryResult = <T,>({ query, rows = 5, children }: QueryResultProps<T>) => {
  const { data, error, refetch } = query
  if (data !== undefined && data !== null) return children(data)
  if (error) return <ErrorNote error={error} retry={() => void refetch()} />
  return <Skeleton rows={rows} />
}
