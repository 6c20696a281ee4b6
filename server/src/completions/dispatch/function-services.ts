import type { Files } from "../../files/files.ts"
import { joinHeadings } from "../../files/passage-location.ts"
import type { HostServices } from "../../functions/host-services.ts"
import { type SourceFinder, toCitationSource } from "../../knowledge/citations/source-finder.ts"
import type { FoundPassage } from "../../knowledge/schema.ts"
import { type Handbook, handbookId } from "../../knowledge/search/handbook.ts"
import type { Completions } from "../completions.ts"
import { createModelCaller } from "./calls-by-functions.ts"

const maxFiles = 200

interface Deps {
  completions: Completions
  sourceFinder: SourceFinder
  files: Files
  handbook: Handbook
}

const passageOf = ({ text, score, file_id, filename, heading, page }: FoundPassage) => ({
  ...{ text, score, file_id, filename },
  ...(heading && { heading: joinHeadings(heading) }),
  ...(page !== undefined && { page }),
})

/** The gateway's services for functions. Each call runs with the rights of the calling user. */
export const createFunctionServices = ({
  completions,
  sourceFinder,
  files,
  handbook,
}: Deps): HostServices => ({
  requestModel: createModelCaller(completions),

  search: async (caller, { collections, query, limit, signal }) => {
    const collectionIds = collections.filter((id) => id !== handbookId)
    const references = collectionIds.map((id) => ({ type: "collection" as const, id }))
    const request = { references, modelCollections: [], question: query, limit, signal }
    const found =
      collectionIds.length > 0
        ? await sourceFinder.search(caller, request)
        : { passages: [], sources: [] }
    // The handbook is open to every user and does not belong to any collection.
    const handbookPassages =
      collectionIds.length < collections.length ? await handbook.search(query, limit) : []
    return {
      passages: [...handbookPassages, ...found.passages].slice(0, limit).map(passageOf),
      sources: [
        ...handbookPassages.map((passage) => toCitationSource(passage)),
        ...found.sources,
      ].slice(0, limit),
    }
  },

  files: {
    list: async (caller) => {
      const query = {
        page: 1,
        page_size: maxFiles,
        direction: "desc" as const,
        order_by: "created_at" as const,
      }
      const { items } = await files.list(caller, query)
      return items.map(({ id, filename, meta }) => ({
        id,
        name: filename,
        content_type: meta.content_type,
        size: meta.size,
      }))
    },
    text: async (caller, id) => (await files.text(caller, id, { start: 0 })).content,
  },
})
