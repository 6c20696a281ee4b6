import { type DragEvent, type ReactNode, useState } from "react"
import { classes } from "../../ui/classes.ts"
import { readChatSelection } from "./chat-selection.ts"

const chatsType = "application/x-portico-chats"

/** Starts dragging a chat, or all selected chats if it is one of them. */
export const startChatDrag = (event: DragEvent, id: string): void => {
  const selection = readChatSelection()
  const ids = selection?.has(id) ? [...selection.keys()] : [id]
  event.dataTransfer.setData(chatsType, JSON.stringify(ids))
  event.dataTransfer.effectAllowed = "move"
}

const carriesChats = (event: DragEvent): boolean => event.dataTransfer.types.includes(chatsType)

const readDraggedChats = (event: DragEvent): string[] => {
  const ids: unknown = JSON.parse(event.dataTransfer.getData(chatsType) || "[]")
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []
}

interface ChatDropTargetProps {
  onChats: (ids: string[]) => void
  className?: string
  children: ReactNode
}

/** An area of the sidebar that chats can be dropped on. The chat's menu is the accessible way. */
export const ChatDropTarget = ({ onChats, className, children }: ChatDropTargetProps) => {
  const [isOver, setOver] = useState(false)
  const accept = (event: DragEvent): void => {
    if (!carriesChats(event)) return
    event.preventDefault()
    setOver(true)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the menu of a chat is the accessible alternative
    <div
      className={classes("rounded", className, isOver && "bg-accent-soft ring-2 ring-accent")}
      onDragEnter={accept}
      onDragOver={accept}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
          setOver(false)
      }}
      onDrop={(event) => {
        setOver(false)
        if (!carriesChats(event)) return
        event.preventDefault()
        onChats(readDraggedChats(event))
      }}
    >
      {children}
    </div>
  )
}
