import { fail } from "../../errors.ts"
import { translatable } from "../../i18n/message.ts"
import type { ChatAttachment } from "../answers/source-schema.ts"
import type { StoredChat } from "../chats/chat-store.ts"
import { emptyGenerationFields, type Message, type NewMessage } from "../schema.ts"
import { emptyMessageBytes } from "./message-bytes.ts"
import type { StoredImage } from "./message-reader.ts"

/** What a prompt changes: the rows to add or to continue, and the context of each answer. */
export interface PromptPlan {
  user: Message | null
  images: StoredImage[]
  answers: Message[]
  /** The messages up to and including the one to be answered. */
  branch: Message[]
  models: string[]
}

/**
 * Reads the messages from the root to one; an empty list for null. @throws {Failure} `not_found`
 */
export type BranchReader = (id: string | null) => Promise<Message[]>

export interface IncomingPrompt {
  input: NewMessage
  files: ChatAttachment[]
  requestId: string
}

const imageOf = (url: string, id: string): StoredImage => {
  const [head = "", base64 = ""] = url.split(";base64,")
  return { id, media_type: head.slice("data:".length), base64 }
}

/** The size of a prompt and its empty answers; answers are counted when they end. */
export const promptBytes = (
  { input, files }: IncomingPrompt,
  models: readonly string[],
): number => {
  // A continued answer grows by an unknown amount.
  if (input.continue_id !== undefined) return 1
  const texts = [input.content ?? "", JSON.stringify(files), ...input.images]
  const empty = (1 + models.length) * emptyMessageBytes
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), empty)
}

interface Deps {
  newId: () => string
  now: () => number
}

/** Plans which messages a prompt adds to a chat, and which one is answered. */
export const createPromptPlans = ({ newId, now }: Deps) => {
  const createMessage = (
    fields: Pick<Message, "chat_id" | "parent_id" | "role" | "state"> & Partial<Message>,
  ): Message => ({
    id: newId(),
    batch: null,
    model: null,
    content: "",
    reasoning: "",
    images: [],
    files: [],
    sources: null,
    sources_skipped: [],
    ...emptyGenerationFields,
    created_at: now(),
    ...fields,
  })

  const emptyAnswers = (
    models: readonly string[],
    chat_id: string,
    parent_id: string,
  ): Message[] => {
    const batch = newId()
    return models.map((model) =>
      createMessage({ chat_id, parent_id, role: "assistant", state: "running", batch, model }),
    )
  }

  const modelsOf = (chat: StoredChat, input: NewMessage): string[] => {
    const models = input.models ?? chat.models
    return models.length > 0 ? models : fail("invalid", "models: Choose at least one model")
  }

  const planContinuation = async (readBranch: BranchReader, id: string): Promise<PromptPlan> => {
    const branch = await readBranch(id)
    const last = branch.at(-1)
    if (last?.role !== "assistant" || !last.model) {
      return fail("bad_request", "Only a model's answer can be continued.")
    }
    if (last.state === "running") fail("conflict", translatable("answer_running"))
    const answer: Message = { ...last, error: null, finish_reason: null, state: "running" }
    return { user: null, images: [], answers: [answer], branch, models: [last.model] }
  }

  const planRegeneration = async (
    chat: StoredChat,
    readBranch: BranchReader,
    input: NewMessage,
  ): Promise<PromptPlan> => {
    const branch = await readBranch(input.parent_id ?? null)
    const question = branch.at(-1)
    if (question?.role !== "user") {
      return fail(
        "bad_request",
        "Set content, or set parent_id to one of your messages to have it answered again.",
      )
    }
    const models = modelsOf(chat, input)
    const answers = emptyAnswers(models, chat.id, question.id)
    return { user: null, images: [], answers, branch, models }
  }

  const planNewMessage = async (
    chat: StoredChat,
    readBranch: BranchReader,
    { input, files }: IncomingPrompt,
  ): Promise<PromptPlan> => {
    const parent_id = input.parent_id === undefined ? chat.current_id : input.parent_id
    const before = await readBranch(parent_id)
    const parent = before.at(-1)
    if (parent?.state === "running") fail("conflict", translatable("previous_answer_running"))
    if (parent?.role === "user")
      fail(
        "bad_request",
        "A message must reply to an answer. Set parent_id to an answer, or leave it out.",
      )
    const models = modelsOf(chat, input)
    const images = input.images.map((url) => imageOf(url, newId()))
    const user = createMessage({
      chat_id: chat.id,
      parent_id,
      role: "user",
      content: input.content ?? "",
      images: images.map(({ id, media_type }) => ({ id, media_type })),
      files,
      state: "completed",
    })
    const branch = [...before, user]
    return { user, images, answers: emptyAnswers(models, chat.id, user.id), branch, models }
  }

  const planFor = (
    chat: StoredChat,
    readBranch: BranchReader,
    prompt: IncomingPrompt,
  ): Promise<PromptPlan> => {
    const { input } = prompt
    if (input.continue_id !== undefined) return planContinuation(readBranch, input.continue_id)
    const hasContent = (input.content ?? "").trim() !== "" || input.images.length > 0
    return hasContent
      ? planNewMessage(chat, readBranch, prompt)
      : planRegeneration(chat, readBranch, input)
  }

  /** Null if an answer is continued, which has a model already. */
  const newAnswerModels = (chat: StoredChat, input: NewMessage): string[] | null =>
    input.continue_id === undefined ? modelsOf(chat, input) : null

  return { planFor, newAnswerModels }
}
