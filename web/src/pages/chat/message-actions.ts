import {
  type ChatWithMessages,
  chatApi,
  chatQuery,
  imageUrl,
  type Message,
  patchChat,
} from "../../lib/chat-api.ts"
import { findNewestLeaf } from "../../lib/chat-tree.ts"
import { queryClient } from "../../lib/query-client.ts"
import { fetchAsDataUrl } from "./image-files.ts"

/** Actions on messages; each rejects with the gateway's error. */
export interface MessageActions {
  /** Sends an edited message as an alternative to the original. */
  edit: (message: Message, content: string) => Promise<void>
  /** Regenerates answers as an alternative, by default with the same models. */
  regenerate: (messages: readonly Message[], models?: readonly string[]) => Promise<void>
  /** Stores the user's version of an answer. */
  editAnswer: (message: Message, content: string) => Promise<void>
  rate: (message: Message, rating: Message["rating"]) => Promise<void>
  continueAnswer: (message: Message) => Promise<void>
  /** Shows a message with its newest replies; the chat continues from them. */
  showBranch: (message: Message) => Promise<void>
}

/** Actions on the messages of a chat that the gateway stores. */
export const storedMessageActions: MessageActions = {
  edit: async ({ chat_id, parent_id, files, images: stored }, content) => {
    const urls = stored.map(({ id }) => imageUrl(chat_id, id))
    const images = await Promise.all(urls.map(fetchAsDataUrl))
    await chatApi.sendMessage(chat_id, { parent_id, content, images, files })
  },
  regenerate: async (messages, models = messages.flatMap(({ model }) => model ?? [])) => {
    const [first] = messages
    if (!first) return
    const { chat_id, parent_id } = first
    await chatApi.sendMessage(chat_id, { parent_id, models: [...models] })
  },
  editAnswer: chatApi.editAnswer,
  rate: chatApi.rateAnswer,
  continueAnswer: async ({ chat_id, id }) => {
    await chatApi.sendMessage(chat_id, { continue_id: id })
  },
  showBranch: async ({ chat_id, id }) => {
    const chat = queryClient.getQueryData<ChatWithMessages>(chatQuery(chat_id).queryKey)
    if (!chat) return
    const current_id = findNewestLeaf(chat.messages, id)
    patchChat(chat_id, (known) => ({ ...known, current_id }))
    if (chat.writable) await chatApi.update(chat_id, { current_id })
  },
}
