import type { UserLimits } from "../../concurrency/user-limits.ts"
import type { Database, Tx } from "../../db/database.ts"
import type { RowLimits } from "../../db/row-limits.ts"
import { fail } from "../../errors.ts"
import type { Caller } from "../../http/caller.ts"
import type { Attachments } from "../../knowledge/citations/attachments.ts"
import type { SourcePassage } from "../../knowledge/citations/source-prompt.ts"
import type { ModelCatalogue } from "../../models/catalogue.ts"
import type { StorageQuota } from "../../storage/storage-quota.ts"
import type { Answers } from "../answers/answers.ts"
import type { ChatPassage } from "../answers/source-schema.ts"
import type { ChatStore, StoredChat } from "../chats/chat-store.ts"
import type { Chats } from "../chats/chats.ts"
import { titleFromPrompt } from "../chats/title-from-prompt.ts"
import type { ChatEventLogs } from "../events/chat-event-log.ts"
import type { Projects } from "../projects/projects.ts"
import type { Message, NewMessage, StartedAnswers } from "../schema.ts"
import { branchTo } from "./branch-to.ts"
import type { MessageStore } from "./message-store.ts"
import { buildPromptBody, questionOf } from "./prompt-body.ts"
import {
  type BranchReader,
  createPromptPlans,
  type IncomingPrompt,
  type PromptPlan,
  promptBytes,
} from "./prompt-plan.ts"

interface Deps {
  db: Database
  chats: Chats
  store: ChatStore
  messages: MessageStore
  answers: Answers
  projects: Projects
  eventLogs: ChatEventLogs
  catalogue: ModelCatalogue
  attaching: Attachments
  storage: StorageQuota
  limits: Pick<UserLimits, "answers" | "bodies">
  rowLimits: RowLimits
  /** A user's instructions for all of their chats. */
  personalInstructions: (userId: string) => Promise<string>
  newId: () => string
  now: () => number
}

interface PromptRequest {
  caller: Caller
  prompt: IncomingPrompt
  /**
   * Functions that release each answer's reservations; an answer that starts takes its own over.
   */
  releases: (() => void)[]
}

const rowsOf = ({ user, answers }: PromptPlan): Message[] => (user ? [user, ...answers] : answers)

const unavailablePassage = { name: "", text: "This passage is not available." }

/** Every passage keeps its number, so that existing citations stay correct. */
const toSourcePassages = (passages: readonly (ChatPassage | null)[]): SourcePassage[] =>
  passages.map((passage) => {
    const { name, ...location } = passage ?? unavailablePassage
    return { ...location, filename: name }
  })

