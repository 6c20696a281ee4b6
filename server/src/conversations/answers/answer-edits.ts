import type { Database, Tx } from "../../db/database.ts"
import type { RowLimits } from "../../db/row-limits.ts"
import { fail } from "../../errors.ts"
import type { Caller } from "../../http/caller.ts"
import { translatable } from "../../i18n/message.ts"
import type { StorageQuota } from "../../storage/storage-quota.ts"
import type { ChatStore } from "../chats/chat-store.ts"
import type { Chats } from "../chats/chats.ts"
import type { ChatEventLogs } from "../events/chat-event-log.ts"
import { recountMessage } from "../messages/message-bytes.ts"
import { type MessageStore, messageBytes, passageBytes } from "../messages/message-store.ts"
import type { RatingStore } from "../ratings/rating-store.ts"
import type { RatingChange } from "../ratings/schema.ts"
import { emptyGenerationFields, type Message } from "../schema.ts"

interface Deps {
  db: Database
  chats: Chats
  store: ChatStore
  messages: MessageStore
  ratings: RatingStore
  eventLogs: ChatEventLogs
  storage: StorageQuota
  rowLimits: RowLimits
  newId: () => string
  now: () => number
}

interface AnswerId {
  id: string
  message_id: string
}

/** What the owner of a chat does to its answers: rate them, and write their own versions. */
export const createAnswerEdits = (deps: Deps) => {
  const { db, chats, store, messages, ratings, eventLogs, storage, rowLimits, newId, now } = deps

  /** @throws {Failure} `not_found`; `conflict` while it is being written */
  const requireAnswer = async (tx: Tx, { id, message_id }: AnswerId): Promise<Message> => {
    const [message] = await messages.byIds(id, [message_id], tx)
    if (message?.role !== "assistant") return fail("not_found", `Answer ${message_id} not found.`)
    if (message.state === "running") fail("conflict", translatable("answer_running"))
    return message
  }

  const storeRating = async (tx: Tx, at: AnswerId, change: RatingChange): Promise<Message> => {
    const message = await requireAnswer(tx, at)
    if (message.edited) fail("bad_request", translatable("answer_edited"))
    const { value, reason } = change
    const rating = value && { value, reason }
    if (rating) await ratings.save(tx, message.id, { ...rating, rated_at: now() })
    else await ratings.remove(tx, message.id)
    await messages.touch(tx, message.id)
    await recountMessage(tx, message)
    return { ...message, rating }
  }

  /** A person's version: without what the model's version took. */
  const editedVersion = (answer: Message, content: string): Message => ({
    ...answer,
    ...emptyGenerationFields,
    id: newId(),
    batch: null,
    content,
    reasoning: "",
    sources: answer.sources?.map((source) => source && { ...source, cited: undefined }) ?? null,
    state: "completed",
    edited: true,
    created_at: now(),
  })

  const storeVersion = async (tx: Tx, at: AnswerId, content: string): Promise<Message> => {
    const chat = (await store.byId(at.id, tx)) ?? fail("not_found", `Chat ${at.id} not found.`)
    const answer = await requireAnswer(tx, at)
    const passages = (await messages.passages(at.id, [answer.id])).get(answer.id)
    const version = editedVersion(answer, content)
    await rowLimits.lockAndCheck(tx, "messages", { owner: chat.id })
    await messages.insert(tx, chat.id, [version])
    const texts = passages?.map((passage) => passage?.text ?? "")
    if (texts) await messages.saveSources(tx, version, texts)
    await store.update(tx, { ...chat, current_id: version.id, updated_at: now() })
    const [stored] = await messages.byIds(chat.id, [version.id], tx)
    return stored ?? version
  }

  /** The size of the edited version, whose sources are those of the original. */
  const versionBytes = async ({ id, message_id }: AnswerId, content: string): Promise<number> => {
    const [answer] = await messages.byIds(id, [message_id])
    if (!answer) return 0
    const passages = (await messages.passages(id, [message_id])).get(message_id)
    const texts = passages?.map((passage) => passage?.text ?? "") ?? null
    return messageBytes(editedVersion(answer, content)) + passageBytes(texts)
  }

  interface Change {
    at: AnswerId
    bytes: number
    store: (tx: Tx) => Promise<Message>
  }

  /** Applies a change and shows it in all windows. */
  const apply = async (caller: Caller, { at, bytes, store: write }: Change): Promise<Message> => {
    const addition = { owner: caller.user.id, bytes }
    const changed = await storage.writeWithinLimit([addition], () =>
      db.transactLocked([`chat:${at.id}`], async (tx) => {
        const message = await write(tx)
        await chats.publishChange(tx, { id: at.id, user_id: caller.user.id })
        return message
      }),
    )
    eventLogs.getOrCreate(at.id).publish("message", changed)
    return changed
  }

  return {
    /** Sets or removes the rating of an answer. */
    rate: async (caller: Caller, at: AnswerId, change: RatingChange): Promise<Message> => {
      await chats.getOwn(caller, at.id)
      const bytes = change.value === null ? 0 : Buffer.byteLength(change.reason)
      return apply(caller, { at, bytes, store: (tx) => storeRating(tx, at, change) })
    },

    /** Adds the caller's version of an answer as an alternative, and continues the chat with it. */
    edit: async (caller: Caller, at: AnswerId, content: string): Promise<Message> => {
      await chats.getOwn(caller, at.id)
      const bytes = await versionBytes(at, content)
      return apply(caller, { at, bytes, store: (tx) => storeVersion(tx, at, content) })
    },
  }
}

export type AnswerEdits = ReturnType<typeof createAnswerEdits>
