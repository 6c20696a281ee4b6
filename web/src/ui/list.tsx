import type { LucideIcon } from "lucide-react"
import type { ReactNode } from "react"
import { clampPage, type ListResult } from "../lib/list-result.ts"
import type { ListSearch } from "../lib/use-list-search.ts"
import { EmptyState } from "./empty-state.tsx"
import { NoResults } from "./no-results.tsx"
import { QueryResult } from "./query-result.tsx"
import { type Column, Table } from "./table.tsx"
import { Filter, Pager, SearchField, Toolbar } from "./toolbar.tsx"

interface ListFilter<F extends string> {
  /** Its search parameter. */
  name: F
  label: string
  options: readonly { value: string; label: string }[]
}

export interface ListProps<T extends { id: string }, F extends string> {
  /** What the table lists, for screen readers. */
  label: string
  result: ListResult<T>
  /** The search parameters of a list with search, filters, order or pages. */
  list?: ListSearch<F>
  /** Label of the search field. */
  searchLabel?: string
  filters?: readonly ListFilter<F>[]
  /** Buttons behind the filters. */
  tools?: ReactNode
  /** Shown above the table. */
  summary?: ReactNode
  columns: readonly Column<T>[]
  icon: LucideIcon
  /** Shown if there are no items at all: what belongs here, and what to do next. */
  none?: { title: string; help: string; action?: ReactNode }
}

const ListToolbar = <T extends { id: string }, F extends string>(props: ListProps<T, F>) => {
  const { list, searchLabel, filters = [], tools } = props
  if (!list || (!searchLabel && filters.length === 0)) return null
  const { search, change, setQuery } = list
  return (
    <Toolbar>
      {searchLabel && (
        <SearchField label={searchLabel} value={search.query ?? ""} onValue={setQuery} />
      )}
      {filters.map(({ name, label, options }) => (
        <Filter
          key={name}
          label={label}
          value={search[name] ?? ""}
          onValue={(value) => change({ [name]: value })}
          options={options}
        />
      ))}
      {tools}
    </Toolbar>
  )
}

const EmptyList = <T extends { id: string }, F extends string>(props: ListProps<T, F>) => {
  const { list, icon, none } = props
  if (!none || list?.isFiltered) return <NoResults icon={icon} clear={() => list?.clear()} />
  return (
    <EmptyState icon={icon} title={none.title} action={none.action}>
      {none.help}
    </EmptyState>
  )
}

const ListTable = <T extends { id: string }, F extends string>(
  props: ListProps<T, F> & { items: readonly T[]; total: number },
) => {
  const { label, list, columns, items, total } = props
  const table = { label, columns, items, idOf: ({ id }: T) => id }
  if (!list) return <Table {...table} />
  const { params, change } = list
  const { order_by, direction } = params
  return (
    <>
      <Table
        {...table}
        order={{ by: order_by, direction }}
        onOrder={(by, way) => change({ order_by: by, direction: way })}
      />
      <Pager
        page={clampPage(params, total)}
        pageSize={params.page_size}
        total={total}
        onPage={(page) => change({ page })}
      />
    </>
  )
}

/** A table with search, filters, pages, and what to show while it is empty. */
export const List = <T extends { id: string }, F extends string = never>(
  props: ListProps<T, F>,
) => (
  <>
    <ListToolbar {...props} />
    {props.summary}
    <QueryResult query={props.result}>
      {({ items, total }) =>
        items.length === 0 ? (
          <EmptyList {...props} />
        ) : (
          <ListTable {...props} items={items} total={total} />
        )
      }
    </QueryResult>
  </>
)
