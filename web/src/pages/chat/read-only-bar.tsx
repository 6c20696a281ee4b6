import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { CopyPlus } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { chatApi } from "../../lib/chat-api.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"

/** In place of the composer in a chat that somebody else shares. */
export const ReadOnlyBar = ({ chatId, ownerName }: { chatId: string; ownerName: string }) => {
  const navigate = useNavigate()
  const copy = useMutation({
    mutationFn: async () => {
      const id = await chatApi.copy(chatId)
      await navigate({ to: "/c/$chatId", params: { chatId: id } })
    },
  })
  return (
    <div className="flex flex-col gap-2">
      {copy.error && <ErrorNote error={copy.error} />}
      <div className="flex flex-wrap items-center justify-between gap-2 rounded border border-line bg-surface px-3 py-2 text-sm text-muted">
        <p>{t("answer.sharedBy", { name: ownerName })}</p>
        <Button icon={CopyPlus} busy={copy.isPending} onClick={() => copy.mutate()}>
          {t("answer.copyChat")}
        </Button>
      </div>
    </div>
  )
}
