import { t } from "../../i18n/translate.ts"
import { CopyButton } from "../../ui/copy-button.tsx"

interface CreatedSecretProps {
  secret: string
  /** Of the button that copies it; without it, for a key. */
  copyLabel?: string
}

/** A secret that is shown only once. */
export const CreatedSecret = ({ secret, copyLabel = t("keys.copy") }: CreatedSecretProps) => (
  <div className="flex flex-wrap items-center gap-3 rounded border border-accent/50 bg-accent-soft p-3">
    <code data-secret className="min-w-0 flex-1 basis-56 text-sm break-all select-all">
      {secret}
    </code>
    <CopyButton text={secret} label={copyLabel} hasLabel />
  </div>
)
