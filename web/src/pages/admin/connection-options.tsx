import type { AccessGrant } from "../../../../server/src/grants/schema.ts"
import { t } from "../../i18n/translate.ts"
import { TextField } from "../../ui/field.tsx"
import { fieldError } from "../../ui/form.tsx"
import { NumberField } from "../../ui/number-field.tsx"
import { SwitchField } from "../../ui/switch.tsx"
import { TokensField } from "../../ui/tokens-field.tsx"
import { GrantsField } from "../grants/grants-field.tsx"

export interface ConnectionOptionValues {
  id_prefix: string
  /** `null` offers all models. */
  allowed_models: string[] | null
  /** `null` grants access to everyone. */
  access_grants: AccessGrant[] | null
  /** Seconds; `null` uses the gateway's default. */
  connect_timeout: number | null
  first_byte_timeout: number | null
  idle_timeout: number | null
  enabled: boolean
}

interface ConnectionOptionsProps {
  values: ConnectionOptionValues
  set: (changes: Partial<ConnectionOptionValues>) => void
  error: unknown
}

const timeouts = ["connect_timeout", "first_byte_timeout", "idle_timeout"] as const

const everyone: AccessGrant = { principal_type: "user", principal_id: "*", permission: "read" }

/** Fields that most connections leave at their defaults. */
export const ConnectionOptions = ({ values, set, error }: ConnectionOptionsProps) => (
  <>
    <SwitchField
      label={t("label.enabled")}
      checked={values.enabled}
      onValue={(enabled) => set({ enabled })}
    />
    <GrantsField
      label={t("connection.grants")}
      grants={values.access_grants ?? [everyone]}
      onGrants={(grants) => {
        const open = grants.some(({ principal_id }) => principal_id === "*")
        set({ access_grants: open ? null : grants })
      }}
      readOnly
    />
    <TokensField
      label={t("label.allowedModels")}
      help={t("connection.allowedHelp")}
      placeholder={t("label.allModels")}
      values={values.allowed_models ?? []}
      onValues={(next) => set({ allowed_models: next.length > 0 ? next : null })}
      error={fieldError(error, "allowed_models")}
    />
    <details className="rounded border border-line">
      <summary className="px-4 py-3 text-sm font-medium">{t("connection.more")}</summary>
      <div className="flex flex-col gap-5 border-t border-line p-4">
        <TextField
          label={t("connection.prefix")}
          help={t("connection.prefixHelp")}
          value={values.id_prefix}
          onValue={(id_prefix) => set({ id_prefix })}
          error={fieldError(error, "id_prefix")}
          autoComplete="off"
        />
        <div className="grid gap-4 wide:grid-cols-3">
          {timeouts.map((name) => (
            <NumberField
              key={name}
              label={t(`connection.${name}`)}
              error={fieldError(error, name)}
              placeholder={t("label.default")}
              value={values[name]}
              onValue={(value) => set({ [name]: value })}
              onEmpty={() => set({ [name]: null })}
            />
          ))}
        </div>
      </div>
    </details>
  </>
)
