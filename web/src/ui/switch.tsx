import { Switch as Base } from "@base-ui/react/switch"
import { type ReactNode, useId } from "react"
import { LockedNote } from "./field.tsx"

interface SwitchProps {
  checked: boolean
  onValue: (checked: boolean) => void
  disabled?: boolean
  id?: string
  "aria-label"?: string
  "aria-describedby"?: string | undefined
}

export const Switch = ({ onValue, ...props }: SwitchProps) => (
  <Base.Root
    {...props}
    onCheckedChange={onValue}
    className="relative inline-flex h-5 w-9 shrink-0 cursor-pointer items-center rounded-full border border-line-strong bg-hover p-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:cursor-not-allowed data-disabled:opacity-55"
  >
    <Base.Thumb className="size-3.5 rounded-full bg-line-strong transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
  </Base.Root>
)

interface SwitchFieldProps {
  label: string
  help?: ReactNode
  locked?: string | undefined
  checked: boolean
  onValue: (checked: boolean) => void
  disabled?: boolean
}

/** A switch with its label and help on the left. */
export const SwitchField = (props: SwitchFieldProps) => {
  const { label, help, locked, checked, onValue, disabled = false } = props
  const id = useId()
  const described = [help && `${id}-help`, locked && `${id}-lock`]
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="flex min-w-0 flex-col gap-1">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="text-xs text-muted">
            {help}
          </p>
        )}
        {locked && <LockedNote id={`${id}-lock`} variable={locked} />}
      </div>
      <Switch
        id={id}
        aria-label={label}
        aria-describedby={described.filter(Boolean).join(" ") || undefined}
        checked={checked}
        disabled={disabled || locked !== undefined}
        onValue={onValue}
      />
    </div>
  )
}
