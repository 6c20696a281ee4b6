import { type DrawingParagraph, readDrawingParagraphs } from "./drawing-text.ts"
import { findChild, findChildren, type XmlElement } from "./office-xml.ts"

interface Point {
  id: string
  depth: number
}

const maxIndentation = 8

const idOf = ({ attributes }: XmlElement): string => attributes.modelId ?? ""

/** Points with their text; those of the layout repeat it. */
const readPoints = (model: XmlElement | undefined): Map<string, DrawingParagraph[]> =>
  new Map(
    findChildren(findChild(model, "ptLst"), "pt")
      .filter(({ attributes }) => attributes.type !== "pres")
      .map((point) => [idOf(point), readDrawingParagraphs(findChild(point, "t"))]),
  )

/** IDs of the points directly below each point, in order. */
const readBranches = (model: XmlElement | undefined): Map<string, string[]> => {
  const connections = findChildren(findChild(model, "cxnLst"), "cxn")
    .map(({ attributes }) => attributes)
    .filter(({ type = "parOf" }) => type === "parOf")
    .toSorted((a, z) => Number(a.srcOrd) - Number(z.srcOrd))
  const branches = new Map<string, string[]>()
  for (const { srcId = "", destId = "" } of connections) {
    const below = branches.get(srcId) ?? []
    below.push(destId)
    branches.set(srcId, below)
  }
  return branches
}

/** Walks each tree from its root; each point once, even if they form a circle. */
const orderPoints = (
  ids: readonly string[],
  branches: ReadonlyMap<string, readonly string[]>,
): Point[] => {
  const remaining = new Set(ids)
  const belowOthers = new Set([...branches.values()].flat())
  const roots = ids.filter((id) => !belowOthers.has(id))
  const ordered: Point[] = []
  for (const root of [...roots, ...ids]) {
    const stack: Point[] = [{ id: root, depth: 0 }]
    for (let point = stack.pop(); point; point = stack.pop()) {
      if (!remaining.delete(point.id)) continue
      ordered.push(point)
      const { depth } = point
      const below = branches.get(point.id)?.toReversed() ?? []
      for (const id of below) stack.push({ id, depth: depth + 1 })
    }
  }
  return ordered
}

/** The lines of a SmartArt diagram, indented by level (ECMA-376 part 1, §21.4). */
export const readDiagram = (dataModel: XmlElement): string[] => {
  const textById = readPoints(dataModel)
  return orderPoints([...textById.keys()], readBranches(dataModel)).flatMap(({ id, depth }) =>
    (textById.get(id) ?? []).map(({ text, level }) => {
      const indentation = Math.min(Math.max(0, depth - 1) + level, maxIndentation)
      return "  ".repeat(indentation) + text
    }),
  )
}
