import type { ConnectionView } from "../../../../server/src/connections/schema.ts"
import { t } from "../../i18n/translate.ts"
import { TextField } from "../../ui/field.tsx"
import { bindField, fieldError } from "../../ui/form.tsx"
import { NumberField } from "../../ui/number-field.tsx"
import { SwitchField } from "../../ui/switch.tsx"
import { TokensField } from "../../ui/tokens-field.tsx"
import { everyone, GrantsField } from "../grants/grants-field.tsx"

const timeouts = ["connect_timeout", "first_byte_timeout", "idle_timeout"] as const

/**
 * `null` offers all models, grants access to everyone, and uses the gateway's default timeout.
 * Timeouts are in seconds.
 */
type ConnectionOptionValues = Pick<
  ConnectionView,
  "allowed_models" | "access_grants" | "enabled" | (typeof timeouts)[number]
> & { id_prefix: string }

interface ConnectionOptionsProps {
  values: ConnectionOptionValues
  set: (changes: Partial<ConnectionOptionValues>) => void
  error: unknown
}

/** Fields that most connections leave at their defaults. */
export const ConnectionOptions = (props: ConnectionOptionsProps) => {
  const { values, set, error } = props
  return (
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
            {...bindField(props, "id_prefix")}
            autoComplete="off"
          />
          <div className="grid gap-4 wide:grid-cols-3">
            {timeouts.map((name) => (
              <NumberField
                key={name}
                label={t(`connection.${name}`)}
                placeholder={t("label.default")}
                {...bindField(props, name)}
                onEmpty={() => set({ [name]: null })}
              />
            ))}
          </div>
        </div>
      </details>
    </>
  )
}
