import { type QueryKey, useMutation } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { useState } from "react"
import { invalidateQueries } from "../lib/query-client.ts"

type Changes<T> = Partial<T> | ((values: T) => Partial<T>)

/** A form's values, and whether they are saved. */
export interface FormState<T extends object> {
  values: T
  /** Changes some of the values; uploads, which end later, pass a function. */
  set: (changes: Changes<T>) => void
  isDirty: boolean
  isSaving: boolean
  isSaved: boolean
  /** The object does not exist yet, so the form can be submitted without changes. */
  isNew: boolean
  /** Why saving failed. */
  error: unknown
  save: () => void
}

/** The values of a form, and the saved ones they are compared with. */
const useDraft = <T extends object>(initial: T) => {
  const [saved, setSaved] = useState(initial)
  const [values, setValues] = useState(initial)
  const set = (changes: Changes<T>): void =>
    setValues((before) => ({
      ...before,
      ...(typeof changes === "function" ? changes(before) : changes),
    }))
  const isDirty = JSON.stringify(saved) !== JSON.stringify(values)
  return { saved, setSaved, values, setValues, set, isDirty }
}

interface CreateOptions<T, Created> {
  initial: T
  create: (values: T) => Promise<Created>
  /** Queries that list the new object. */
  invalidates?: readonly QueryKey[]
  /** Shows the new object, with `ignoreBlocker` if it navigates. */
  onCreated: (created: Created, router: ReturnType<typeof useRouter>) => Promise<void> | void
}

/** The form of a new object. */
export const useCreateForm = <T extends object, Created>(
  options: CreateOptions<T, Created>,
): FormState<T> => {
  const router = useRouter()
  const { values, set, isDirty } = useDraft(options.initial)
  const create = useMutation({
    mutationFn: () => options.create(values),
    onSuccess: async (created) => {
      await invalidateQueries(options.invalidates ?? [])
      await options.onCreated(created, router)
    },
  })
  return {
    values,
    set,
    isDirty,
    isSaving: create.isPending,
    isSaved: create.isSuccess,
    isNew: true,
    error: create.error,
    save: create.mutate,
  }
}

interface EditOptions<Saved, T, Result extends Saved> {
  /** The object as it was when the form opened; later versions do not replace what is edited. */
  object: Saved
  valuesOf: (object: Saved) => T
  /** @param saved the values before the changes */
  save: (values: T, saved: T) => Promise<Result>
  /** Queries that contain the object. */
  invalidates?: readonly QueryKey[]
  onSaved?: (result: Result) => void
}

interface EditState<T extends object> extends FormState<T> {
  /** The values before the changes. */
  saved: T
  /** Call it when some fields were saved by another request; other changes remain unsaved. */
  markFieldsSaved: (fields: Partial<T>) => void
}

/** The form of an object that exists. */
export const useEditForm = <Saved, T extends object, Result extends Saved>(
  options: EditOptions<Saved, T, Result>,
): EditState<T> => {
  const { valuesOf } = options
  const { saved, setSaved, values, setValues, set, isDirty } = useDraft(valuesOf(options.object))
  const save = useMutation({
    mutationFn: () => options.save(values, saved),
    onSuccess: (result) => {
      setSaved(valuesOf(result))
      setValues(valuesOf(result))
      options.onSaved?.(result)
      void invalidateQueries(options.invalidates ?? [])
    },
  })
  const markFieldsSaved = (fields: Partial<T>): void => {
    setSaved((before) => ({ ...before, ...fields }))
    set(fields)
  }
  return {
    values,
    set,
    isDirty,
    isSaving: save.isPending,
    isSaved: save.isSuccess && !isDirty,
    isNew: false,
    error: save.error,
    save: save.mutate,
    saved,
    markFieldsSaved,
  }
}
