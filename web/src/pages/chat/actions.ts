import type { ChatWithMessages, Message } from "../../lib/chat-api.ts"
import { chatApi, imageUrl, patchChat } from "../../lib/chat-api.ts"
import { newestBelow } from "../../lib/chat-tree.ts"
import { fetchImage } from "./images.ts"

/** Actions on the messages of a chat; each rejects when the gateway returns an error. */
export const messageActions = (chat: ChatWithMessages) => {
  const show = async (id: string): Promise<void> => {
    patchChat(chat.id, (known) => ({ ...known, current_id: id }))
    if (chat.writable) await chatApi.change(chat.id, { current_id: id })
  }
  return {
    /** Sends an edited message as an alternative to the original. */
    reword: async (message: Message, content: string): Promise<void> => {
      const urls = message.images.map(({ id }) => imageUrl(chat.id, id))
      const images = await Promise.all(urls.map(fetchImage))
      const { parent_id, files } = message
      await chatApi.say(chat.id, { parent_id, content, images, files })
    },

    /** Regenerates answers with the same models, as an alternative. */
    again: async (messages: readonly Message[]): Promise<void> => {
      const [first] = messages
      if (!first) return
      const models = messages.flatMap(({ model }) => model ?? [])
      await chatApi.say(chat.id, { parent_id: first.parent_id, models })
    },

    goOn: async ({ id }: Message): Promise<void> => {
      await chatApi.say(chat.id, { continue_id: id })
    },

    /** Shows another alternative and its newest replies. */
    way: ({ id }: Message): Promise<void> => show(newestBelow(chat.messages, id)),

    /** Continues the chat from this one of several answers. */
    choose: ({ id }: Message): Promise<void> => show(newestBelow(chat.messages, id)),
  }
}
