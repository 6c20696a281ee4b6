import type { ChatWithMessages, Message } from "../../lib/chat-api.ts"
import { chatApi, imageUrl, patchChat } from "../../lib/chat-api.ts"
import { findNewestLeaf } from "../../lib/chat-tree.ts"
import { fetchAsDataUrl } from "./image-files.ts"

/** Actions on the messages of a chat; each rejects when the gateway returns an error. */
export const createMessageActions = (chat: ChatWithMessages) => {
  const showMessage = async (id: string): Promise<void> => {
    patchChat(chat.id, (known) => ({ ...known, current_id: id }))
    if (chat.writable) await chatApi.update(chat.id, { current_id: id })
  }
  return {
    /** Sends an edited message as an alternative to the original. */
    edit: async (message: Message, content: string): Promise<void> => {
      const urls = message.images.map(({ id }) => imageUrl(chat.id, id))
      const images = await Promise.all(urls.map(fetchAsDataUrl))
      const { parent_id, files } = message
      await chatApi.sendMessage(chat.id, { parent_id, content, images, files })
    },

    /** Regenerates answers as an alternative, by default with the same models. */
    regenerate: async (
      messages: readonly Message[],
      models: readonly string[] = messages.flatMap(({ model }) => model ?? []),
    ): Promise<void> => {
      const [first] = messages
      if (!first) return
      await chatApi.sendMessage(chat.id, { parent_id: first.parent_id, models: [...models] })
    },

    editAnswer: (message: Message, content: string): Promise<void> =>
      chatApi.editAnswer(message, content),

    rate: (message: Message, rating: Message["rating"]): Promise<void> =>
      chatApi.rateAnswer(message, rating),

    continueAnswer: async ({ id }: Message): Promise<void> => {
      await chatApi.sendMessage(chat.id, { continue_id: id })
    },

    /** Shows another alternative and its newest replies. */
    showAlternative: ({ id }: Message): Promise<void> =>
      showMessage(findNewestLeaf(chat.messages, id)),

    /** Continues the chat from this one of several answers. */
    chooseAnswer: ({ id }: Message): Promise<void> =>
      showMessage(findNewestLeaf(chat.messages, id)),
  }
}
export type MessageActions = ReturnType<typeof createMessageActions>
