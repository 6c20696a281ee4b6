import type { Rectangle } from "./page-annotations.ts"
import type { TextItem } from "./text-runs.ts"

/** In points, on the page as it is shown. */
export interface UprightBox {
  left: number
  right: number
  bottom: number
  top: number
}

/** A text item on the page as it is shown. */
export interface UprightItem {
  index: number
  text: string
  left: number
  right: number
  baseline: number
  size: number
}

type Turn = readonly [cosine: number, sine: number]

const turns: Record<number, Turn> = { 0: [1, 0], 90: [0, 1], 180: [-1, 0], 270: [0, -1] }

/** How many items are looked at for one page's fields. */
const maxComparisons = 2_000_000

const turnPoint = ([cosine, sine]: Turn, x: number, y: number): readonly [number, number] => [
  cosine * x + sine * y,
  cosine * y - sine * x,
]

/** @returns how many of the items, which are sorted by `left`, start at `left` or before */
const countStarting = (row: readonly UprightItem[], left: number): number => {
  let [from, to] = [0, row.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((row[middle]?.left ?? 0) <= left) from = middle + 1
    else to = middle
  }
  return from
}

/** Finds the upright text of a page by its position. */
export class TextPositions {
  readonly #turn: Turn
  /** By the baseline in whole points, from left to right. */
  readonly #rows = new Map<number, UprightItem[]>()
  readonly #baselines: number[]
  #comparisons = 0

  /** @param rotation of the page, in degrees clockwise */
  constructor(items: readonly TextItem[], rotation: number) {
    this.#turn = turns[rotation] ?? [1, 0]
    for (const [index, item] of items.entries()) {
      const upright = this.#uprightItem(item, index)
      if (!upright) continue
      const key = Math.floor(upright.baseline)
      const row = this.#rows.get(key)
      if (row) row.push(upright)
      else this.#rows.set(key, [upright])
    }
    for (const row of this.#rows.values()) row.sort((a, z) => a.left - z.left)
    this.#baselines = [...this.#rows.keys()].sort((a, z) => z - a)
  }

  uprightBox([x1, y1, x2, y2]: Rectangle): UprightBox {
    const [ax, ay] = turnPoint(this.#turn, x1, y1)
    const [zx, zy] = turnPoint(this.#turn, x2, y2)
    return {
      left: Math.min(ax, zx),
      right: Math.max(ax, zx),
      bottom: Math.min(ay, zy),
      top: Math.max(ay, zy),
    }
  }

  /** The nearest item that starts left of the box, on a baseline within it. */
  findLeft(box: UprightBox): UprightItem | undefined {
    const found = this.#rowsIn(box).flatMap((row) => {
      return row[countStarting(row, box.left + 1) - 1] ?? []
    })
    return found.reduce<UprightItem | undefined>(
      (best, item) => (best && best.right >= item.right ? best : item),
      undefined,
    )
  }

  /** The nearest item that starts right of the box, on a baseline within it. */
  findRight(box: UprightBox): UprightItem | undefined {
    const found = this.#rowsIn(box).flatMap((row) => {
      return row[countStarting(row, box.right - 4)] ?? []
    })
    return found.reduce<UprightItem | undefined>(
      (best, item) => (best && best.left <= item.left ? best : item),
      undefined,
    )
  }

  /** The first item in the box's rows that overlaps it horizontally. */
  findAcross(box: UprightBox): UprightItem | undefined {
    for (const row of this.#rowsIn(box)) {
      const item = row[countStarting(row, box.left + 4) - 1]
      if (item && item.right > box.left + 1) return item
      const next = row[countStarting(row, box.left + 4)]
      if (next && next.left < box.right) return next
    }
    return undefined
  }

  /** The items whose baselines are within the box, in reading order. */
  findWithin(box: UprightBox): UprightItem[] {
    const items: UprightItem[] = []
    for (const row of this.#rowsIn(box)) {
      const first = Math.max(0, countStarting(row, box.left) - 1)
      for (let at = first; (row[at]?.left ?? Number.POSITIVE_INFINITY) <= box.right; at++) {
        if (this.#comparisons++ > maxComparisons) return items
        items.push(...row.slice(at, at + 1).filter(({ right }) => right > box.left))
      }
    }
    return items
  }

  /** The index of the first item that is not above this height in reading order. */
  indexBelow(height: number): number {
    const above = this.#baselines.findLast((baseline) => baseline >= height)
    const row = above === undefined ? [] : (this.#rows.get(above) ?? [])
    return row.reduce((index, item) => Math.max(index, item.index + 1), 0)
  }

  createItem(item: {
    text: string
    left: number
    baseline: number
    size: number
    width: number
  }): TextItem {
    const [cosine, sine] = this.#turn
    const [x, y] = turnPoint([cosine, -sine], item.left, item.baseline)
    const { size, width } = item
    return {
      str: item.text,
      dir: "ltr",
      transform: [size * cosine, size * sine, -size * sine, size * cosine, x, y],
      width,
      height: size,
      fontName: "",
      hasEOL: false,
    }
  }

  #uprightItem({ str, transform, width }: TextItem, index: number): UprightItem | null {
    const [a = 0, b = 0, , , x = 0, y = 0] = transform.map(Number)
    const [cosine, sine] = this.#turn
    const size = a * cosine + b * sine
    const isUpright = size > 0 && Math.abs(b * cosine - a * sine) < 0.1 * size
    if (str.trim() === "" || !isUpright) return null
    const [left, baseline] = turnPoint(this.#turn, x, y)
    if (!Number.isFinite(left + baseline + width)) return null
    return { index, text: str, left, right: left + width, baseline, size }
  }

  /** From top to bottom. */
  #rowsIn({ bottom, top }: UprightBox): UprightItem[][] {
    const rows: UprightItem[][] = []
    const lowest = Math.max(Math.floor(bottom), Math.floor(top) - 2000)
    for (let key = Math.floor(top); key >= lowest; key--) {
      const row = this.#rows.get(key)
      if (row) rows.push(row)
    }
    return rows
  }
}
