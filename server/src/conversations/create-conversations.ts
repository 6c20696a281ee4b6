import type { Logger } from "pino"
import type { Audit } from "../audit/audit.ts"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import type { Completions } from "../completions/completions.ts"
import type { FairEventLoop } from "../concurrency/fair-event-loop.ts"
import type { UserLimits } from "../concurrency/user-limits.ts"
import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import type { Database } from "../db/database.ts"
import type { RowLimits } from "../db/row-limits.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import type { SseOptions } from "../http/sse-response.ts"
import type { Attachments } from "../knowledge/citations/attachments.ts"
import type { ModelCatalogue } from "../models/catalogue.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { createAnswerEdits } from "./answers/answer-edits.ts"
import { createAnswers } from "./answers/answers.ts"
import { createChatCopy } from "./chats/chat-copy.ts"
import { createChatRedaction } from "./chats/chat-redaction.ts"
import { createChatStore } from "./chats/chat-store.ts"
import { createChatTransfer } from "./chats/chat-transfer.ts"
import { createChats } from "./chats/chats.ts"
import { startTitleGeneration } from "./chats/title-generation.ts"
import { createChangeEventStream } from "./events/change-event-stream.ts"
import { createChatEventLogs } from "./events/chat-event-log.ts"
import { createChatEventStream } from "./events/chat-event-stream.ts"
import { createChatExport } from "./import-export/chat-export.ts"
import { createChatImporter } from "./import-export/chat-importer.ts"
import { createMessageSender } from "./messages/message-sender.ts"
import { createMessageStore, messageBytes } from "./messages/message-store.ts"
import { createProjectStore } from "./projects/project-store.ts"
import { createProjects } from "./projects/projects.ts"
import { createRatingStore } from "./ratings/rating-store.ts"

interface Deps {
  background: BackgroundTasks
  db: Database
  bus: Bus
  audit: Audit
  settings: SettingsStore
  inFlight: InFlightRequests
  registry: ConnectionRegistry
  catalogue: ModelCatalogue
  completions: Completions
  attaching: Attachments
  storage: StorageQuota
  limits: Pick<UserLimits, "answers" | "bodies" | "replies">
  fairLoop: FairEventLoop
  rowLimits: RowLimits
  nameOfUser: Parameters<typeof createChats>[0]["nameOfUser"]
  readersOf: Parameters<typeof createChangeEventStream>[0]["readersOf"]
  standings: Parameters<typeof createChangeEventStream>[0]["standings"]
  /** A user's instructions for all of their chats. */
  personalInstructions: (userId: string) => Promise<string>
  streams: SseOptions
  log: Logger
  newId: () => string
  now: () => number
}

/** Creates the services for conversations, in order of their dependencies. */
export const createConversations = async (deps: Deps) => {
  const { db, storage, registry } = deps
  const store = createChatStore(db)
  const messages = createMessageStore(db)
  const eventLogs = createChatEventLogs()
  const answers = createAnswers({ ...deps, store: messages, eventLogs })
  const redaction = createChatRedaction(deps.attaching)
  const projects = createProjects({ ...deps, projectStore: createProjectStore(db) })
  const sharedDeps = { ...deps, store, messages, answers, eventLogs, redaction, projects }
  const chats = createChats(sharedDeps)
  const ratings = createRatingStore(db)
  startTitleGeneration(sharedDeps)
  // The length was unknown beforehand; if it exceeds the limit, the next prompt is rejected.
  answers.onEnd(({ chat, message }) => storage.recordStored(chat.user_id, messageBytes(message)))
  await answers.recover()
  const importer = createChatImporter(deps)
  const chatExport = createChatExport({ ...sharedDeps, chats })
  return {
    chats,
    chatTransfer: createChatTransfer(deps),
    projects,
    answers,
    ratings,
    answerEdits: createAnswerEdits({ ...sharedDeps, chats, ratings }),
    messageSender: createMessageSender({ ...sharedDeps, chats }),
    chatExport,
    copyChat: createChatCopy({ ...sharedDeps, chats, chatExport, importer }),
    streamEvents: createChatEventStream({ ...sharedDeps, chats }),
    streamChangeEvents: createChangeEventStream({ ...deps, onModelsChange: registry.onChange }),
    importer,
    close: async (): Promise<void> => {
      await answers.close()
      await importer.close()
    },
  }
}
