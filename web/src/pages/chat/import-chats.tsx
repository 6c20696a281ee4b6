import { X } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import { chatApi } from "../../lib/chat-api.ts"
import { IconButton } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-note.tsx"

export interface ImportSummary {
  imported: number
  /** Chats that were already there. */
  skipped: number
  /** One message for each file that could not be imported. */
  failures: string[]
}

const failureText = (file: string, error: unknown): string =>
  error instanceof SyntaxError || (error instanceof ApiError && error.status === 422)
    ? t("chat.importFailed", { file })
    : t("chat.importFailedBecause", { file, reason: errorText(error) })

/** Imports the chats in files, one file after the other. */
export const importChatFiles = async (files: readonly File[]): Promise<ImportSummary> => {
  const summary: ImportSummary = { imported: 0, skipped: 0, failures: [] }
  for (const file of files) {
    try {
      await chatApi.import(file, ({ imported, skipped }) => {
        summary.imported += imported
        summary.skipped += skipped
      })
    } catch (error) {
      summary.failures.push(failureText(file.name, error))
    }
  }
  return summary
}

const resultText = ({ imported, skipped, failures }: ImportSummary): string | null => {
  if (skipped > 0) return t("chat.importedSome", { imported, skipped })
  return imported === 0 && failures.length > 0 ? null : t("chat.imported", { count: imported })
}

interface ImportStatusProps {
  /** Null before the first import and after the result was dismissed. */
  state: "busy" | ImportSummary | null
  onDismiss: () => void
}

/** Reports the progress and the result of an import. */
export const ImportStatus = ({ state, onDismiss }: ImportStatusProps) => (
  <div role="status" className="text-xs text-muted">
    {state === "busy" && <p className="px-2.5 py-1.5">{t("chat.importing")}</p>}
    {state !== null && state !== "busy" && (
      <div className="mt-1 flex items-start gap-1 rounded border border-line bg-bg py-1 pr-1 pl-2.5">
        <div className="min-w-0 flex-1 py-0.5 break-words">
          {resultText(state) !== null && <p>{resultText(state)}</p>}
          {state.failures.map((failure) => (
            <p key={failure} className="text-danger">
              {failure}
            </p>
          ))}
        </div>
        <IconButton icon={X} label={t("chat.dismiss")} className="size-6" onClick={onDismiss} />
      </div>
    )}
  </div>
)
