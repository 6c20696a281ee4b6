import { useEffect, useRef } from "react"

/**
 * Moves the focus to the field with a problem when the gateway has rejected it.
 * @returns the form's ref, and `focusProblem`, which moves the focus to the first field that cannot
 * be submitted as it is, and returns whether there is one
 */
export const useProblemFocus = (error: unknown) => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [error])
  const focusProblem = (): boolean => {
    const field = form.current?.querySelector<HTMLElement>("[data-problem]")
    field?.focus()
    return field != null
  }
  return { form, focusProblem }
}
