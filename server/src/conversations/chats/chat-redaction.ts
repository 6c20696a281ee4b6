import { isOwn } from "../../grants/private-access.ts"
import type { Caller } from "../../http/caller.ts"
import type { Attachments } from "../../knowledge/citations/attachments.ts"
import type { ChatPassage, ChatSource } from "../answers/source-schema.ts"
import type { Message } from "../schema.ts"

type Readable = Awaited<ReturnType<Attachments["readableAmong"]>>

interface ReferencedIds {
  files: Set<string>
  collections: Set<string>
}

const addReferences = (ids: ReferencedIds, { files, sources, sources_skipped }: Message): void => {
  for (const { type, id } of files) ids[type === "file" ? "files" : "collections"].add(id)
  for (const source of sources ?? []) if (source) ids.files.add(source.file_id)
  for (const { id } of sources_skipped) ids.files.add(id)
}

const redactSources = <T extends ChatSource | ChatPassage>(
  sources: readonly (T | null)[],
  readable: Readable,
): (T | null)[] =>
  sources.map((source) => (source && readable.files.has(source.file_id) ? source : null))

const redactMessage = (message: Message, readable: Readable): Message => ({
  ...message,
  files: message.files.filter(({ type, id }) =>
    readable[type === "file" ? "files" : "collections"].has(id),
  ),
  sources: message.sources && redactSources(message.sources, readable),
  rating: null,
  cost: null,
  sources_skipped: message.sources_skipped.filter(({ id }) => readable.files.has(id)),
})

/**
 * Sharing a chat shares its messages, not the files they are based on: readers see neither the
 * names nor the passages of files that they may not read.
 */
export const createChatRedaction = ({ readableAmong }: Pick<Attachments, "readableAmong">) => ({
  /** Messages of `owner`'s chat, redacted for `caller`. */
  redactMessages: async (
    caller: Caller,
    owner: string,
    messages: readonly Message[],
  ): Promise<Message[]> => {
    if (isOwn({ user_id: owner }, caller)) return [...messages]
    const ids: ReferencedIds = { files: new Set(), collections: new Set() }
    for (const message of messages) addReferences(ids, message)
    const readable = await readableAmong(caller, ids)
    return messages.map((message) => redactMessage(message, readable))
  },

  redactPassages: async (
    caller: Caller,
    owner: string,
    passages: readonly (ChatPassage | null)[],
  ): Promise<(ChatPassage | null)[]> => {
    if (isOwn({ user_id: owner }, caller)) return [...passages]
    const files = passages.flatMap((passage) => passage?.file_id ?? [])
    const readable = await readableAmong(caller, { files, collections: [] })
    return redactSources(passages, readable)
  },
})

export type ChatRedaction = ReturnType<typeof createChatRedaction>
