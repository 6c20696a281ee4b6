import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { type ChatChanges, chatApi } from "../../lib/chat-api.ts"
import { lazyComponent } from "../../lib/lazy-component.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { LazyPopup } from "../../ui/lazy-popup.tsx"

const FormDialog = lazyComponent(async () => (await import("./chat-dialogs.tsx")).FormDialog)

interface Failure {
  ids: readonly string[]
  changes: ChatChanges
  error: unknown
}

/**
 * Makes the same change to several chats.
 * @returns the chats that could not be changed, and why
 */
export const changeChats = async (
  ids: readonly string[],
  changes: ChatChanges,
): Promise<Failure | null> => {
  const failedIds: string[] = []
  let error: unknown = null
  for (const id of ids) {
    try {
      await chatApi.update(id, changes)
    } catch (reason) {
      failedIds.push(id)
      error = reason
    }
  }
  return failedIds.length === 0 ? null : { ids: failedIds, changes, error }
}

/** Changes chats; `dialog` reports a failure and offers to try again. */
export const useChangeChats = () => {
  const [failure, setFailure] = useState<Failure | null>(null)
  /** @returns whether all chats were changed */
  const change = async (ids: readonly string[], changes: ChatChanges): Promise<boolean> => {
    setFailure(null)
    const failed = await changeChats(ids, changes)
    setFailure(failed)
    return failed === null
  }
  const dialog = failure && (
    <LazyPopup onCancel={() => setFailure(null)}>
      <FormDialog
        title={t("chat.notChanged", { count: failure.ids.length })}
        onClose={() => setFailure(null)}
      >
        <ErrorNote error={failure.error} retry={() => void change(failure.ids, failure.changes)} />
      </FormDialog>
    </LazyPopup>
  )
  return { change, dialog }
}
