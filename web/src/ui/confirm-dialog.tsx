import { AlertDialog } from "@base-ui/react/alert-dialog"
import { type ReactNode, useId, useRef, useState } from "react"
import { t } from "../i18n/translate.ts"
import { Button } from "./button.tsx"
import { classes } from "./classes.ts"
import { ErrorNote } from "./error-note.tsx"
import { Input } from "./field.tsx"

interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** Label of the confirming button, a verb with its object: "Delete model". */
  action: string
  danger?: boolean
  /** A wide dialog for long content; the confirming button gets the initial focus. */
  wide?: boolean
  /** Text to type before confirming, for irreversible actions. */
  typed?: string
  onConfirm: () => Promise<unknown> | unknown
}

/** Asks for confirmation; stays open with the error if the action fails. */
export const ConfirmDialog = (props: ConfirmDialogProps) => {
  const { open, onClose, title, children, action, danger = false, typed, onConfirm } = props
  const { wide = false } = props
  const id = useId()
  const confirming = useRef<HTMLButtonElement>(null)
  const [text, setText] = useState("")
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  const close = (): void => {
    setText("")
    setError(null)
    onClose()
  }
  const confirm = async (): Promise<void> => {
    setBusy(true)
    try {
      await onConfirm()
      close()
    } catch (reason) {
      setError(reason)
    } finally {
      setBusy(false)
    }
  }

  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <AlertDialog.Popup
          {...(wide && { initialFocus: confirming })}
          className={classes(
            "fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100vh-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col gap-3 overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-float",
            wide ? "w-[min(56rem,calc(100vw-2rem))]" : "w-[min(28rem,calc(100vw-2rem))]",
          )}
        >
          <AlertDialog.Title className="text-base font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="text-sm text-muted">
            {children}
          </AlertDialog.Description>
          {typed !== undefined && (
            <label htmlFor={id} className="flex flex-col gap-1.5 text-sm">
              <span>
                {t("confirm.type")} <strong className="break-all">{typed}</strong>
              </span>
              <Input id={id} value={text} onChange={(event) => setText(event.target.value)} />
            </label>
          )}
          {error !== null && <ErrorNote error={error} />}
          <div className="mt-1 flex flex-wrap justify-end gap-2">
            <AlertDialog.Close render={<Button>{t("action.cancel")}</Button>} />
            <Button
              ref={confirming}
              variant={danger ? "danger" : "primary"}
              busy={busy}
              disabled={typed !== undefined && text !== typed}
              onClick={() => void confirm()}
            >
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
