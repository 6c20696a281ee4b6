/** What a page shows of a query. */
export interface QueryState<T> {
  data: T | undefined
  error: Error | null
  refetch: () => unknown
}

/** One page of a list, and the number of items on all pages. */
export type ListResult<T> = QueryState<{ items: readonly T[]; total: number }>

/** A list that the API returns whole, on one page. */
export const toOnePage = <T>({
  data,
  error,
  refetch,
}: QueryState<readonly T[]>): ListResult<T> => ({
  data: data && { items: data, total: data.length },
  error,
  refetch,
})

interface PageParams {
  page: number
  page_size: number
}

/** The last page if a change left the current one beyond it. */
export const clampPage = ({ page, page_size }: PageParams, total: number): number =>
  Math.max(1, Math.min(page, Math.ceil(total / page_size)))

/** One page of those items that match, of a list that the API returns whole. */
export const toMatchingPage = <T>(
  { data, error, refetch }: QueryState<readonly T[]>,
  params: PageParams,
  matches: (item: T) => boolean,
): ListResult<T> => {
  const found = data?.filter(matches)
  const start = (clampPage(params, found?.length ?? 0) - 1) * params.page_size
  return {
    data: found && { items: found.slice(start, start + params.page_size), total: found.length },
    error,
    refetch,
  }
}

/** Whether every word of a query occurs in a text, whatever its case. */
export const containsWords = (text: string, query = ""): boolean =>
  query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word))
