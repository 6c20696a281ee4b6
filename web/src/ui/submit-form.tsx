import type { UseMutationResult } from "@tanstack/react-query"
import type { FormEvent, ReactNode } from "react"
import { ApiError } from "../lib/api.ts"
import { Button } from "./button.tsx"
import { ErrorNote } from "./error-note.tsx"
import { useProblemFocus } from "./use-problem-focus.ts"

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
  const { form, focusProblem } = useProblemFocus(error)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!focusProblem()) mutation.mutate()
  }
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
