import { useId } from "react"
import { t } from "../../i18n/translate.ts"
import { Input } from "../../ui/field.tsx"

const maxStarters = 4
const maxStarterLength = 200

interface StartersFieldProps {
  starters: readonly string[]
  onStarters: (starters: string[]) => void
  error: string | undefined
}

/** Suggested first messages of a model. */
export const StartersField = ({ starters, onStarters, error }: StartersFieldProps) => {
  const id = useId()
  const texts = Array.from({ length: maxStarters }, (_, index) => starters[index] ?? "")
  return (
    <fieldset aria-describedby={`${id}-help`} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{t("models.starters")}</legend>
      <div className="grid gap-2 wide:grid-cols-2">
        {texts.map((text, index) => (
          <Input
            // biome-ignore lint/suspicious/noArrayIndexKey: the fields have fixed places
            key={index}
            aria-label={t("models.starter", { count: index + 1 })}
            aria-invalid={error ? true : undefined}
            value={text}
            maxLength={maxStarterLength}
            onChange={({ target }) => onStarters(texts.with(index, target.value))}
            autoComplete="off"
          />
        ))}
      </div>
      <p id={`${id}-help`} className="text-xs text-muted">
        {t("models.startersHelp")}
      </p>
      {error && <p className="text-xs text-danger">{error}</p>}
    </fieldset>
  )
}
