import type { UseMutationResult } from "@tanstack/react-query"
import { type FormEvent, type ReactNode, useEffect, useRef } from "react"
import { ApiError } from "../lib/api.ts"
import { Button } from "./button.tsx"
import { ErrorNote } from "./error-note.tsx"

interface SubmitFormProps {
  /** What the form is submitted to. */
  mutation: Pick<UseMutationResult<unknown, Error, void>, "mutate" | "isPending" | "error">
  /** The label of the button. */
  action: string
  /** Whether fields show the errors about them, which the form therefore does not repeat. */
  hasFieldErrors?: boolean
  /** Shown next to the button. */
  extraActions?: ReactNode
  children: ReactNode
}

/** A form that is submitted once, such as to sign in; `Form` is for objects that are saved. */
export const SubmitForm = (props: SubmitFormProps) => {
  const { mutation, action, hasFieldErrors = false, extraActions, children } = props
  const { error } = mutation
  const isShownByField = hasFieldErrors && error instanceof ApiError && error.errors.length > 0
  const form = useRef<HTMLFormElement>(null)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const wrong = form.current?.querySelector<HTMLElement>("[data-problem]")
    if (wrong) wrong.focus()
    else mutation.mutate()
  }
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [error])
  const button = (
    <Button type="submit" variant="primary" busy={mutation.isPending}>
      {action}
    </Button>
  )
  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
      {children}
      {error && !isShownByField && <ErrorNote error={error} />}
      {extraActions ? (
        <div className="flex flex-wrap gap-2">
          {button}
          {extraActions}
        </div>
      ) : (
        button
      )}
    </form>
  )
}
