import { workerData } from "node:worker_threads"
import { type DatabaseLocation, openBackgroundWriter } from "../db/background-writer.ts"
import { serveRequests } from "../db/worker-client.ts"
import { fail } from "../errors.ts"
import { giveWay } from "../limits/thread-priority.ts"
import type { ExportedChat } from "./import-export-schema.ts"
import { readImport } from "./import-file.ts"
import { bytesOfNewChat, insertNewChat, type NewChat, newChatOf } from "./imported-conversation.ts"
import type { Answer, Question } from "./importer.ts"
import { fromMarkdown } from "./markdown.ts"

/** Runs in its own worker thread, which `importer.ts` calls. */
giveWay(10)
const db = await openBackgroundWriter(workerData as DatabaseLocation)

type Brought = Extract<Question, { step: "check" }>

interface Import {
  userId: string
  left: Iterator<ExportedChat>
  /** The next chat to write. */
  chat: NewChat | null
}

let running: Import | null = null

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

interface Checked {
  chats: Iterable<ExportedChat>
  count: number
  /** The storage that they will take. */
  bytes: number
}

/** Validates all chats before the first is stored. If there are several, none is kept in memory. */
const chatsIn = ({ userId, bytes, members }: Brought): Checked => {
  const sizeOf = (chat: ExportedChat): number => bytesOfNewChat(newChatOf(userId, chat))
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const imported = readImport({ bytes: buffer, members })
  if ("markdown" in imported) {
    const chat =
      fromMarkdown(imported.markdown, nowSeconds()) ??
      fail("invalid", "No conversation found in this Markdown.")
    return { chats: [chat], count: 1, bytes: sizeOf(chat) }
  }
  let count = 0
  let total = 0
  let only: ExportedChat | null = null
  for (const chat of imported.chats()) {
    only = count++ === 0 ? chat : null
    total += sizeOf(chat)
  }
  return { chats: only ? [only] : imported.chats(), count, bytes: total }
}

const underWay = (): Import => running ?? fail("unavailable", "The import timed out. Try again.")

/** @returns whether there is another chat */
const prepare = (): boolean => {
  const { userId, left } = underWay()
  const { value, done } = left.next()
  running = done ? null : { userId, left, chat: newChatOf(userId, value) }
  return !done
}

/** @returns the id of the new chat */
const write = async (): Promise<string> => {
  const { chat } = underWay()
  if (!chat) throw new Error("The import has no next chat")
  await db.transact((tx) => insertNewChat(tx, chat))
  return chat.chat.id
}

const answer = async (question: Question): Promise<Answer> => {
  if (question.step === "prepare") return prepare()
  if (question.step === "write") return write()
  const { chats, count, bytes } = chatsIn(question)
  running = { userId: question.userId, left: chats[Symbol.iterator](), chat: null }
  return { count, bytes }
}

serveRequests(async (question: Question) => {
  try {
    return await answer(question)
  } catch (error) {
    running = null
    throw error
  }
})
