import { UserRound, UsersRound, X } from "lucide-react"
import { useId, useState } from "react"
import type { AccessGrant } from "../../../../server/src/grants/schema.ts"
import { t } from "../../i18n/translate.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { IconButton } from "../../ui/button.tsx"
import { Combobox } from "../../ui/combobox.tsx"
import { Select } from "../../ui/select.tsx"
import { formatPrincipal, parsePrincipal, usePrincipalName, usePrincipals } from "./principals.ts"

interface GrantsFieldProps {
  label: string
  grants: readonly AccessGrant[]
  onGrants: (grants: AccessGrant[]) => void
  /** Only read access can be granted. */
  readOnly?: boolean
}

/** A grant to everyone. */
export const everyone: AccessGrant = {
  principal_type: "user",
  principal_id: "*",
  permission: "read",
}

const isEveryone = ({ principal_id }: AccessGrant): boolean => principal_id === "*"

/** Grants access to everyone or to selected people and groups. */
export const GrantsField = ({ label, grants, onGrants, readOnly = false }: GrantsFieldProps) => {
  const id = useId()
  const open = grants.some(isEveryone)
  const named = grants.filter((grant) => !isEveryone(grant))
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">{label}</legend>
      <div className="flex flex-col gap-2">
        {[true, false].map((toAll) => (
          <label key={`${toAll}`} className="flex items-center gap-2 text-sm">
            <input
              type="radio"
              name={id}
              checked={open === toAll}
              onChange={() => onGrants(toAll ? [...named, everyone] : named)}
              className="size-4 accent-accent"
            />
            {toAll ? t("grants.everyone") : t(readOnly ? "grants.someOnly" : "grants.some")}
          </label>
        ))}
      </div>
      {(!open || (named.length > 0 && !readOnly)) && (
        <Named
          named={named}
          readOnly={readOnly}
          onNamed={(next) => onGrants(open ? [...next, everyone] : next)}
        />
      )}
    </fieldset>
  )
}

interface NamedProps {
  named: readonly AccessGrant[]
  readOnly: boolean
  onNamed: (named: AccessGrant[]) => void
}

const Named = ({ named, readOnly, onNamed }: NamedProps) => {
  const [query, setQuery] = useState("")
  const { choices, loading } = usePrincipals(query)
  const isAdmin = useCurrentUser().role === "admin"
  const addLabel = t(isAdmin ? "grants.add" : "grants.addGroup")
  const namedKeys = named.map(formatPrincipal)
  const change = (grant: AccessGrant, permission: AccessGrant["permission"]): void =>
    onNamed(named.map((other) => (other === grant ? { ...grant, permission } : other)))
  return (
    <div className="flex flex-col gap-2 pl-6">
      {named.length > 0 && (
        <ul className="flex flex-col rounded border border-line">
          {named.map((grant) => (
            <Row
              key={formatPrincipal(grant)}
              grant={grant}
              readOnly={readOnly}
              onPermission={(permission) => change(grant, permission)}
              onRemove={() => onNamed(named.filter((other) => other !== grant))}
            />
          ))}
        </ul>
      )}
      <Combobox
        aria-label={addLabel}
        placeholder={addLabel}
        choices={choices.filter(({ value }) => !namedKeys.includes(value))}
        value={null}
        // Members get all of their groups at once.
        {...(isAdmin && { onQuery: setQuery, loading })}
        onValue={(key) => {
          if (key !== null) onNamed([...named, { ...parsePrincipal(key), permission: "read" }])
        }}
      />
    </div>
  )
}

interface RowProps {
  grant: AccessGrant
  readOnly: boolean
  onPermission: (permission: AccessGrant["permission"]) => void
  onRemove: () => void
}

const Row = ({ grant, readOnly, onPermission, onRemove }: RowProps) => {
  const name = usePrincipalName(grant)
  const Icon = grant.principal_type === "group" ? UsersRound : UserRound
  return (
    <li className="flex items-center gap-2 border-b border-line py-1 pr-1 pl-3 text-sm last:border-0">
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {!readOnly && (
        <Select
          aria-label={t("grants.permission", { name })}
          value={grant.permission}
          onValue={onPermission}
          className="w-auto!"
          options={[
            { value: "read", label: t("grants.read") },
            { value: "write", label: t("grants.write") },
          ]}
        />
      )}
      <IconButton icon={X} label={t("action.removeOne", { name })} onClick={onRemove} />
    </li>
  )
}
