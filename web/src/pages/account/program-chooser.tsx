import { useId } from "react"
import { t } from "../../i18n/translate.ts"
import { type Program, programs } from "./program-steps.ts"

interface ProgramChooserProps {
  program: Program
  onProgram: (program: Program) => void
}

export const ProgramChooser = ({ program, onProgram }: ProgramChooserProps) => {
  const group = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-medium">{t("programs.program")}</legend>
      <div className="flex flex-wrap gap-2">
        {programs.map((choice) => (
          <label
            key={choice.id}
            htmlFor={`${group}-${choice.id}`}
            className="relative cursor-pointer rounded border border-field px-3 py-1.5 text-sm hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              id={`${group}-${choice.id}`}
              type="radio"
              name={group}
              checked={choice.id === program.id}
              onChange={() => onProgram(choice)}
              className="absolute inset-0 cursor-pointer appearance-none opacity-0"
            />
            {choice.name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
