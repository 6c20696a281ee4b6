import { describe, expect, it } from "vitest"
import { clampPage, containsWords, toMatchingPage } from "./list-result.ts"

const refetch = (): void => {}
const numbers = { data: [1, 2, 3, 4, 5, 6, 7], error: null, refetch }
const isOdd = (value: number): boolean => value % 2 === 1

describe("a list that the API returns whole", () => {
  it("is filtered and paged", () => {
    const { data } = toMatchingPage(numbers, { page: 2, page_size: 3 }, isOdd)
    expect(data).toEqual({ items: [7], total: 4 })
  })

  it("shows the last page if a change left the current one beyond it", () => {
    const { data } = toMatchingPage(numbers, { page: 9, page_size: 3 }, () => true)
    expect(data).toEqual({ items: [7], total: 7 })
    expect(clampPage({ page: 9, page_size: 3 }, 7)).toBe(3)
    expect(clampPage({ page: 9, page_size: 3 }, 0)).toBe(1)
  })

  it("remains loading while there is no data", () => {
    const loading = { data: undefined, error: null, refetch }
    expect(toMatchingPage(loading, { page: 1, page_size: 3 }, isOdd).data).toBeUndefined()
  })
})

describe("a search in texts", () => {
  it.each([
    ["", true],
    [undefined, true],
    ["TIDE harbor", true],
    [" tide ", true],
    ["tide river", false],
  ])("%j matches: %s", (query, expected) => {
    expect(containsWords("Harbor tides", query)).toBe(expected)
  })
})
