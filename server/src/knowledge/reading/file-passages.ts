import { type FairEventLoop, turnCosts } from "../../concurrency/fair-event-loop.ts"
import type { Files } from "../../files/files.ts"
import { PassageLocation, SectionLocation } from "../../files/passage-location.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import type { Caller } from "../../http/caller.ts"
import type { Page } from "../../http/pagination.ts"
import type { CollectionStore } from "../collections/collection-store.ts"
import type {
  FileCollections,
  FileOutline,
  FilePassage,
  LocatedPassage,
  PassageQuery,
  SoughtPassage,
} from "../schema.ts"
import { locatePassage } from "./locate-passage.ts"

interface Deps {
  files: Files
  passages: PassageStore
  store: CollectionStore
  fairLoop: FairEventLoop
}

/** Longer outlines are cut off; people do not scan that many entries. */
const maxOutline = 1000

/** What a file's page shows: its passages, its outline, and the collections that contain it. */
export const createFilePassages = ({ files, passages, store, fairLoop }: Deps) => ({
  passages: async (
    caller: Caller,
    id: string,
    { page, page_size, at }: PassageQuery,
  ): Promise<Page<FilePassage>> => {
    const file = await files.getReadable(caller, id)
    const total = file.passages ?? 0
    const offset = at === undefined ? (page - 1) * page_size : await passages.positionAt(id, at)
    const first = offset - (offset % page_size)
    const found = total > 0 ? await passages.startingAt(id, first, page_size) : []
    const items = found.map(({ position, starts, ends, text, place }) => ({
      position,
      start: starts,
      end: ends,
      text,
      ...PassageLocation.parse(JSON.parse(place)),
    }))
    return { items, total }
  },

  /** Finds a passage as it was cited in the present text of its file. */
  locate: async (
    caller: Caller,
    id: string,
    { text: sought, near }: SoughtPassage,
  ): Promise<LocatedPassage> => {
    const share = fairLoop.of(caller.user.id)
    const takeTurn = () => share.turn(turnCosts.conversion)
    const { content } = await files.text(caller, id, { start: 0 })
    return { found: await locatePassage(content, sought, { near, takeTurn }) }
  },

  /** The pages, slides, sheets or headings of the file, each at its first occurrence. */
  outline: async (caller: Caller, id: string): Promise<FileOutline> => {
    await files.getReadable(caller, id)
    const items: FileOutline["items"] = []
    let before = "{}"
    for (const { starts, place } of await passages.locations(id)) {
      const location = SectionLocation.parse(JSON.parse(place))
      const key = JSON.stringify(location)
      if (key !== before && items.length < maxOutline) items.push({ start: starts, ...location })
      before = key
    }
    return { items }
  },

  /** Collections that contain the file and that the caller can read. */
  usedIn: async (caller: Caller, id: string): Promise<FileCollections> => {
    await files.getReadable(caller, id)
    return { items: await store.holding(caller, id) }
  },
})

export type FilePassages = ReturnType<typeof createFilePassages>
