import type { Files } from "../files/files.ts"
import type { Abilities } from "../functions/abilities.ts"
import type { Citing } from "../knowledge/citing.ts"
import type { Chat } from "./chat.ts"
import { createInner } from "./inner.ts"

/** Tokens of passages that one search may give. */
const searchBudget = 16_000
const mostFiles = 200

interface Needs {
  chat: Chat
  citing: Citing
  files: Files
}

/** What the gateway does for functions, each time with the rights of the user who asks. */
export const createAbilities = ({ chat, citing, files }: Needs): Abilities => ({
  ask: createInner(chat),

  search: async (caller, { collections, query, limit, signal }) => {
    const references = collections.map((id) => ({ type: "collection" as const, id }))
    const budget = searchBudget
    const cited = await citing.cite(caller, { references, lent: [], query, budget, signal })
    const passages = cited.passages.slice(0, limit).map((passage) => ({
      text: passage.text,
      score: passage.score,
      file_id: passage.file_id,
      filename: passage.filename,
      ...(passage.heading && { heading: passage.heading.join(" › ") }),
      ...(passage.page !== undefined && { page: passage.page }),
    }))
    return { passages, sources: cited.sources.slice(0, limit) }
  },

  files: {
    list: async (caller) => {
      const query = {
        page: 1,
        page_size: mostFiles,
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
