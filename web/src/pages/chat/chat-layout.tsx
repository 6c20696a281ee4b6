import { type ReactNode, useEffect, useState } from "react"
import type { ChatWithMessages } from "../../lib/chat-api.ts"
import { ChatCostSection } from "./chat-cost.tsx"
import { ChatHeader, type ChatHeaderProps, focusSettingsButton } from "./chat-header.tsx"
import { ChatView, type ChatViewProps } from "./chat-view.tsx"
import "./chat.css"
import { useChatModels, useDefaultModels } from "./chat-models.ts"
import { SettingsPane, type SettingsPaneProps } from "./settings-pane.tsx"

/** The models of the next message: those picked, those of the chat, or the default. */
export const useChosenModels = (chat: ChatWithMessages | null, requestedId?: string) => {
  const { models } = useChatModels()
  const defaults = useDefaultModels(models, requestedId)
  const [picked, setPicked] = useState<string[] | null>(null)
  const current = chat && chat.models.length > 0 ? chat.models : defaults
  return [picked ?? current, setPicked] as const
}

interface ChatLayoutProps extends ChatViewProps, Omit<ChatHeaderProps, "chat"> {
  settings: Pick<SettingsPaneProps, "draft" | "setDraft">
  /** Shown below the header. */
  notice?: ReactNode
  /** Another pane beside the messages. */
  children?: ReactNode
}

/** A chat's header, messages and composer, and its settings beside them. */
export const ChatLayout = (props: ChatLayoutProps) => {
  const { title, project, isTemporary = false, pane, onPane, settings, notice, children } = props
  const { chat, chosen, onChosen, backend, greeting } = props
  useEffect(() => {
    document.title = `${title} · Portico`
  }, [title])
  const closePane = (): void => {
    onPane(false)
    focusSettingsButton()
  }
  return (
    <div className="absolute inset-0 flex">
      <div className="flex min-w-0 flex-1 flex-col">
        <ChatHeader {...{ chat, project, isTemporary, title, chosen, onChosen, pane, onPane }} />
        {notice}
        <ChatView {...{ chat, chosen, onChosen, backend, greeting }} />
      </div>
      {children}
      {pane && (
        <SettingsPane key={chat?.id ?? "new"} {...settings} onClose={closePane}>
          {chat && !isTemporary && <ChatCostSection chat={chat} />}
        </SettingsPane>
      )}
    </div>
  )
}
