import type { ReportDropped } from "../canonical-request.ts"
import { type Fields, isObject, objectsIn, textOf } from "../json-values.ts"

/** Anthropic's API rejects requests with more. */
const maxBreakpoints = 4

const isMarked = ({ cache_control }: Fields): boolean => isObject(cache_control)

const thinkingTypes = new Set(["thinking", "redacted_thinking"])

/** Puts a message's mark on its last block that can have one, unless that has its own. */
export const markLastBlock = (
  blocks: readonly Fields[],
  mark: Fields,
  report: ReportDropped,
): Fields[] => {
  if (!isMarked(mark)) return [...blocks]
  const last = blocks.findLastIndex(({ type }) => !thinkingTypes.has(textOf(type)))
  if (last < 0) report("cache_control")
  return blocks.map((block, at) => (at === last ? { ...mark, ...block } : block))
}

/** In the order in which the API reads them. */
const listMarkedBlocks = ({ tools, system, messages }: Fields): Fields[] =>
  [...objectsIn(tools), ...objectsIn(system), ...objectsIn(messages)]
    .flatMap((block) => [...objectsIn(block.content), block])
    .flatMap((block) =>
      block.type === "tool_result" ? [...objectsIn(block.content), block] : [block],
    )
    .filter(isMarked)

/** A mark of the whole request takes effect on the last block, unless that has its own. */
const countOwnMark = (request: Fields): number => {
  const lastBlock = objectsIn(objectsIn(request.messages).at(-1)?.content).at(-1)
  return isMarked(request) && !(lastBlock && isMarked(lastBlock)) ? 1 : 0
}

/**
 * Removes the marks of a new request that exceed the API's limit. The first remains, which usually
 * ends the part that conversations share, and the last ones, which cover the most.
 */
export const limitBreakpoints = (request: Fields, report: ReportDropped): Fields => {
  const marked = listMarkedBlocks(request)
  const excess = Math.max(0, marked.length + countOwnMark(request) - maxBreakpoints)
  for (const block of marked.slice(1, 1 + excess)) block.cache_control = undefined
  if (excess > 0) report("cache_control")
  return request
}
