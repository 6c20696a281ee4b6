import type { ChatAttachment } from "../answers/source-schema.ts"
import type { ProjectContext } from "../projects/projects.ts"
import type { Chat, Message } from "../schema.ts"
import type { StoredImage } from "./message-reader.ts"

const noteOf = ({ type, name }: ChatAttachment): string =>
  `[The ${type} "${name}" is no longer available.]`

const contentFor = (message: Message, imageById: ReadonlyMap<string, StoredImage>): unknown => {
  const images = message.images.flatMap(({ id }) => imageById.get(id) ?? [])
  if (images.length === 0) return message.content
  const urls = images.map(({ media_type, base64 }) => `data:${media_type};base64,${base64}`)
  return [
    ...(message.content ? [{ type: "text", text: message.content }] : []),
    ...urls.map((url) => ({ type: "image_url", image_url: { url } })),
  ]
}

interface PromptBodyInput {
  chat: Pick<Chat, "system" | "params">
  /** Its instructions precede the chat's own system prompt; its files are searched too. */
  project: ProjectContext
  /** The user's instructions for all of their chats, which follow those of the project. */
  personalInstructions: string
  model: string
  branch: readonly Message[]
  /** Of the last question's files and collections, those that were deleted since. */
  deleted: readonly ChatAttachment[]
  imageById: ReadonlyMap<string, StoredImage>
}

/** The last question of a branch; its files are searched, those of earlier questions are not. */
export const questionOf = (branch: readonly Message[]): Message | undefined =>
  branch.findLast(({ role }) => role === "user")

/** The question without its deleted files; a note for the model replaces each. */
const withoutDeleted = (question: Message, deleted: readonly ChatAttachment[]): Message => {
  if (deleted.length === 0) return question
  const content = [question.content, ...deleted.map(noteOf)].join("\n\n")
  return { ...question, content, files: question.files.filter((file) => !deleted.includes(file)) }
}

/** The files of the question and of the project. */
const filesOf = (question: Message | undefined, project: ProjectContext): ChatAttachment[] => {
  const files = [...(question?.files ?? []), ...project.files]
  return [...new Map(files.map((file) => [`${file.type} ${file.id}`, file])).values()]
}

/** The OpenAI-style request body that asks `model` to continue `branch`. */
export const buildPromptBody = (input: PromptBodyInput): Buffer => {
  const { chat, project, personalInstructions, model, deleted, imageById } = input
  const last = questionOf(input.branch)
  const branch = input.branch.map((message) =>
    message === last ? withoutDeleted(message, deleted) : message,
  )
  const systemParts = [project.instructions, personalInstructions, chat.system]
  const system = systemParts
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n")
  // Answers that ended without any text are of no use to the model.
  const sentMessages = branch.filter(({ role, content }) => role === "user" || content !== "")
  const messages = [
    ...(system ? [{ role: "system", content: system }] : []),
    ...sentMessages.map((message) => ({
      role: message.role,
      content: contentFor(message, imageById),
    })),
  ]
  const stream = { stream: true, stream_options: { include_usage: true } }
  const files = filesOf(questionOf(branch), project).map(({ type, id }) => ({ type, id }))
  const filesField = files.length > 0 ? { files } : {}
  return Buffer.from(JSON.stringify({ ...chat.params, model, messages, ...filesField, ...stream }))
}
