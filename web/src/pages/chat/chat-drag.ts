import type { DragEvent } from "react"
import { readSelection } from "./chat-selection.ts"

const chatsType = "application/x-portico-chats"

/** Starts dragging a chat, or all selected chats if it is one of them. */
export const startChatDrag = (event: DragEvent, id: string): void => {
  const selection = readSelection()
  const ids = selection?.has(id) ? [...selection.keys()] : [id]
  event.dataTransfer.setData(chatsType, JSON.stringify(ids))
  event.dataTransfer.effectAllowed = "move"
}

export const carriesChats = (event: DragEvent): boolean =>
  event.dataTransfer.types.includes(chatsType)

export const readDraggedChats = (event: DragEvent): string[] => {
  const ids: unknown = JSON.parse(event.dataTransfer.getData(chatsType) || "[]")
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []
}
