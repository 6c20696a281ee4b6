import { X } from "lucide-react"
import { type ReactNode, useState } from "react"
import { type MessageKey, t } from "../../i18n/translate.ts"
import { parseNumber } from "../../lib/parse-number.ts"
import { useShortcut } from "../../lib/shortcuts.ts"
import { IconButton } from "../../ui/button.tsx"
import { Field, Input, TextAreaField } from "../../ui/field.tsx"
import type { SettingsDraft } from "./chat-settings.ts"

interface NumberSpec {
  name: string
  label: MessageKey
  help?: MessageKey
  isWhole?: boolean
  min: number
  max: number
}

const numberParams: readonly NumberSpec[] = [
  { name: "temperature", label: "label.temperature", help: "chat.temperatureHelp", min: 0, max: 2 },
  { name: "top_p", label: "label.topP", min: 0, max: 1 },
  { name: "max_tokens", label: "chat.maxTokens", isWhole: true, min: 1, max: 1_000_000 },
  { name: "seed", label: "label.seed", isWhole: true, min: 0, max: 2_147_483_647 },
]

const readNumber = (text: string, { isWhole = false, min, max }: NumberSpec): number | null => {
  const value = parseNumber(text, isWhole)
  return value === null || value < min || value > max ? null : value
}

/** The draft with a parameter as typed, which may be wrong. */
const withNumber = (draft: SettingsDraft, spec: NumberSpec, text: string): SettingsDraft => {
  const { [spec.name]: before, ...params } = draft.params
  const { [spec.name]: _, ...invalid } = draft.invalid
  if (text.trim() === "") return { ...draft, params, invalid }
  const value = readNumber(text, spec)
  if (value !== null) return { ...draft, params: { ...params, [spec.name]: value }, invalid }
  return { ...draft, invalid: { ...invalid, [spec.name]: text } }
}

interface NumberFieldProps extends Pick<SettingsPaneProps, "draft" | "setDraft"> {
  spec: NumberSpec
}

const NumberField = ({ spec, draft, setDraft }: NumberFieldProps) => {
  const { name, isWhole = false, min, max } = spec
  const value = draft.params[name]
  const invalid = draft.invalid[name]
  const [typed, setTyped] = useState("")
  // The draft may have changed since, in another window.
  const isCurrent = readNumber(typed, spec) === (value ?? null)
  const text = isCurrent ? typed : String(value ?? "")
  const message = isWhole ? "chat.wholeNumber" : "chat.number"
  return (
    <Field
      label={t(spec.label)}
      {...(spec.help && { help: t(spec.help) })}
      problem={invalid === undefined ? undefined : t(message, { min, max })}
    >
      {(controlProps) => (
        <Input
          {...controlProps}
          inputMode="decimal"
          value={invalid ?? text}
          onChange={({ target }) => {
            setTyped(target.value)
            setDraft(withNumber(draft, spec, target.value))
          }}
        />
      )}
    </Field>
  )
}

export interface SettingsPaneProps {
  draft: SettingsDraft
  setDraft: (draft: SettingsDraft) => void
  onClose: () => void
  /** Shown below the parameters. */
  children?: ReactNode
}

/** System prompt and parameters of a chat. */
export const SettingsPane = ({ draft, setDraft, onClose, children }: SettingsPaneProps) => {
  useShortcut("escape", onClose)
  return (
    <aside
      aria-label={t("chat.settings")}
      onKeyDown={(event) => {
        // Before the page's own Escape, which stops a running answer.
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return
        event.preventDefault()
        onClose()
      }}
      className="flex w-full shrink-0 flex-col overflow-y-auto border-l border-line bg-surface max-wide:absolute max-wide:inset-0 max-wide:z-10 wide:w-80"
    >
      <div className="flex h-12 shrink-0 items-center justify-between gap-2 border-b border-line pr-2 pl-4">
        <h2 className="text-sm font-semibold">{t("chat.settings")}</h2>
        <IconButton icon={X} label={t("action.close")} onClick={onClose} />
      </div>
      <div className="flex flex-col gap-4 p-4">
        <p className="text-sm text-muted">{t("chat.settingsLead")}</p>
        <TextAreaField
          label={t("label.systemPrompt")}
          value={draft.system}
          onValue={(value) => setDraft({ ...draft, system: value })}
          inputClass="max-h-80"
        />
        {numberParams.map((spec) => (
          <NumberField key={spec.name} {...{ spec, draft, setDraft }} />
        ))}
        {children}
      </div>
    </aside>
  )
}
