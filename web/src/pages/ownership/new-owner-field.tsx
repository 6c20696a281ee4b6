import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { ComboboxField } from "../../ui/combobox.tsx"
import { TextField } from "../../ui/field.tsx"
import { usePrincipals } from "../grants/principals.ts"

interface ChooserProps {
  label: string
  help?: string
  /** As `user:…` or `group:…`. */
  value: string | null
  onValue: (value: string | null) => void
  /** The account that cannot be chosen. */
  except?: string
  /** Whether a group can be chosen too. */
  withGroups?: boolean
  error?: string | undefined
}

/** Lets administrators search for a person or a group. */
export const SuccessorField = (props: ChooserProps) => {
  const { except, withGroups = false, onValue, ...field } = props
  const [query, setQuery] = useState("")
  const { choices, loading } = usePrincipals(query)
  const [chosen, setChosen] = useState<(typeof choices)[number] | null>(null)
  const offered = choices.filter(
    (choice) =>
      choice.value !== `user:${except}` && (withGroups || choice.value.startsWith("user:")),
  )
  const isListed = chosen === null || offered.some((choice) => choice.value === chosen.value)
  return (
    <ComboboxField
      {...field}
      placeholder={t(withGroups ? "transfer.findPersonOrGroup" : "transfer.findPerson")}
      choices={isListed ? offered : [...offered, chosen]}
      onQuery={setQuery}
      loading={loading}
      onValue={(next) => {
        setChosen(offered.find((choice) => choice.value === next) ?? null)
        onValue(next)
      }}
    />
  )
}

interface NewOwnerFieldProps {
  /** A user id, or an email address. */
  value: string
  onValue: (value: string) => void
  except: string
  error: string | undefined
}

/** Administrators search for the person; others enter the address, as they cannot see all accounts. */
export const NewOwnerField = ({ value, onValue, except, error }: NewOwnerFieldProps) => {
  const { role } = useCurrentUser()
  if (role === "admin") {
    return (
      <SuccessorField
        label={t("transfer.newOwner")}
        value={value === "" ? null : `user:${value}`}
        onValue={(next) => onValue(next?.replace("user:", "") ?? "")}
        except={except}
        error={error}
      />
    )
  }
  return (
    <TextField
      label={t("transfer.newOwnerEmail")}
      help={t("transfer.newOwnerEmailHelp")}
      type="email"
      autoComplete="off"
      value={value}
      onValue={onValue}
      error={error}
    />
  )
}
