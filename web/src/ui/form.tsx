import { useBlocker } from "@tanstack/react-router"
import { Check } from "lucide-react"
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { t, translateServerMessage } from "../i18n/translate.ts"
import { ApiError } from "../lib/api.ts"
import { useShortcut } from "../lib/shortcuts.ts"
import { Button } from "./button.tsx"
import { ConfirmDialog } from "./confirm-dialog.tsx"
import { ErrorNote } from "./error-note.tsx"
import { FieldChange } from "./field.tsx"

/** A form's values and the saved values they are compared with. */
export const useDraft = <T extends object>(initial: T) => {
  const [base, setBase] = useState(initial)
  const [values, setValues] = useState(initial)
  const set = (changes: Partial<T>): void => setValues((before) => ({ ...before, ...changes }))
  /** Call it when all values have been saved. */
  const markSaved = (saved: T): void => {
    setBase(saved)
    setValues(saved)
  }
  /** Call it when some fields have been saved; other changes remain unsaved. */
  const markFieldsSaved = (saved: Partial<T>): void => {
    setBase((before) => ({ ...before, ...saved }))
    set(saved)
  }
  const dirty = JSON.stringify(base) !== JSON.stringify(values)
  return { base, values, set, markSaved, markFieldsSaved, dirty }
}

/** The gateway's validation message for a field, in the user's language. */
export const fieldError = (error: unknown, ...paths: string[]): string | undefined => {
  if (!(error instanceof ApiError)) return undefined
  const found = error.errors.find(({ path }) =>
    paths.some((prefix) => path === prefix || path.startsWith(`${prefix}.`)),
  )
  return found && translateServerMessage(found.message)
}

interface FormProps {
  dirty: boolean
  saving: boolean
  error: unknown
  /** Fields that show their own errors, which the form therefore does not repeat. */
  fields?: readonly string[]
  onSave: () => void
  action?: string
  /** Allows submitting without changes, for new objects. */
  always?: boolean
  saved?: boolean
  children: ReactNode
  /** Shown next to the save button. */
  extraActions?: ReactNode
}

/** A form that saves with ⌘S, shows unsaved changes, and asks before discarding them. */
export const Form = (props: FormProps) => {
  const { dirty, saving, error, fields = [], onSave, action, always = false, saved } = props
  const form = useRef<HTMLFormElement>(null)
  const blocker = useBlocker({
    shouldBlockFn: () => dirty && !saving && !saved,
    enableBeforeUnload: () => dirty && !saved,
    withResolver: true,
  })
  // The last error whose fields the user has begun to correct.
  const [corrected, setCorrected] = useState<unknown>(null)
  const canSave = always || dirty
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const wrong = form.current?.querySelector<HTMLElement>("[data-problem]")
    if (wrong) wrong.focus()
    else if (!saving && canSave) onSave()
  }
  useShortcut("mod+s", () => form.current?.requestSubmit())

  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [error])

  const hasFieldErrors = error instanceof ApiError && error.errors.length > 0
  const isShownInFields =
    hasFieldErrors && error.errors.every(({ path }) => fields.includes(path.split(".")[0] ?? ""))
  const asksForCorrection = isShownInFields && corrected !== error
  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
      <FieldChange value={() => setCorrected(error)}>{props.children}</FieldChange>
      {error !== null && error !== undefined && !isShownInFields && <ErrorNote error={error} />}
      <div className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center gap-3 border-t border-line bg-bg px-4 py-3 wide:mx-0 wide:px-0">
        <Button type="submit" variant="primary" busy={saving} disabled={!canSave}>
          {action ?? t("action.save")}
        </Button>
        {props.extraActions}
        <span role="status" className="flex items-center gap-1.5 text-xs text-muted">
          {asksForCorrection && <span className="text-danger">{t("form.check")}</span>}
          {!asksForCorrection && dirty && !always && t("form.unsaved")}
          {!dirty && saved && (
            <>
              <Check aria-hidden className="size-3.5 text-ok" /> {t("form.saved")}
            </>
          )}
        </span>
      </div>
      <ConfirmDialog
        open={blocker.status === "blocked"}
        onClose={() => blocker.reset?.()}
        title={t("form.leaveTitle")}
        action={t("form.leaveAction")}
        onConfirm={() => blocker.proceed?.()}
      >
        {t("form.leave")}
      </ConfirmDialog>
    </form>
  )
}
