import type { Audit } from "../../audit/audit.ts"
import type { Bus } from "../../bus/bus.ts"
import type { Database, Tx } from "../../db/database.ts"
import type { RowLimits } from "../../db/row-limits.ts"
import { fail, failInvalid } from "../../errors.ts"
import { isOwn, requireOwn, requireOwnOrShared } from "../../grants/private-access.ts"
import type { Actor, Caller } from "../../http/caller.ts"
import type { Page } from "../../http/pagination.ts"
import type { StorageQuota } from "../../storage/storage-quota.ts"
import { rejectOwnerBeingDeleted } from "../../users/reject-owner-being-deleted.ts"
import { userLock } from "../../users/user-lock.ts"
import type { Answers } from "../answers/answers.ts"
import type { ChatPassages } from "../answers/source-schema.ts"
import { endOfChat, type PageSize } from "../messages/message-pages.ts"
import type { StoredImage } from "../messages/message-reader.ts"
import type { MessageStore } from "../messages/message-store.ts"
import { ensureProject } from "../projects/project-store.ts"
import type { Projects } from "../projects/projects.ts"
import type {
  Chat,
  ChatChanges,
  ChatLabels,
  ChatListItem,
  ChatListQuery,
  ChatWithMessages,
  MessagePage,
  MessagePageQuery,
  NewChat,
} from "../schema.ts"
import type { ChatRedaction } from "./chat-redaction.ts"
import { type ChatStore, chatBytesWithoutMessages, type StoredChat } from "./chat-store.ts"
import { emptyLargeChat } from "./empty-large-chat.ts"

interface Deps {
  db: Database
  store: ChatStore
  messages: MessageStore
  answers: Answers
  redaction: ChatRedaction
  projects: Projects
  storage: StorageQuota
  rowLimits: RowLimits
  audit: Audit
  bus: Bus
  /** The display name of a user. */
  nameOfUser: (id: string) => Promise<string>
  newId: () => string
  now: () => number
}

/** Size of one response. Chats of ordinary length fit on one page. */
const responsePageSize: PageSize = { messages: 500, bytes: 1_000_000 }

/** Shared chats do not reveal how the owner organizes them and instructs the model. */
const hiddenFromReaders = {
  folder: null,
  tags: [],
  pinned: false,
  archived: false,
  system: "",
  params: {},
}

