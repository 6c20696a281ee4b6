import { Eye, EyeOff } from "lucide-react"
import { useState } from "react"
import { t } from "../i18n/translate.ts"
import { Field, type FieldProps, Input } from "./field.tsx"

interface PasswordFieldProps extends Omit<FieldProps, "children"> {
  value: string
  onValue: (value: string) => void
  autoComplete: "current-password" | "new-password"
}

/** A password field that can show its value. */
export const PasswordField = ({ value, onValue, autoComplete, ...field }: PasswordFieldProps) => {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <Field {...field}>
      {(controlProps) => (
        <div className="relative">
          <Input
            {...controlProps}
            type={shown ? "text" : "password"}
            value={value}
            autoComplete={autoComplete}
            onChange={(event) => onValue(event.target.value)}
            className="pr-9"
          />
          <button
            type="button"
            aria-label={shown ? t("session.hidePassword") : t("session.showPassword")}
            onClick={() => setShown(!shown)}
            className="absolute inset-y-0 right-0 flex w-9 items-center justify-center rounded text-muted -outline-offset-2 hover:text-text"
          >
            <Icon aria-hidden className="size-4" />
          </button>
        </div>
      )}
    </Field>
  )
}
