import { t } from "../../i18n/translate.ts"
import { CodeBlock } from "../../ui/code-block.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { DefinitionList } from "../../ui/page.tsx"
import type { ProgramStep } from "./program-steps.ts"

/** A value to copy. */
export const CopyableValue = ({ name, value }: { name: string; value: string }) => (
  <span className="inline-flex max-w-full items-center gap-1">
    <code className="min-w-0 break-all">{value}</code>
    <CopyButton text={value} label={t("snippet.copyOne", { name })} />
  </span>
)

/** What to paste where, in order. */
export const ProgramStepList = ({ steps }: { steps: readonly ProgramStep[] }) => (
  <div className="flex flex-col gap-5">
    {steps.map((step) => (
      <div key={"code" in step ? step.title : "values"} className="flex min-w-0 flex-col gap-2">
        {step.help && <p className="text-sm text-pretty text-muted">{t(step.help)}</p>}
        {"code" in step ? (
          <CodeBlock title={step.title} code={step.code} />
        ) : (
          <DefinitionList
            rows={step.values.map(([field, value]) => [
              field,
              <CopyableValue key={field} name={field} value={value} />,
            ])}
          />
        )}
      </div>
    ))}
  </div>
)
