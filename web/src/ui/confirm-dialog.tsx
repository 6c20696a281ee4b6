import { AlertDialog } from "@base-ui/react/alert-dialog"
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react"
import type { ObjectsInUse } from "../../../server/src/http/in-use.ts"
import { t } from "../i18n/translate.ts"
import { ApiError } from "../lib/api.ts"
import { AffectedObjects } from "./affected-objects.tsx"
import { Button } from "./button.tsx"
import { classes } from "./classes.ts"
import { ErrorNote } from "./error-note.tsx"
import { Input } from "./field.tsx"

export interface ConfirmDialogProps {
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
  /** Fields in the dialog that show their own errors. */
  fields?: readonly string[]
  /** False while the dialog's own fields lack a value. */
  ready?: boolean
  /** @param confirm set once the user has seen what the deletion takes from others */
  onConfirm: (confirm?: "delete") => Promise<unknown> | unknown
}

const isShownByField = (error: unknown, fields: readonly string[]): boolean =>
  error instanceof ApiError && error.errors.some(({ path }) => fields.includes(path))

interface ConsequencesProps {
  inUse: ObjectsInUse
  accepted: boolean
  onAccepted: (accepted: boolean) => void
}

/** Lists what a deletion takes from others, and asks whether to delete it all the same. */
const Consequences = ({ inUse, accepted, onAccepted }: ConsequencesProps) => {
  const list = useRef<HTMLElement>(null)
  // The confirming button, which had the focus, is disabled until this is accepted.
  useEffect(() => list.current?.focus(), [])
  return (
    <div className="flex flex-col gap-3">
      <p role="alert" className="text-sm">
        {t("objects.refused")}
      </p>
      <AffectedObjects ref={list} inUse={inUse} label={t("objects.refused")} />
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={accepted}
          onChange={(event) => onAccepted(event.target.checked)}
          className="size-4 accent-accent"
        />
        {t("objects.accept")}
      </label>
    </div>
  )
}

/** Asks for confirmation; stays open with the error if the action fails. */
export const ConfirmDialog = (props: ConfirmDialogProps) => {
  const { open, onClose, title, children, action, danger = false, typed, onConfirm } = props
  const { wide = false, ready = true, fields = [] } = props
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const confirming = useRef<HTMLButtonElement>(null)
  const [text, setText] = useState("")
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [accepted, setAccepted] = useState(false)
  // What the deletion would take from others, if that is why it was refused.
  const inUse = error instanceof ApiError ? error.inUse : null
  const isDisabled =
    !ready || (typed !== undefined && text !== typed) || (inUse !== null && !accepted)

  const close = (): void => {
    setText("")
    setError(null)
    setAccepted(false)
    onClose()
  }
  const confirm = async (): Promise<void> => {
    if (busy || isDisabled) return
    setBusy(true)
    try {
      await onConfirm(accepted ? "delete" : undefined)
      close()
    } catch (reason) {
      setAccepted(false)
      setError(reason)
    } finally {
      setBusy(false)
    }
  }

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    // Not to the form of the page, in which the dialog may be.
    event.stopPropagation()
    void confirm()
  }
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [error])

  return (
    // What has begun cannot be cancelled, and its error would be missed.
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && !busy && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <AlertDialog.Popup
          {...(wide && { initialFocus: confirming })}
          className={classes(
            "fixed top-1/2 left-1/2 z-50 max-h-[calc(100vh-2rem)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-float",
            wide ? "w-[min(56rem,calc(100vw-2rem))]" : "w-[min(28rem,calc(100vw-2rem))]",
          )}
        >
          <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-3">
            <AlertDialog.Title className="text-base font-semibold break-words">
              {title}
            </AlertDialog.Title>
            <AlertDialog.Description render={<div />} className="text-sm break-words text-muted">
              {children}
            </AlertDialog.Description>
            {typed !== undefined && (
              <label htmlFor={id} className="flex flex-col gap-1.5 text-sm">
                <span>
                  {t("confirm.type")} <strong className="wrap-anywhere">{typed}</strong>
                </span>
                <Input
                  id={id}
                  autoComplete="off"
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                />
              </label>
            )}
            {inUse && <Consequences inUse={inUse} accepted={accepted} onAccepted={setAccepted} />}
            {error !== null && !inUse && !isShownByField(error, fields) && (
              <ErrorNote error={error} />
            )}
            <div className="mt-1 flex flex-wrap justify-end gap-2">
              <AlertDialog.Close
                render={<Button aria-disabled={busy}>{t("action.cancel")}</Button>}
              />
              <Button
                ref={confirming}
                type="submit"
                variant={danger ? "danger" : "primary"}
                busy={busy}
                disabled={isDisabled}
              >
                {action}
              </Button>
            </div>
          </form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
