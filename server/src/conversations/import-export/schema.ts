import { z } from "zod"
import {
  ChatAttachment,
  ChatPassage,
  ChatSkippedSource,
  maxFilesPerMessage,
  maxPassagesPerAnswer,
  maxSkippedSources,
} from "../answers/source-schema.ts"
import { isBase64 } from "../messages/is-base64.ts"
import { Chat, Message, MessageRating } from "../schema.ts"

const State = z.enum(["completed", "stopped", "failed", "interrupted"])

/** What an import reads of an exported message, or of one written by another program. */
export const MessageToImport = z.object({
  id: z.string().min(1).max(200),
  parent_id: z.string().max(200).nullable().default(null),
  batch: z.string().max(200).nullable().default(null),
  role: z.enum(["user", "assistant"]),
  model: z.string().max(300).nullable().default(null),
  content: z.string().max(8_000_000),
  reasoning: z.string().max(8_000_000).default(""),
  images: z
    .array(
      z.object({
        media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
        base64: z
          .string()
          .max(28_000_000)
          .refine((text) => text === "" || isBase64(text), "Use base64 with padding."),
      }),
    )
    .max(10)
    .default([]),
  files: z.array(ChatAttachment).max(maxFilesPerMessage).default([]),
  /** With their texts; the answer cites entry i as [i + 1]. */
  sources: z.array(ChatPassage.nullable()).max(maxPassagesPerAnswer).nullable().default(null),
  sources_skipped: z
    .array(ChatSkippedSource)
    .max(10_000)
    .transform((skipped) => skipped.slice(0, maxSkippedSources))
    .default([]),
  state: State.catch("completed"),
  edited: z.boolean().default(false),
  /** Exported, but not imported: a copy of a rated answer does not count again. */
  rating: MessageRating.nullable().catch(null).default(null),
  created_at: z.int().min(0),
})
export type MessageToImport = z.output<typeof MessageToImport>

export const ChatToImport = z
  .object({
    /** Its id where it was exported; tells an import whether the chat is already there. */
    id: z.string().min(1).max(200).optional(),
    title: z.string().max(200),
    folder: z.string().max(100).nullable().default(null),
    tags: z.array(z.string().min(1).max(50)).max(20).default([]),
    models: z.array(z.string().max(300)).max(6).default([]),
    system: z.string().max(200_000).default(""),
    params: z.record(z.string().max(100), z.unknown()).default({}),
    current_id: z.string().max(200).nullable().default(null),
    created_at: z.int().min(0),
    updated_at: z.int().min(0),
    messages: z.array(MessageToImport).max(20_000),
  })
  .meta({ id: "ChatToImport" })
export type ChatToImport = z.output<typeof ChatToImport>

const ExportedMessage = Message.extend({
  images: z.array(z.object({ media_type: z.string(), base64: z.string() })),
  /** With their texts; the answer cites entry i as [i + 1]. */
  sources: z.array(ChatPassage.nullable()).nullable(),
  state: State,
}).meta({ id: "ExportedMessage" })

/** A complete chat as a file, with all branches. */
export const ExportedChat = Chat.omit({ user_id: true, pinned: true, archived: true, shared: true })
  .extend({ messages: z.array(ExportedMessage) })
  .meta({ id: "ExportedChat" })

export const ExportedChats = z
  .object({ portico_chats: z.literal(1), chats: z.array(ExportedChat) })
  .meta({ id: "ExportedChats" })

export const ExportAllQuery = z.object({
  /** IDs of the chats to export, separated by commas; all chats without it. */
  ids: z
    .string()
    .max(8000)
    .transform((text) => text.split(","))
    .pipe(z.array(z.string().min(1).max(200)).max(200))
    .optional(),
})

export const ExportQuery = z.object({ format: z.enum(["json", "markdown"]).default("json") })

export const ChatImport = z
  .union([
    z.object({ chats: z.array(ChatToImport).min(1).max(2000) }),
    z.object({ markdown: z.string().min(1).max(20_000_000) }),
  ])
  .meta({ id: "ChatImport" })
export type ChatImport = z.output<typeof ChatImport>

export const ChatImportQuery = z.object({
  /** Leaves out chats that the caller has already, such as those of an earlier import. */
  skip_existing: z.stringbool().default(false),
})
export type ChatImportQuery = z.output<typeof ChatImportQuery>

export const ChatImportResult = z
  .object({
    ids: z.array(z.string()),
    /** The number of chats left out because of `skip_existing`. */
    skipped: z.int(),
  })
  .meta({ id: "ChatImported" })
export type ChatImportResult = z.output<typeof ChatImportResult>
