import { useBlocker, useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { ChatHeader, focusSettingsButton } from "./chat-header.tsx"
import { useChatModels, useDefaultModels } from "./chat-models.ts"
import { emptySettings } from "./chat-settings.ts"
import { ChatView } from "./chat-view.tsx"
import "./chat.css"
import { ModelPicker } from "./model-picker.tsx"
import { SettingsPane } from "./settings-pane.tsx"
import { useTemporaryChat } from "./use-temporary-chat.ts"

/** Asks before the messages are lost. */
const LeaveDialog = ({ hasMessages }: { hasMessages: boolean }) => {
  const blocker = useBlocker({
    shouldBlockFn: () => hasMessages,
    enableBeforeUnload: () => hasMessages,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      open={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={t("temporary.leaveTitle")}
      action={t("temporary.leaveAction")}
      onConfirm={() => blocker.proceed?.()}
    >
      {t("temporary.leave")}
    </ConfirmDialog>
  )
}

const Greeting = () => (
  <div className="flex flex-col items-center gap-1 text-center">
    <p className="text-xl font-semibold tracking-tight">{t("temporary.title")}</p>
    <p className="text-sm text-balance text-muted">{t("temporary.lead")}</p>
  </div>
)

/** `/temporary`: a chat that is not saved. */
export const TemporaryChatPage = () => {
  const { model } = useSearch({ strict: false })
  const { models, favourites } = useChatModels()
  const defaults = useDefaultModels(models, model)
  const [picked, setPicked] = useState<string[] | null>(null)
  const [settings, setSettings] = useState(emptySettings)
  const [pane, setPane] = useState(false)
  const chosen = picked ?? defaults
  const { chat, backend } = useTemporaryChat(chosen, settings)
  const hasMessages = chat.messages.length > 0
  const title = t("temporary.title")
  useEffect(() => {
    document.title = `${title} · Portico`
  }, [title])

  return (
    <div className="absolute inset-0 flex">
      <div className="flex min-w-0 flex-1 flex-col">
        <ChatHeader
          chat={null}
          isTemporary
          {...{ title, chosen, pane }}
          onPane={setPane}
          picker={
            <ModelPicker {...{ models, favorites: favourites, chosen }} onChosen={setPicked} />
          }
        />
        {hasMessages && (
          <p className="border-b border-line bg-surface px-4 py-1.5 text-center text-xs text-muted">
            {t("temporary.note")}
          </p>
        )}
        <ChatView
          {...{ chat, models, chosen, backend }}
          onChosen={setPicked}
          greeting={<Greeting />}
        />
      </div>
      {pane && (
        <SettingsPane
          draft={settings}
          onDraft={setSettings}
          onClose={() => {
            setPane(false)
            focusSettingsButton()
          }}
        />
      )}
      <LeaveDialog hasMessages={hasMessages} />
    </div>
  )
}