/** Stores users' messages and starts the answers to them. */
export const createMessageSender = (deps: Deps) => {
  const { db, chats, store, messages, answers, projects, eventLogs, catalogue } = deps
  const { attaching, storage, limits, rowLimits, now } = deps
  const plans = createPromptPlans(deps)

  /** The first message gives an untitled chat a title. */
  const titleAfter = (chat: StoredChat, { user }: PromptPlan): string =>
    chat.title === "" && user ? titleFromPrompt(user.content) : chat.title

  const chatAfter = (chat: StoredChat, plan: PromptPlan, isNew: boolean): StoredChat => ({
    ...chat,
    title: titleAfter(chat, plan),
    models: isNew ? plan.models : chat.models,
    current_id: plan.answers[0]?.id ?? chat.current_id,
  })

  /**
   * Reserves memory for the request to each model, in addition to each answer's own reservation.
   */
  const reserveBodies = (
    { caller, prompt, releases }: PromptRequest,
    branchBytes: number,
  ): void => {
    const { bodies } = limits
    const { content = "", images } = prompt.input
    const bytes = images.reduce((sum, { length }) => sum + length, branchBytes + content.length)
    if (bytes * releases.length > bodies.maxPerUser) {
      const size = `${Math.ceil(bytes / 1e6)} MB`
      const limit = `${Math.floor(bodies.maxPerUser / 1e6)} MB (MAX_BUFFERED_BODIES)`
      const models = releases.length === 1 ? "a model" : `${releases.length} models at once`
      fail(
        "body_too_large",
        `This conversation has ${size}, which is too large for ${models}. The limit is ${limit}. Start a new chat or remove attachments.`,
      )
    }
    for (const [index, releaseAnswer] of releases.entries()) {
      const release = bodies.reserve(caller.user.id, bytes)
      releases[index] = () => {
        releaseAnswer()
        release()
      }
    }
  }

  /** Reads the messages from the root to one, inclusive, once memory for them is reserved. */
  const branchReader =
    (chatId: string, request: PromptRequest, tx: Tx): BranchReader =>
    async (id) => {
      const links = branchTo(await messages.links(chatId, tx), id)
      const ids = links.map((link) => link.id)
      const text = links.reduce((sum, { bytes }) => sum + Number(bytes), 0)
      reserveBodies(request, text + (await messages.imageBytes(ids, tx)))
      return messages.byIds(chatId, ids, tx)
    }

  const resolveAll = async (caller: Caller, models: readonly string[]): Promise<void> => {
    for (const model of models) await catalogue.resolve(caller, model)
  }

  const addMessages = async (tx: Tx, chatId: string, added: Message[]): Promise<void> => {
    await rowLimits.lockAndCheck(tx, "messages", { owner: chatId, added: added.length })
    await messages.insert(tx, chatId, added)
  }

  const storePrompt = (chat: StoredChat, request: PromptRequest): Promise<PromptPlan> =>
    db.transactLocked([`chat:${chat.id}`], async (tx) => {
      const { input, requestId } = request.prompt
      const current = (await store.byId(chat.id, tx)) ?? chat
      const readBranch = branchReader(chat.id, request, tx)
      const plan = await plans.planFor(current, readBranch, request.prompt)
      for (const answer of plan.answers) answer.request_id = requestId
      const isNew = input.continue_id === undefined
      if (isNew) await addMessages(tx, chat.id, rowsOf(plan))
      if (plan.user) await messages.insertImages(tx, plan.user.id, plan.images)
      await store.update(tx, { ...chatAfter(current, plan, isNew), updated_at: now() })
      await chats.publishChange(tx, chat)
      return plan
    })

  /** The passages that a continued answer was given; null if it had none. */
  const loadSourcePassages = async ({
    chat_id,
    id,
    sources,
  }: Message): Promise<SourcePassage[] | null> => {
    if (sources === null) return null
    return toSourcePassages((await messages.passages(chat_id, [id])).get(id) ?? [])
  }

  const startAnswers = async (
    chat: StoredChat,
    request: PromptRequest,
  ): Promise<StartedAnswers> => {
    const { caller, prompt, releases } = request
    const { requestId } = prompt
    const project = await projects.contextOf(caller, chat)
    const personalInstructions = await deps.personalInstructions(chat.user_id)
    const plan = await storePrompt(chat, request)
    const withImages = plan.branch.filter(({ images }) => images.length > 0)
    const imageById = await messages.images(withImages.map(({ id }) => id))
    const earlierFiles = plan.user ? [] : (questionOf(plan.branch)?.files ?? [])
    const deleted = await attaching.filterDeleted(earlierFiles)
    const eventLog = eventLogs.getOrCreate(chat.id)
    const seq = eventLog.lastSeq
    const newMessages = rowsOf(plan)
    for (const message of newMessages) eventLog.publish("message", message)
    const started = newMessages.map((message) => ({ ...message }))
    const { branch } = plan
    const input = { chat, project, personalInstructions, branch, deleted, imageById }
    for (const message of plan.answers) {
      const body = buildPromptBody({ ...input, model: message.model ?? "" })
      const sourcePassages = await loadSourcePassages(message)
      answers.start({ caller, chat, message, body, sourcePassages, requestId }, releases.pop())
    }
    return { messages: started, seq }
  }

  return {
    /**
     * Stores a prompt and starts its answers, which continue after this returns.
     * @throws {Failure} `not_found`, `model_not_found`, `file_not_found`, `collection_not_found`,
     * `rate_limited` above MAX_ANSWERS or MAX_BUFFERED_BODIES, `body_too_large`, `limit_reached`,
     * `storage_limit`, `conflict` while the message to be answered is still being written
     */
    send: async (
      caller: Caller,
      id: string,
      { input, requestId }: { input: NewMessage; requestId: string },
    ): Promise<StartedAnswers> => {
      const chat = await chats.getOwn(caller, id)
      const models = plans.newAnswerModels(chat, input)
      await resolveAll(caller, models ?? [])
      const files = await attaching.resolveNames(caller, input.files)
      const prompt = { input: { ...input, ...(models && { models }) }, files, requestId }
      const answerTargets = models ?? [input.continue_id ?? ""]
      const releases: (() => void)[] = []
      try {
        for (const _ of answerTargets) releases.push(limits.answers.reserve(caller.user.id))
        const addition = { owner: caller.user.id, bytes: promptBytes(prompt, answerTargets) }
        return await storage.writeWithinLimit([addition], () =>
          startAnswers(chat, { caller, prompt, releases }),
        )
      } finally {
        for (const release of releases) release()
      }
    },
  }
}

export type MessageSender = ReturnType<typeof createMessageSender>
