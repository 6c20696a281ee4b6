import type { Role } from "../../../../server/src/users/schema.ts"
import { t } from "../../i18n/translate.ts"
import { SelectField } from "../../ui/select.tsx"

/** Options of a select for these roles. */
export const roleOptions = <R extends Role>(...roles: R[]) =>
  roles.map((value) => ({ value, label: t(`role.${value}`) }))

interface RoleFieldProps {
  value: Role
  onValue: (role: Role) => void
  error?: string | undefined
}

export const RoleField = (props: RoleFieldProps) => (
  <SelectField
    label={t("user.role")}
    help={t("user.roleHelp")}
    {...props}
    options={roleOptions("user", "admin", "pending")}
  />
)
