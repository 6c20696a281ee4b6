import { useState } from "react"
import { t } from "../i18n/translate.ts"
import { TextField } from "./field.tsx"
import { fieldError } from "./form.tsx"

interface Values {
  name: string
  id: string
}

/** The ID of a new item, derived from its name until the user types one. */
export const useDerivedId = (derive: (name: string) => string) => {
  const [isTyped, setIsTyped] = useState(false)
  return {
    /** The values that a new name changes. */
    withName: (name: string): Partial<Values> => ({ name, ...(!isTyped && { id: derive(name) }) }),
    /** The values that a typed ID changes; an empty one is derived again. */
    withTypedId: (id: string): Partial<Values> => {
      setIsTyped(id !== "")
      return { id }
    },
  }
}

interface NameAndIdFieldsProps {
  idHelp: string
  values: Values
  set: (changes: Partial<Values>) => void
  derivedId: ReturnType<typeof useDerivedId>
  error: unknown
}

/** The name of a new item, and the ID that it keeps. */
export const NameAndIdFields = (props: NameAndIdFieldsProps) => {
  const { idHelp, values, set, derivedId, error } = props
  return (
    <>
      <TextField
        label={t("label.name")}
        value={values.name}
        onValue={(name) => set(derivedId.withName(name))}
        error={fieldError(error, "name")}
        autoComplete="off"
      />
      <TextField
        label={t("label.id")}
        help={idHelp}
        value={values.id}
        onValue={(id) => set(derivedId.withTypedId(id))}
        error={fieldError(error, "id")}
        autoComplete="off"
        spellCheck={false}
      />
    </>
  )
}
