import type { FilledField } from "./form-fields.ts"
import type { TextPositions, UprightBox, UprightItem } from "./text-positions.ts"
import type { TextItem } from "./text-runs.ts"

/** Where in the page's text a field's first line stands. */
interface Placement {
  /** Before the item with this index. */
  index: number
  baseline: number
  size: number
  label: "left" | "other" | "none"
}

interface PlacedField {
  field: FilledField
  box: UprightBox
  placement: Placement
}

/** In points. */
const maxGapToLabel = 100
const maxGapToRightLabel = 40
const maxGapAcross = 16
const maxGapInRow = 80
const maxFontSize = 12
const minFontSize = 4

/** Fields of one page that are placed; the others follow at its end. */
const maxPlaced = 3000

const isBesideInRow = (before: UprightBox, box: UprightBox): boolean =>
  Math.abs(before.top - box.top) < 4 && Math.abs(box.left - before.right) < maxGapInRow

/** Finds the label of a field on its line, above or below it. */
const placeField = (
  positions: TextPositions,
  { isBox, lines }: FilledField,
  box: UprightBox,
): Placement => {
  const lineHeight = (box.top - box.bottom) / lines.length
  const size = Math.min(maxFontSize, Math.max(minFontSize, 0.7 * lineHeight))
  const baseline = box.top - 0.5 * lineHeight - 0.35 * size
  const firstLine = { ...box, bottom: Math.max(box.bottom, box.top - 2 * maxFontSize) - 2 }
  const left = positions.findLeft(firstLine)
  const right = positions.findRight(firstLine)
  const gapToLeft = left ? box.left - left.right : Number.POSITIVE_INFINITY
  const gapToRight = right ? right.left - box.right : Number.POSITIVE_INFINITY
  const placeAfter = (item: UprightItem): Placement => ({
    ...item,
    index: item.index + 1,
    label: "left",
  })

  if (right && isBox && gapToRight < Math.min(gapToLeft, maxGapToRightLabel))
    return { ...right, label: "other" }
  if (left && gapToLeft <= maxGapToLabel) return placeAfter(left)
  const top = box.top + maxGapAcross
  const above = positions.findAcross({ ...box, bottom: box.top - 2, top })
  if (above) return { index: above.index + 1, baseline, size, label: "other" }
  if (left) return placeAfter(left)
  if (right && gapToRight <= maxGapToRightLabel) return { ...right, label: "other" }
  const bottom = box.bottom - maxGapAcross
  const below = positions.findAcross({ ...box, top: box.bottom + 2, bottom })
  if (below) return { index: below.index, baseline, size, label: "other" }
  return { index: positions.indexBelow(box.top), baseline, size, label: "none" }
}

/** A row of fields without text in between has one label, at its left. */
const placeInRow = (
  positions: TextPositions,
  before: PlacedField | undefined,
  box: UprightBox,
): Placement | null => {
  if (before?.placement.label !== "left" || !isBesideInRow(before.box, box)) return null
  const left = positions.findLeft(box)
  return left && left.left > before.box.left ? null : before.placement
}

const placeFields = (
  positions: TextPositions,
  fields: readonly FilledField[],
  end: number,
): PlacedField[] => {
  const placed: PlacedField[] = []
  const boxes = fields
    .map((field) => ({ field, box: positions.uprightBox(field.rect) }))
    .toSorted((a, z) => z.box.top - a.box.top || a.box.left - z.box.left)
  for (const { field, box } of boxes) {
    const atEnd = { index: end, baseline: box.bottom, size: minFontSize, label: "none" } as const
    const placement =
      placed.length < maxPlaced
        ? (placeInRow(positions, placed.at(-1), box) ?? placeField(positions, field, box))
        : atEnd
    placed.push({ field, box, placement })
  }
  return placed
}

const itemsOf = (
  positions: TextPositions,
  { field, box: { left, right }, placement: { baseline, size, label } }: PlacedField,
): TextItem[] =>
  field.lines.map((line, number) => {
    const isNamed = number === 0 && label === "none" && field.name !== ""
    const named = field.isBox ? `${line} ${field.name}` : `${field.name}: ${line}`
    const text = ` ${isNamed ? named : line} `
    const width = Math.min(right - left, 0.5 * size * text.length)
    const y = baseline - number * 1.2 * size
    return positions.createItem({ text, left, baseline: y, size, width })
  })

const withoutSpaces = (text: string): string => text.replace(/\s+/g, "")

/** In characters: a shorter value may be part of other text by chance. */
const minPartOfText = 4

/** Forms that were flattened, or whose fields are drawn as text as well. */
const isInText = (positions: TextPositions, { rect, lines }: FilledField): boolean => {
  const value = withoutSpaces(lines.join(""))
  const box = positions.uprightBox(rect)
  const items = positions
    .findWithin(box)
    .filter(
      ({ left, right }) =>
        value.length >= minPartOfText || (left > box.left - 4 && right < box.right + 4),
    )
  return withoutSpaces(items.map(({ text }) => text).join("")).includes(value)
}

/** A box without a label says nothing unless it is checked. */
const isTelling = ({ field, placement }: PlacedField): boolean =>
  placement.label !== "none" || field.lines[0] !== "[ ]"

/** Inserts the values of fields into the text items of their page, each beside its label. */
export const placeFormFields = (
  items: readonly TextItem[],
  fields: readonly FilledField[],
  positions: TextPositions,
): TextItem[] => {
  const missing = fields.filter((field) => field.isBox || !isInText(positions, field))
  const placed = placeFields(positions, missing, items.length).filter(isTelling)
  const placedByIndex = Map.groupBy(placed, ({ placement }) => placement.index)
  const itemsBefore = (index: number): TextItem[] =>
    (placedByIndex.get(index) ?? []).flatMap((one) => itemsOf(positions, one))
  return [
    ...items.flatMap((item, index) => [...itemsBefore(index), item]),
    ...itemsBefore(items.length),
  ]
}
