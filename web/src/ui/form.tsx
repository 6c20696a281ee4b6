import { useBlocker } from "@tanstack/react-router"
import { Check } from "lucide-react"
import { type FormEvent, type ReactNode, useState } from "react"
import { t, translateServerText } from "../i18n/translate.ts"
import { ApiError } from "../lib/api.ts"
import { useShortcut } from "../lib/shortcuts.ts"
import { Button } from "./button.tsx"
import { ConfirmDialog } from "./confirm-dialog.tsx"
import { ErrorNote } from "./error-note.tsx"
import { FieldChangeContext } from "./field.tsx"
import type { FormState } from "./use-form.ts"
import { useProblemFocus } from "./use-problem-focus.ts"

/** The gateway's validation message for a field, in the user's language. */
export const fieldError = (error: unknown, ...paths: string[]): string | undefined => {
  if (!(error instanceof ApiError)) return undefined
  const found = error.errors.find(({ path }) =>
    paths.some((prefix) => path === prefix || path.startsWith(`${prefix}.`)),
  )
  return found && translateServerText(found.message, found)
}

/** Whether fields with these names show all that is wrong. */
export const isShownInFields = (error: unknown, names: readonly string[]): boolean =>
  error instanceof ApiError &&
  error.errors.length > 0 &&
  error.errors.every(({ path }) => names.includes(path.split(".")[0] ?? ""))

/** One of a form's values, its setter and its error, as props of a field. */
export const bindField = <T extends object, Name extends keyof T & string>(
  { values, set, error }: { values: T; set: (changes: Partial<T>) => void; error: unknown },
  name: Name,
) => ({
  value: values[name],
  onValue: (value: T[Name]): void => {
    const changes: Partial<T> = {}
    changes[name] = value
    set(changes)
  },
  error: fieldError(error, name),
})

interface FormProps<T extends object> {
  form: Omit<FormState<T>, "set">
  /** Fields that show their own errors, which the form therefore does not repeat; otherwise all. */
  fields?: readonly string[]
  /** The label of the button that saves. */
  action?: string
  /** Shown next to the save button. */
  extraActions?: ReactNode
  children: ReactNode
}

/** A form that saves with ⌘S, shows unsaved changes, and asks before discarding them. */
export const Form = <T extends object>(props: FormProps<T>) => {
  const { values, isDirty, isSaving, isSaved, isNew, error, save } = props.form
  const { fields = Object.keys(values), action = t("action.save") } = props
  const { form, focusProblem } = useProblemFocus(error)
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty && !isSaving && !isSaved,
    enableBeforeUnload: () => isDirty && !isSaved,
    withResolver: true,
  })
  // The last error whose fields the user has begun to correct.
  const [corrected, setCorrected] = useState<unknown>(null)
  const canSave = isNew || isDirty
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!focusProblem() && !isSaving && canSave) save()
  }
  useShortcut("mod+s", () => form.current?.requestSubmit())

  const isShown = isShownInFields(error, fields)
  const asksForCorrection = isShown && corrected !== error
  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
      <FieldChangeContext value={() => setCorrected(error)}>{props.children}</FieldChangeContext>
      {error !== null && error !== undefined && !isShown && <ErrorNote error={error} />}
      <div className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center gap-3 border-t border-line bg-bg px-4 py-3 wide:mx-0 wide:px-0">
        <Button type="submit" variant="primary" busy={isSaving} disabled={!canSave}>
          {action}
        </Button>
        {props.extraActions}
        <span role="status" className="flex items-center gap-1.5 text-xs text-muted">
          {asksForCorrection && <span className="text-danger">{t("form.check")}</span>}
          {!asksForCorrection && isDirty && !isNew && t("form.unsaved")}
          {!isDirty && isSaved && (
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
