import { Dialog } from "@base-ui/react/dialog"
import { useMutation, useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { type Chat, chatApi, labelsQuery } from "../../lib/chat-api.ts"
import { Button } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Field, Input, TextField } from "../../ui/field.tsx"
import { TokensField } from "../../ui/tokens-field.tsx"

type ChatSubject = Pick<Chat, "id" | "title" | "tags" | "shared">

interface FormDialogProps {
  title: string
  onClose: () => void
  /** Label of the submit button; without it, there is only "Close". */
  action?: string
  onSubmit?: () => Promise<void>
  /** Keeps the dialog open after submission, to show something else. */
  staysOpen?: boolean
  children: ReactNode
}

export const FormDialog = (props: FormDialogProps) => {
  const { title, onClose, action, onSubmit, staysOpen = false, children } = props
  const submit = useMutation({
    mutationFn: async () => onSubmit?.(),
    onSuccess: () => {
      if (!staysOpen) onClose()
    },
  })
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 z-50 w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-lg border border-line bg-raised p-5 shadow-float">
          <form
            className="flex flex-col gap-4"
            onSubmit={(event) => {
              event.preventDefault()
              submit.mutate()
            }}
          >
            <Dialog.Title className="text-base font-semibold">{title}</Dialog.Title>
            {children}
            {submit.error && <ErrorNote error={submit.error} />}
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={onClose}>{t(action ? "action.cancel" : "action.close")}</Button>
              {action && (
                <Button type="submit" variant="primary" busy={submit.isPending}>
                  {action}
                </Button>
              )}
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface DialogProps {
  chat: ChatSubject
  onClose: () => void
}

export const RenameDialog = ({ chat, onClose }: DialogProps) => {
  const [title, setTitle] = useState(chat.title)
  return (
    <FormDialog
      title={t("chat.rename")}
      action={t("action.save")}
      onClose={onClose}
      onSubmit={() => chatApi.update(chat.id, { title })}
    >
      <TextField
        label={t("label.title")}
        value={title}
        onValue={setTitle}
        maxLength={200}
        autoFocus
        required
        onFocus={(event) => event.target.select()}
      />
    </FormDialog>
  )
}

export const TagsDialog = ({ chat, onClose }: DialogProps) => {
  const { data } = useQuery(labelsQuery)
  const [tags, setTags] = useState<string[]>([...chat.tags])
  return (
    <FormDialog
      title={t("chat.editTags")}
      action={t("action.save")}
      onClose={onClose}
      onSubmit={() => chatApi.update(chat.id, { tags })}
    >
      <TokensField
        label={t("label.tags")}
        values={tags}
        onValues={setTags}
        suggestions={data?.tags ?? []}
      />
    </FormDialog>
  )
}

export const ShareDialog = ({ chat, onClose }: DialogProps) => {
  const [shared, setShared] = useState(chat.shared)
  const link = `${window.location.origin}/s/${chat.id}`
  const unshare = useMutation({
    mutationFn: () => chatApi.share(chat.id, false),
    onSuccess: onClose,
  })
  if (!shared) {
    return (
      <FormDialog
        key="share"
        staysOpen
        title={t("chat.share")}
        action={t("chat.share")}
        onClose={onClose}
        onSubmit={() => chatApi.share(chat.id, true).then(() => setShared(true))}
      >
        <p className="text-sm text-muted">{t("chat.shareLead")}</p>
      </FormDialog>
    )
  }
  return (
    <FormDialog key="shared" title={t("chat.shared")} onClose={onClose}>
      <p className="text-sm text-muted">{t("chat.shareLead")}</p>
      <Field label={t("chat.shareLink")}>
        {(controlProps) => (
          <div className="flex gap-2">
            <Input
              {...controlProps}
              readOnly
              value={link}
              onFocus={(event) => event.target.select()}
            />
            <CopyButton text={link} label={t("action.copyLink")} />
          </div>
        )}
      </Field>
      {unshare.error && <ErrorNote error={unshare.error} />}
      <Button variant="danger" className="self-start" onClick={() => unshare.mutate()}>
        {t("chat.unshare")}
      </Button>
    </FormDialog>
  )
}
