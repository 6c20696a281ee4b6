import type { Caller } from "../http/caller.ts"
import type { Attaching } from "../knowledge/attaching.ts"
import type { Message } from "./schema.ts"
import type { Attached, Passage, Source } from "./source-schema.ts"

/**
 * Sharing a chat shares what was said in it, not the files behind it: to a reader who may not read
 * them they are not named, and their passages are not shown.
 */
export const createWithholding = ({ readsFile, readsCollection }: Attaching) => {
  /** One reader's view; each file is asked about once. */
  const viewOf = (caller: Caller) => {
    const known = new Map<string, Promise<boolean>>()
    const once = (key: string, ask: () => Promise<boolean>): Promise<boolean> => {
      const asked = known.get(key) ?? ask()
      known.set(key, asked)
      return asked
    }
    const file = (id: string): Promise<boolean> => once(`file ${id}`, () => readsFile(caller, id))
    const collection = (id: string): Promise<boolean> =>
      once(`collection ${id}`, () => readsCollection(caller, id))

    const kept = async <T>(
      all: readonly T[],
      reads: (one: T) => Promise<boolean>,
    ): Promise<T[]> => {
      const open = await Promise.all(all.map(reads))
      return all.filter((_, index) => open[index])
    }

    const placed = <T extends Source | Passage>(all: readonly (T | null)[]) =>
      Promise.all(all.map(async (one) => (one && (await file(one.file_id)) ? one : null)))

    const message = async (one: Message): Promise<Message> => ({
      ...one,
      files: await kept(one.files, ({ type, id }: Attached) =>
        type === "file" ? file(id) : collection(id),
      ),
      sources: one.sources && (await placed(one.sources)),
      sources_skipped: await kept(one.sources_skipped, ({ id }) => file(id)),
    })
    return { message, placed }
  }

  return {
    /** A chat's messages as `caller` may see them. */
    messages: async (
      caller: Caller,
      owner: string,
      messages: readonly Message[],
    ): Promise<Message[]> => {
      if (caller.user.id === owner) return [...messages]
      const view = viewOf(caller)
      return Promise.all(messages.map(view.message))
    },

    passages: async (
      caller: Caller,
      owner: string,
      passages: readonly (Passage | null)[],
    ): Promise<(Passage | null)[]> =>
      caller.user.id === owner ? [...passages] : viewOf(caller).placed(passages),
  }
}

export type Withholding = ReturnType<typeof createWithholding>
