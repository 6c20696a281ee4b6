import { z } from "zod"

const Bytes = z.int().min(0)

/** Bytes by category. */
export const StorageBreakdown = z.object({
  /** Uploaded files, including unfinished uploads. */
  files: Bytes,
  /** Text extracted from files, one byte per character, and the questions of collections. */
  text: Bytes,
  /** Messages, reasoning, cited passages and prompts of chats. */
  chats: Bytes,
  /** Images in chats. */
  images: Bytes,
  /** Settings and prompts of workspace models. */
  models: Bytes,
  /** Prompts of the prompt library, and instructions for all chats. */
  prompts: Bytes,
  /** Responses of the Responses API, with their input. */
  responses: Bytes,
  /** Versions of functions, and the values that functions store. */
  functions: Bytes,
})
export type StorageBreakdown = z.output<typeof StorageBreakdown>

export const StorageUsage = z
  .object({
    /** Bytes that the user may store (`MAX_STORAGE`). */
    limit: Bytes,
    used: Bytes,
    breakdown: StorageBreakdown,
  })
  .meta({ id: "StorageUsage" })
export type StorageUsage = z.output<typeof StorageUsage>
