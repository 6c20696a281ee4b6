import { z } from "zod"
import { withMessage } from "../http/issue-messages.ts"
import { MessageReference } from "../http/message-reference.ts"
import { ListQuery } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import { FileReference } from "../knowledge/schema.ts"
import { ChatAttachment, ChatSkippedSource, ChatSource } from "./answers/source-schema.ts"
import { isBase64 } from "./messages/is-base64.ts"

const Title = z
  .string()
  .trim()
  .min(1, withMessage(translatable("title_required")))
  .max(200)
export const FolderName = z.string().trim().min(1).max(100)
const Tags = z.array(z.string().trim().min(1).max(50)).max(20)
export const ModelId = z.string().min(1).max(300)
const Models = z.array(ModelId).min(1).max(6, "Choose at most six models.")
const System = z.string().max(200_000)
/** Sent with every request of the chat; parameters that the gateway sets are removed. */
const Params = z.record(z.string().max(100), z.unknown()).transform((params) => {
  const { model, messages, stream, stream_options, n, ...rest } = params
  return rest
})

export const TitleSource = z.enum(["words", "model", "person"])
export type TitleSource = z.output<typeof TitleSource>

/** A conversation without its messages. */
export const Chat = z
  .object({
    id: z.string(),
    user_id: z.string(),
    title: z.string(),
    folder: z.string().nullable(),
    tags: z.array(z.string()),
    pinned: z.boolean(),
    archived: z.boolean(),
    /** Whether every approved account of this gateway may read it. */
    shared: z.boolean(),
    /** The models of the last prompt. */
    models: z.array(z.string()),
    system: z.string(),
    params: z.record(z.string(), z.unknown()),
    /** The last message of the current branch. */
    current_id: z.string().nullable(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "Chat" })
export type Chat = z.output<typeof Chat>

/**
 * The state of a message. `stopped`: by the reader. `failed`: the provider or the gateway rejected
 * or aborted it. `interrupted`: the gateway stopped or the reader's session ended while it was
 * written.
 */
export const MessageState = z.enum(["running", "completed", "stopped", "failed", "interrupted"])
export type MessageState = z.output<typeof MessageState>

export const MessageError = z.object({
  code: z.string(),
  /** For the reader; the provider's own message if there is one. */
  message: z.string(),
  ...MessageReference.partial().shape,
  /** The provider's status; null if it did not respond. */
  status: z.int().nullable(),
  /** The provider's error body, as received. */
  raw: z.string().nullable(),
})
export type MessageError = z.output<typeof MessageError>

export const RatingValue = z.enum(["up", "down"])
export type RatingValue = z.output<typeof RatingValue>

/** What the owner of a chat thinks of an answer. */
export const MessageRating = z
  .object({
    value: RatingValue,
    /** In the owner's words; "" if they gave none. */
    reason: z.string(),
  })
  .meta({ id: "ChatMessageRating" })
export type MessageRating = z.output<typeof MessageRating>

export const Message = z
  .object({
    id: z.string(),
    chat_id: z.string(),
    parent_id: z.string().nullable(),
    /** Shared by answers generated side by side. */
    batch: z.string().nullable(),
    role: z.enum(["user", "assistant"]),
    model: z.string().nullable(),
    content: z.string(),
    reasoning: z.string(),
    /** Their bytes are at `/api/v1/chats/{chat_id}/images/{id}`. */
    images: z.array(z.object({ id: z.string(), media_type: z.string() })),
    /** Files and collections attached to a prompt. */
    files: z.array(ChatAttachment),
    /**
     * The locations of the passages that the answer was given. Null if there was no search; an
     * entry is null if the reader may not read its file.
     */
    sources: z.array(ChatSource.nullable()).nullable(),
    /** Files that could not be searched for the answer. */
    sources_skipped: z.array(ChatSkippedSource),
    state: MessageState,
    /** As reported by the provider, such as `stop` or `length`. */
    finish_reason: z.string().nullable(),
    error: MessageError.nullable(),
    request_id: z.string().nullable(),
    tokens_in: z.int().nullable(),
    tokens_out: z.int().nullable(),
    /** Whether the tokens were estimated by the gateway instead of reported by the provider. */
    estimated: z.boolean(),
    time_to_first_token_ms: z.int().nullable(),
    /** With that of its continuations, like the tokens. */
    duration_ms: z.int().nullable(),
    /** How long the model thought before it answered; null if it did not. */
    thinking_ms: z.int().nullable(),
    /**
     * Nano-dollars, including all requests made for the answer: its continuations, the rewriting of
     * its question, and what functions asked other models. Null if a price is not known, and for
     * readers of a shared chat.
     */
    cost: z.int().nullable(),
    /** Whether a person wrote this version of the answer. */
    edited: z.boolean(),
    /** Null for readers of a shared chat. */
    rating: MessageRating.nullable(),
    created_at: z.int(),
  })
  .meta({ id: "ChatMessage" })
export type Message = z.output<typeof Message>

export const MessagePageQuery = z.object({
  /** `earlier` of the following page; defaults to the last page. */
  before: z.coerce.number<string>().int().min(0).optional(),
})
export type MessagePageQuery = z.output<typeof MessagePageQuery>

const pageFields = {
  /** In order of creation; `parent_id` forms a tree. */
  messages: z.array(Message),
  /** `before` for the preceding page; null if this page begins with the first message. */
  earlier: z.int().nullable(),
}

export const MessagePage = z.object(pageFields).meta({ id: "ChatMessagePage" })
export type MessagePage = z.output<typeof MessagePage>

export const ChatWithMessages = Chat.extend({
  /** The last messages: at most 500, and about 1 MB. */
  ...pageFields,
  /** Pass as `events?after=` to continue from here. */
  seq: z.int(),
  /** False for a chat shared by another account. */
  writable: z.boolean(),
  /** The owner's display name; only in a chat shared by another account. */
  owner_name: z.string().optional(),
}).meta({ id: "ChatWithMessages" })
export type ChatWithMessages = z.output<typeof ChatWithMessages>

export const ChatListItem = Chat.omit({ system: true, params: true })
  .extend({
    /** Whether an answer is in progress. */
    running: z.boolean(),
    /** The text around the match; null if only the title matches. */
    snippet: z.string().nullable(),
    /** The message that `snippet` is from. */
    snippet_message_id: z.string().nullable(),
  })
  .meta({ id: "ChatListItem" })
export type ChatListItem = z.output<typeof ChatListItem>

export const ChatListQuery = ListQuery.extend({
  order_by: z.enum(["updated_at", "created_at", "title"]).default("updated_at"),
  direction: z.enum(["asc", "desc"]).default("desc"),
  folder: z.string().max(100).optional(),
  without_folder: z.stringbool().default(false),
  tag: z.string().max(50).optional(),
  pinned: z.stringbool().optional(),
  /** Archived chats are listed only if requested. */
  archived: z.stringbool().default(false),
})
export type ChatListQuery = z.output<typeof ChatListQuery>

export const NewChat = z
  .object({
    title: Title.optional(),
    folder: FolderName.nullable().default(null),
    tags: Tags.default([]),
    models: Models.default([]),
    system: System.default(""),
    params: Params.default({}),
  })
  .meta({ id: "NewChat" })
export type NewChat = z.output<typeof NewChat>

export const ChatChanges = z
  .object({
    title: Title,
    folder: FolderName.nullable(),
    tags: Tags,
    pinned: z.boolean(),
    archived: z.boolean(),
    models: Models,
    system: System,
    params: Params,
    current_id: z.string().max(200),
  })
  .partial()
  .meta({ id: "ChatChanges" })
export type ChatChanges = z.output<typeof ChatChanges>

const isImageUrl = (url: string): boolean => {
  const [head = ""] = url.slice(0, 40).split(",", 1)
  const isImage = /^data:image\/(png|jpeg|gif|webp);base64$/.test(head)
  return isImage && isBase64(url.slice(head.length + 1))
}

const ImageUrl = z
  .string()
  .max(28_000_000, "Use an image of at most 20 MB.")
  .refine(isImageUrl, "Use a data URL of a PNG, JPEG, GIF or WebP image.")

/**
 * Sends a message or continues. With `content`, a new message is added below `parent_id`; without
 * it, the user message `parent_id` is answered again. `continue_id` continues an answer that ended
 * early.
 */
export const NewMessage = z
  .object({
    /** Defaults to the last message of the current branch; null starts a branch at the root. */
    parent_id: z.string().max(200).nullable().optional(),
    continue_id: z.string().max(200).optional(),
    content: z.string().max(2_000_000).optional(),
    images: z.array(ImageUrl).max(10).default([]),
    /** Sources for the answer, in addition to those attached to the model. */
    files: z.array(FileReference).max(100).default([]),
    /** Defaults to the chat's models. */
    models: Models.optional(),
  })
  .meta({ id: "NewChatMessage" })
export type NewMessage = z.output<typeof NewMessage>

export const StartedAnswers = z
  .object({ messages: z.array(Message), seq: z.int() })
  .meta({ id: "StartedAnswers" })
export type StartedAnswers = z.output<typeof StartedAnswers>

export const ChatLabels = z
  .object({ folders: z.array(z.string()), tags: z.array(z.string()) })
  .meta({ id: "ChatLabels" })
export type ChatLabels = z.output<typeof ChatLabels>

/** The generation fields of a message that no model has written. */
export const emptyGenerationFields = {
  finish_reason: null,
  error: null,
  request_id: null,
  tokens_in: null,
  tokens_out: null,
  estimated: false,
  time_to_first_token_ms: null,
  duration_ms: null,
  thinking_ms: null,
  cost: null,
  edited: false,
  rating: null,
} as const
