import { Lock } from "lucide-react"
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  useContext,
  useId,
  useState,
} from "react"
import { t } from "../i18n/translate.ts"
import { classes } from "./classes.ts"

/** A text field, select, or combobox. */
export const controlClass =
  "w-full rounded border border-field bg-bg px-2.5 text-sm text-text transition-colors hover:border-line-strong focus:border-accent focus:outline-2 focus:-outline-offset-1 focus:outline-accent disabled:bg-surface disabled:text-muted aria-invalid:border-danger"

export interface ControlProps {
  id: string
  "aria-describedby": string | undefined
  "aria-invalid": true | undefined
  /** Whether the form cannot be saved with what the control contains. */
  "data-problem": true | undefined
  disabled: boolean
}

export interface FieldProps {
  label: string
  help?: ReactNode
  /** Message shown below the control until the value changes. */
  error?: string | undefined
  /** What is wrong with the value as it is now; shown in place of the error. */
  problem?: string | undefined
  /** The environment variable that locks the value. */
  locked?: string | undefined
  disabled?: boolean | undefined
  /** Shown to the right of the label. */
  labelAction?: ReactNode
  className?: string | undefined
  children: (controlProps: ControlProps) => ReactNode
}

/** Call it when the value of a control changes without an `input` event. */
export const FieldChangeContext = createContext<() => void>(() => undefined)

/** What is wrong now, or an error until the user changes the field. */
const useUncorrectedError = ({ error, problem }: Pick<FieldProps, "error" | "problem">) => {
  const reportChange = useContext(FieldChangeContext)
  const [isCorrected, setCorrected] = useState(false)
  // Saving again removes the error first, so that the next one is shown even if it is the same.
  if (!error && isCorrected) setCorrected(false)
  const markChanged = (): void => {
    if (!error) return
    setCorrected(true)
    reportChange()
  }
  return { error: problem ?? (isCorrected ? undefined : error), markChanged }
}

/** A form field: label, control, help, and error, which disappears when the value changes. */
export const Field = (props: FieldProps) => {
  const { label, help, locked, disabled = false, labelAction, className, children } = props
  const { error, markChanged } = useUncorrectedError(props)
  const id = useId()
  const shownHelp = help === error ? undefined : help
  const described = [shownHelp && `${id}-help`, locked && `${id}-lock`, error && `${id}-error`]
  return (
    <div onInput={markChanged} className={classes("flex min-w-0 flex-col gap-1.5", className)}>
      <div className="flex items-baseline justify-between gap-2">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {labelAction && <span className="text-xs text-muted">{labelAction}</span>}
      </div>
      <FieldChangeContext value={markChanged}>
        {children({
          id,
          "aria-describedby": described.filter(Boolean).join(" ") || undefined,
          "aria-invalid": error ? true : undefined,
          "data-problem": props.problem !== undefined || undefined,
          disabled: disabled || locked !== undefined,
        })}
      </FieldChangeContext>
      {shownHelp && (
        <p id={`${id}-help`} className="text-xs text-muted">
          {shownHelp}
        </p>
      )}
      {locked && <LockedNote id={`${id}-lock`} variable={locked} />}
      {error && (
        <p id={`${id}-error`} className="text-xs break-words text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

/** Names the environment variable that locks a value. */
export const LockedNote = ({ id, variable }: { id?: string; variable: string }) => (
  <p id={id} className="flex items-center gap-1.5 text-xs text-muted">
    <Lock aria-hidden className="size-3.5 shrink-0" />
    <span>
      {t("form.locked")} <code className="text-text">{variable}</code>
    </span>
  </p>
)

/** The button inside a date field takes the focus from the field itself. */
const focusInside =
  "focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent"

export const Input = ({ className, ...props }: ComponentProps<"input">) => (
  <input {...props} className={classes(controlClass, focusInside, "h-8.5", className)} />
)

export const TextArea = ({ className, ...props }: ComponentProps<"textarea">) => (
  <textarea
    {...props}
    className={classes(controlClass, "field-sizing-content min-h-20 py-2", className)}
  />
)

/** Props of a field with a control of one kind. */
export type ControlFieldProps<Control> = Omit<FieldProps, "children"> &
  Omit<Control, keyof FieldProps | keyof ControlProps>

/** Separates the props of a field from those of its control. */
export const splitFieldProps = <Props extends Omit<FieldProps, "children">>(props: Props) => {
  const { label, help, error, problem, locked, disabled, labelAction, className, ...control } =
    props
  const field = { label, help, error, problem, locked, disabled, labelAction, className }
  return { field, control }
}

interface TextValue {
  value: string
  onValue: (value: string) => void
}

type TextFieldProps = ControlFieldProps<Omit<ComponentProps<"input">, "onChange" | "value">> &
  TextValue

/** A single-line text field. */
export const TextField = (props: TextFieldProps) => {
  const { field, control } = splitFieldProps(props)
  const { onValue, ...input } = control
  return (
    <Field {...field}>
      {(controlProps) => (
        <Input {...input} {...controlProps} onChange={(event) => onValue(event.target.value)} />
      )}
    </Field>
  )
}

type TextAreaFieldProps = ControlFieldProps<
  Omit<ComponentProps<"textarea">, "onChange" | "value">
> &
  TextValue & { inputClass?: string }

/** A text field of several lines. */
export const TextAreaField = (props: TextAreaFieldProps) => {
  const { field, control } = splitFieldProps(props)
  const { onValue, inputClass, ...textArea } = control
  return (
    <Field {...field}>
      {(controlProps) => (
        <TextArea
          {...textArea}
          {...controlProps}
          className={inputClass}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}
