import type { AccessGrant } from "../../../../server/src/grants/schema.ts"
import { t } from "../../i18n/translate.ts"
import { findVariables, isAutomatic, type PromptVariable } from "../../lib/prompt-variables.ts"
import { TextAreaField, TextField } from "../../ui/field.tsx"
import { bindField, fieldError } from "../../ui/form.tsx"
import type { FormState } from "../../ui/use-form.ts"
import { GrantsField } from "../grants/grants-field.tsx"

export interface PromptValues {
  title: string
  command: string
  content: string
  access_grants: AccessGrant[]
}

/** Derives a command from a title: "Weekly report" → "weekly-report". */
export const toCommand = (title: string): string =>
  title
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join("-")
    .slice(0, 50)

interface FieldsProps {
  form: FormState<PromptValues>
  /** Called instead of `set` when the title changes. */
  onTitle?: (title: string) => void
  shareable: boolean
}

/** Title, command, text and access of a prompt. */
export const PromptFields = ({ form, onTitle, shareable }: FieldsProps) => (
  <>
    <TextField
      label={t("label.title")}
      value={form.values.title}
      onValue={onTitle ?? ((title) => form.set({ title }))}
      error={fieldError(form.error, "title")}
      autoComplete="off"
    />
    <TextField
      label={t("prompts.command")}
      help={t("prompts.commandHelp")}
      {...bindField(form, "command")}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
    />
    <TextAreaField
      label={t("label.text")}
      help={t("prompts.contentHelp")}
      {...bindField(form, "content")}
      inputClass="max-h-[60vh] min-h-40"
    />
    <Variables content={form.values.content} />
    {shareable ? (
      <GrantsField
        label={t("label.access")}
        grants={form.values.access_grants}
        onGrants={(access_grants) => form.set({ access_grants })}
      />
    ) : (
      <p className="text-sm text-muted">{t("prompts.onlyOwnerShares")}</p>
    )}
  </>
)

const describeValues = (variable: PromptVariable): string => {
  if (isAutomatic(variable)) return t("prompts.automatic")
  const { defaultValue, options } = variable
  return options.length > 0 ? options.join(" · ") : defaultValue
}

/** The variables found in the text, with their values. */
export const Variables = ({ content }: { content: string }) => {
  const variables = findVariables(content)
  if (variables.length === 0) return null
  return (
    <section aria-label={t("prompts.variables")} className="flex flex-col gap-1.5 text-sm">
      <h2 className="font-medium">{t("prompts.variables")}</h2>
      <ul className="flex flex-wrap gap-1.5">
        {variables.map((variable) => (
          <li
            key={variable.name}
            className="max-w-full rounded border border-line bg-surface px-2 py-0.5 break-words"
          >
            {variable.name}
            <span className="ml-1.5 text-muted empty:hidden">{describeValues(variable)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
