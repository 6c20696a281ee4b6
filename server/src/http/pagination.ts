import { z } from "zod"

const maxPageSize = 200

/** Query parameters shared by all lists under `/api/v1`. */
export const ListQuery = z.object({
  page: z.coerce.number<string>().int().min(1).default(1),
  page_size: z.coerce.number<string>().int().min(1).max(maxPageSize).default(30),
  query: z.string().max(200).optional(),
  order_by: z.string().max(50).optional(),
  direction: z.enum(["asc", "desc"]).default("asc"),
})
export type ListQuery = z.output<typeof ListQuery>

/** One page of a list; `total` counts the items on all pages. */
export const Page = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), total: z.int().min(0) })

export interface Page<T> {
  items: T[]
  total: number
}

/** A list that always fits on one page. */
export const toSinglePage = <T>(items: T[]): Page<T> => ({ items, total: items.length })

export const IdParams = z.object({ id: z.string().min(1).max(200) })