/** Manages conversations. Each is private to its owner unless shared. */
export const createChats = (deps: Deps) => {
  const { db, store, messages, answers, redaction, projects, storage, rowLimits } = deps
  const { audit, bus, nameOfUser, newId, now } = deps

  const notFound = (id: string): string => `Chat ${id} not found.`

  const getOwn = async (caller: Caller, id: string, tx?: Tx): Promise<StoredChat> =>
    requireOwn(await store.byId(id, tx), caller, notFound(id))

  const getReadable = async (caller: Caller, id: string): Promise<StoredChat> =>
    requireOwnOrShared(await store.byId(id), caller, notFound(id))

  const publishChange = (tx: Tx, chat: Pick<Chat, "id" | "user_id">): Promise<void> =>
    bus.publish(tx, { topic: "chats", user_id: chat.user_id, id: chat.id })

  const toReaderView = (caller: Caller, { title_source, ...chat }: StoredChat): Chat =>
    isOwn(chat, caller) ? chat : { ...chat, ...hiddenFromReaders }

  const readPageFor = async (
    caller: Caller,
    chat: StoredChat,
    before = endOfChat.before,
  ): Promise<MessagePage & { seq: number }> => {
    const { page, seq } = await answers.page(chat.id, { start: { before }, size: responsePageSize })
    const stored = page?.messages ?? []
    const visible = await redaction.redactMessages(caller, chat.user_id, stored)
    return { messages: visible, earlier: page?.hasMore ? page.from : null, seq }
  }

  const requireMessage = async (id: string, current: string | undefined): Promise<void> => {
    if (current === undefined) return
    const [known] = await messages.byIds(id, [current])
    if (!known) failInvalid("current_id", "Message not found in this chat.")
  }

  return {
    getOwn,
    getReadable,
    toReaderView,
    publishChange,

    list: (caller: Caller, query: ChatListQuery): Promise<Page<ChatListItem>> =>
      store.list(caller.user.id, query),

    labels: (caller: Caller): Promise<ChatLabels> => store.labels(caller.user.id),

    create: async (caller: Caller, input: NewChat): Promise<Chat> => {
      const { title, models, ...rest } = input
      const { folder } = input
      const usedModels =
        models.length > 0 ? models : await projects.defaultModels(caller.user.id, folder)
      const chat: StoredChat = {
        ...rest,
        models: usedModels,
        id: newId(),
        user_id: caller.user.id,
        title: title ?? "",
        title_source: title === undefined ? "words" : "person",
        pinned: false,
        archived: false,
        shared: false,
        current_id: null,
        created_at: now(),
        updated_at: now(),
      }
      const addition = { owner: caller.user.id, bytes: chatBytesWithoutMessages(chat) }
      await storage.writeWithinLimit([addition], () =>
        rowLimits.transactWithin("chats", { owner: caller.user.id }, async (tx) => {
          await store.insert(tx, chat)
          await ensureProject(tx, chat.user_id, { folder, now: now() })
          await publishChange(tx, chat)
        }),
      )
      return toReaderView(caller, chat)
    },

    /** Includes the last messages in their current state, with answers in progress. */
    get: async (caller: Caller, id: string): Promise<ChatWithMessages> => {
      const chat = await getReadable(caller, id)
      const writable = isOwn(chat, caller)
      const view = { ...toReaderView(caller, chat), ...(await readPageFor(caller, chat)), writable }
      return writable ? view : { ...view, owner_name: await nameOfUser(chat.user_id) }
    },

    messages: async (
      caller: Caller,
      id: string,
      { before }: MessagePageQuery,
    ): Promise<MessagePage> => {
      const { seq, ...page } = await readPageFor(caller, await getReadable(caller, id), before)
      return page
    },

    update: async (caller: Caller, id: string, changes: ChatChanges): Promise<Chat> => {
      const current = await getOwn(caller, id)
      await requireMessage(id, changes.current_id)
      const set = Object.fromEntries(Object.entries(changes).filter(([, v]) => v !== undefined))
      const bytes =
        chatBytesWithoutMessages({ ...current, ...set }) - chatBytesWithoutMessages(current)
      const change = async (tx: Tx): Promise<StoredChat> => {
        const before = (await store.byId(id, tx)) ?? fail("not_found", notFound(id))
        const titleSource = changes.title === undefined ? {} : { title_source: "person" as const }
        const after: StoredChat = { ...before, ...set, ...titleSource }
        await store.update(tx, after)
        if (changes.folder)
          await ensureProject(tx, after.user_id, { folder: changes.folder, now: now() })
        await publishChange(tx, after)
        return after
      }
      const addition = { owner: caller.user.id, bytes }
      const write = () => db.transactLocked([`chat:${id}`], change)
      return toReaderView(caller, await storage.writeWithinLimit([addition], write))
    },

    /** Sets whether every approved account may read the chat; recorded in the audit log. */
    share: async (
      actor: Actor,
      caller: Caller,
      { id, shared }: { id: string; shared: boolean },
    ): Promise<Chat> => {
      await getOwn(caller, id)
      // The deletion of an account must not overlook a shared chat.
      const locks = [`chat:${id}`, userLock(caller.user.id)]
      const chat = await db.transactLocked(locks, async (tx) => {
        const before = await getOwn(caller, id, tx)
        await rejectOwnerBeingDeleted(tx, caller.user.id)
        const after = { ...before, shared }
        await store.update(tx, after)
        if (before.shared !== shared) {
          const action = shared ? "chat.shared" : "chat.unshared"
          const target = { type: "chat", id }
          await audit.record(tx, { actor, action, target, after: { title: before.title } })
        }
        await publishChange(tx, after)
        return after
      })
      return toReaderView(caller, chat)
    },

    /**
     * Stops answers in progress and permanently deletes the chat. The audit log names it only if
     * others could read it.
     */
    remove: async (actor: Actor, caller: Caller, id: string): Promise<void> => {
      await getOwn(caller, id)
      await answers.stop(id, null)
      await emptyLargeChat(db, { id, bytes: await store.size(id) })
      await db.essential.transactLocked([`chat:${id}`], async (tx) => {
        const chat = await store.byId(id, tx)
        if (!chat) return
        await store.remove(tx, id)
        const event = { actor, action: "chat.deleted", target: { type: "chat", id } }
        await audit.record(tx, { ...event, ...(chat.shared && { before: { title: chat.title } }) })
        await publishChange(tx, chat)
      })
    },

    /** The passages that an answer was given. */
    passages: async (caller: Caller, id: string, messageId: string): Promise<ChatPassages> => {
      const chat = await getReadable(caller, id)
      const found = (await messages.passages(id, [messageId])).get(messageId)
      if (!found) return fail("not_found", `Message ${messageId} not found, or it has no sources.`)
      return { items: await redaction.redactPassages(caller, chat.user_id, found) }
    },

    image: async (caller: Caller, id: string, imageId: string): Promise<StoredImage> => {
      await getReadable(caller, id)
      return (await messages.image(id, imageId)) ?? fail("not_found", `Image ${imageId} not found.`)
    },
  }
}

export type Chats = ReturnType<typeof createChats>
