import type { FileSummary } from "../../files/file-store.ts"
import { joinHeadings, SectionLocation } from "../../files/passage-location.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import type { FoundPassage } from "../schema.ts"
import { toFoundPassage } from "../search/found-passage.ts"
import { overheadTokens, passageTokens, truncatePassage } from "../search/passage-selection.ts"

/** Share of a file's tokens for its outline; the rest is for the openings of its parts. */
const outlineShare = 0.4
/** Tokens of the document's opening, which often states its topic, and of each further part's. */
const firstOpeningTokens = 200
const openingTokens = 75
/** Shorter openings are of no use. */
const minOpeningTokens = 20
const maxOpenings = 40
/** Locations read; longer files are sampled evenly. */
const maxPlaces = 5000

/** A part of a file: the first passage with a given heading, page, slide or sheet. */
interface FilePart {
  position: number
  location: SectionLocation
}

/** Empty if there is only a page or slide number, which says nothing about the content. */
const labelOf = ({ page, slide, sheet, heading }: SectionLocation): string => {
  const title = (heading && joinHeadings(heading)) ?? sheet ?? ""
  if (title === "") return ""
  if (page !== undefined) return `${title} (page ${page})`
  return slide === undefined ? title : `${title} (slide ${slide})`
}

/** One part per heading; pages, slides and sheets are used only if there are no headings. */
const splitIntoParts = (places: readonly { position: number; place: string }[]): FilePart[] => {
  const parsed = places.map(({ position, place }) => ({
    position,
    location: SectionLocation.parse(JSON.parse(place)),
  }))
  const hasHeadings = parsed.some(({ location }) => location.heading !== undefined)
  const keyOf = ({ heading, ...location }: SectionLocation): string =>
    JSON.stringify(hasHeadings ? heading : location)
  return parsed.filter(
    ({ location }, at) => at === 0 || keyOf(location) !== keyOf(parsed[at - 1]?.location ?? {}),
  )
}

/** At most `count` items, evenly spaced. */
const sampleEvenly = <T>(items: readonly T[], count: number): T[] => {
  if (items.length <= count) return [...items]
  const step = items.length / count
  return Array.from({ length: count }, (_, at) => items[Math.floor(at * step)]).filter(
    (item) => item !== undefined,
  )
}

const outlineOf = (
  file: FileSummary,
  parts: readonly FilePart[],
  maxTokens: number,
): FoundPassage | null => {
  const labels = parts.map(({ location }) => labelOf(location)).filter((label) => label !== "")
  if (labels.length < 2) return null
  const row = { starts: 0, ends: 0, place: "{}" }
  for (let count = labels.length; count >= 2; count = Math.floor(count * 0.8)) {
    const some = sampleEvenly(labels, count)
    const note = some.length < labels.length ? `\n(${labels.length} parts in total)` : ""
    const text = `${some.map((label) => `- ${label}`).join("\n")}${note}`
    const outline = toFoundPassage(file, { ...row, text }, "outline")
    if (passageTokens(outline) <= maxTokens) return outline
  }
  return null
}

const readOpenings = async (
  passages: PassageStore,
  file: FileSummary,
  parts: readonly FilePart[],
  maxTokens: number,
): Promise<FoundPassage[]> => {
  const eachTokens = openingTokens + overheadTokens({ filename: file.filename })
  const count = Math.max(1, Math.floor((maxTokens - firstOpeningTokens) / eachTokens))
  const positions = sampleEvenly(parts, Math.min(maxOpenings, count)).map(
    ({ position }) => position,
  )
  const openings: FoundPassage[] = []
  let remainingTokens = maxTokens
  for (const [at, row] of (await passages.byFile(file.id, positions)).entries()) {
    const whole = toFoundPassage(file, row, "opening")
    const overhead = overheadTokens(whole)
    const targetTokens = overhead + (at === 0 ? firstOpeningTokens : openingTokens)
    if (Math.min(remainingTokens, targetTokens) < overhead + minOpeningTokens) continue
    const passage = truncatePassage(whole, Math.min(remainingTokens, targetTokens))
    openings.push(passage)
    remainingTokens -= passageTokens(passage)
  }
  return openings
}

/**
 * An overview of a file that is too large to be sent whole: its headings and the opening of each
 * part, in reading order, at most `maxTokens` in total. This lets the model answer "Summarize this"
 * in any language, without detecting the intent.
 */
export const readFileOverview = async (
  passages: PassageStore,
  file: FileSummary,
  maxTokens: number,
): Promise<FoundPassage[]> => {
  const places = sampleEvenly(await passages.locations(file.id), maxPlaces)
  const parts = splitIntoParts(places)
  const outline = outlineOf(file, parts, Math.floor(maxTokens * outlineShare))
  const remainingTokens = maxTokens - (outline ? passageTokens(outline) : 0)
  // A text without headings is sampled evenly.
  const openingParts =
    parts.length > 1 ? parts : places.map(({ position }) => ({ position, location: {} }))
  const openings = await readOpenings(passages, file, openingParts, remainingTokens)
  return outline ? [outline, ...openings] : openings
}
