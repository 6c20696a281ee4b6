import { useQuery } from "@tanstack/react-query"
import { Trash2 } from "lucide-react"
import { useId, useState } from "react"
import type { OwnedObjects } from "../../../../server/src/ownership/schema.ts"
import type { User } from "../../../../server/src/users/schema.ts"
import { t } from "../../i18n/translate.ts"
import { ApiError, api } from "../../lib/api.ts"
import { formatList } from "../../lib/format.ts"
import { useLeavePage } from "../../lib/use-leave-page.ts"
import { AffectedObjects, countLabel } from "../../ui/affected-objects.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SuccessorField } from "./new-owner-field.tsx"

type Choice = "transfer" | "delete"

/** What is handed over; everything else is deleted with the account. */
const transferableTypes = ["model", "collection", "prompt", "file"]

const listOwned = ({ counts }: OwnedObjects): string =>
  formatList(
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([type, count]) => countLabel(type, count)),
  )

interface ChoiceFieldProps {
  choice: Choice
  onChoice: (choice: Choice) => void
}

const ChoiceField = ({ choice, onChoice }: ChoiceFieldProps) => {
  const id = useId()
  const options = [
    ["transfer", t("removal.transfer")],
    ["delete", t("removal.deleteAll")],
  ] as const
  return (
    <fieldset className="flex flex-col gap-2 text-text">
      <legend className="mb-2 font-medium">{t("removal.choose")}</legend>
      {options.map(([value, label]) => (
        <label key={value} className="flex items-center gap-2">
          <input
            type="radio"
            name={id}
            checked={choice === value}
            onChange={() => onChoice(value)}
            className="size-4 shrink-0 accent-accent"
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

interface OwnedProps extends ChoiceFieldProps {
  user: User
  owned: OwnedObjects
  successor: string | null
  onSuccessor: (successor: string | null) => void
}

const isTransferable = ({ counts, in_use }: OwnedObjects): boolean =>
  in_use.total > 0 || transferableTypes.some((type) => (counts[type] ?? 0) > 0)

const Owned = ({ user, owned, choice, onChoice, successor, onSuccessor }: OwnedProps) => {
  const list = listOwned(owned)
  if (list === "") return <p>{t("removal.ownsNothing", { name: user.name })}</p>
  return (
    <>
      <p>{t("removal.owns", { name: user.name, list })}</p>
      {owned.in_use.total > 0 && (
        <div className="flex flex-col gap-2">
          <p className="text-text">{t("removal.used")}</p>
          <AffectedObjects inUse={owned.in_use} label={t("removal.used")} />
        </div>
      )}
      {isTransferable(owned) && <ChoiceField choice={choice} onChoice={onChoice} />}
      {isTransferable(owned) && choice === "transfer" && (
        <div className="text-text">
          <SuccessorField
            label={t("transfer.newOwner")}
            help={t(successor?.startsWith("group:") ? "removal.groupHelp" : "removal.transferHelp")}
            value={successor}
            onValue={onSuccessor}
            except={user.id}
            withGroups
          />
        </div>
      )}
      {choice === "delete" && owned.in_use.total > 0 && (
        <p className="text-danger">{t("removal.deleteHelp")}</p>
      )}
    </>
  )
}

const DeleteUserDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const leave = useLeavePage()
  const owned = useQuery({
    queryKey: ["users", "owned", user.id],
    queryFn: ({ signal }) =>
      api.get("/api/v1/users/:id/owned", { params: { id: user.id }, signal }),
    staleTime: 0,
    gcTime: 0,
  })
  const [chosen, setChosen] = useState<Choice | null>(null)
  const [successor, setSuccessor] = useState<string | null>(null)
  const { data } = owned
  const choice = chosen ?? (data && data.in_use.total > 0 ? "transfer" : "delete")
  const isHandedOver = data !== undefined && isTransferable(data) && choice === "transfer"
  const remove = async (): Promise<void> => {
    const isAccepted = chosen === "delete" && data !== undefined && data.in_use.total > 0
    const query = isHandedOver
      ? { transfer_to: successor?.replace(/^(user|group):/, "") }
      : { confirm: isAccepted ? "delete" : undefined }
    try {
      await api.delete("/api/v1/users/:id", { params: { id: user.id }, query })
    } catch (error) {
      if (!(error instanceof ApiError) || !error.inUse) throw error
      await owned.refetch()
      setChosen(null)
      throw new Error(t("removal.changed"))
    }
    await leave({ to: "/admin/users", invalidates: [["users"]] })
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("action.deleteOne", { name: user.name })}
      action={t(isHandedOver ? "removal.transferAndDelete" : "users.delete")}
      danger
      typed={user.email}
      ready={data !== undefined && (!isHandedOver || successor !== null)}
      onConfirm={remove}
    >
      <div className="flex flex-col gap-4">
        <p>{t("users.deleteLead")}</p>
        <QueryResult query={owned} rows={3}>
          {(found) => (
            <Owned
              {...{ user, successor, choice }}
              owned={found}
              onChoice={setChosen}
              onSuccessor={setSuccessor}
            />
          )}
        </QueryResult>
      </div>
    </ConfirmDialog>
  )
}

/** The last section of a user's page. The dialog lists what the user owns and who uses it. */
export const DeleteUserSection = ({ user }: { user: User }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={t("users.delete")} lead={t("users.deleteLead")}>
      <div>
        <Button variant="danger" icon={Trash2} onClick={() => setOpen(true)}>
          {t("users.delete")}
        </Button>
      </div>
      {isOpen && <DeleteUserDialog user={user} onClose={() => setOpen(false)} />}
    </Section>
  )
}
