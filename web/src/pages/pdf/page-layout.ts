/** In PDF points, or in pixels at a scale of 1. */
export interface PageSize {
  width: number
  height: number
}

/** A place in a document that stays the same at any scale. */
export interface PageAnchor {
  page: number
  /** Part of the page above the place. */
  fraction: number
}

/** Space around pages, in pixels. */
export const pageGap = 12

/** Positions of a document's pages below each other, in pixels. Pages count from 1. */
export interface PageLayout {
  width: number
  height: number
  topOf: (page: number) => number
  anchorAt: (y: number) => PageAnchor
  yOf: (anchor: PageAnchor) => number
  /** The first of the pages of which most is in view. */
  mainPageIn: (top: number, bottom: number) => number
}

export const createPageLayout = (
  count: number,
  /** In pixels. */
  sizeOf: (page: number) => PageSize,
): PageLayout => {
  const tops = [0]
  let height = pageGap
  let maxWidth = 0
  for (let page = 1; page <= count; page++) {
    const size = sizeOf(page)
    tops.push(height)
    height += size.height + pageGap
    maxWidth = Math.max(maxWidth, size.width)
  }
  const topOf = (page: number): number => tops[page] ?? 0
  const pageAt = (y: number): number => {
    let low = 1
    let high = count
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (topOf(middle) - pageGap <= y) low = middle
      else high = middle - 1
    }
    return low
  }
  const bottomOf = (page: number): number => topOf(page) + sizeOf(page).height
  const mainPageIn = (top: number, bottom: number): number => {
    let main = pageAt(top)
    let maxShown = 0
    for (let page = main; page <= count && topOf(page) < bottom; page++) {
      const shown = Math.min(bottom, bottomOf(page)) - Math.max(top, topOf(page))
      // Rounding must not prefer a page to an equal one above it.
      if (shown <= maxShown + 2) continue
      main = page
      maxShown = shown
    }
    return main
  }
  return {
    width: maxWidth + 2 * pageGap,
    height,
    mainPageIn,
    topOf,
    anchorAt: (y) => {
      const page = pageAt(y)
      return { page, fraction: (y - topOf(page)) / sizeOf(page).height }
    },
    yOf: ({ page, fraction }) => topOf(page) + fraction * sizeOf(page).height,
  }
}
