import { useBlocker, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { ChatLayout, useChosenModels } from "./chat-layout.tsx"
import { emptySettings } from "./chat-settings.ts"
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
  const [chosen, onChosen] = useChosenModels(null, model)
  const [draft, setDraft] = useState(emptySettings)
  const [pane, onPane] = useState(false)
  const { chat, backend } = useTemporaryChat(chosen, draft)
  const hasMessages = chat.messages.length > 0
  return (
    <ChatLayout
      isTemporary
      {...{ chat, chosen, onChosen, backend, pane, onPane }}
      title={t("temporary.title")}
      settings={{ draft, setDraft }}
      greeting={<Greeting />}
      notice={
        hasMessages && (
          <p className="border-b border-line bg-surface px-4 py-1.5 text-center text-xs text-muted">
            {t("temporary.note")}
          </p>
        )
      }
    >
      <LeaveDialog hasMessages={hasMessages} />
    </ChatLayout>
  )
}
