import { useMutation, useQuery } from "@tanstack/react-query"
import { Plus } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import type { Limit, LimitTarget } from "../../../../server/src/limits/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { limitsQuery } from "../../lib/limit-queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { ConfirmTrigger } from "../../ui/confirm-trigger.tsx"
import { isShownInFields } from "../../ui/form.tsx"
import { Card, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SubmitForm } from "../../ui/submit-form.tsx"
import { LimitFields, limitErrorFields } from "./limit-fields.tsx"
import { LimitBadges, LimitState, SetByBadge } from "./limit-state.tsx"
import { describeLimit } from "./limit-text.ts"
import {
  defaultLimitValues,
  type LimitValues,
  toLimitChange,
  toLimitValues,
  toNewLimit,
} from "./limit-values.ts"
import { mayChangeLimit } from "./may-change-limit.ts"

/** More of one target would not be found anyway. */
const maxShown = 100

export interface LimitPanelProps {
  /** Whose limits are listed, created and changed. */
  target: LimitTarget
  /** The sentence below the heading; without it, that all limits count. */
  lead?: string
  /** The group whose managers set these limits; without it, administrators or the key's owner do. */
  groupId?: string
}

/** The limits of one group, user, key, model or connection, and a form for each. */
export const LimitPanel = ({ target, lead = t("limits.panelLead"), groupId }: LimitPanelProps) => {
  const { type, id } = target
  const limits = useQuery(limitsQuery({ target_type: type, target_id: id, page_size: maxShown }))
  const [isAdding, setAdding] = useState(false)
  const addButton = useReturnFocus(isAdding)
  return (
    <Section
      title={t("label.limits")}
      lead={lead}
      action={
        !isAdding && (
          <Button ref={addButton} icon={Plus} onClick={() => setAdding(true)}>
            {t("limits.add")}
          </Button>
        )
      }
    >
      {isAdding && (
        <LimitForm
          label={t("limits.add")}
          initial={defaultLimitValues(type)}
          hasModel={type !== "model"}
          save={(values) =>
            api.post("/api/v1/limits", {
              body: { ...toNewLimit(target, values), group_id: groupId },
            })
          }
          onClose={() => setAdding(false)}
        />
      )}
      <QueryResult query={limits} rows={1}>
        {({ items }) => (
          <>
            {items.length === 0 && !isAdding && (
              <p className="text-sm text-muted">{t("limits.noneOfTarget")}</p>
            )}
            {items.map((limit) => (
              <PanelLimit key={limit.id} limit={limit} groupId={groupId} />
            ))}
          </>
        )}
      </QueryResult>
    </Section>
  )
}

/** Where the focus returns to when a form is closed. */
const useReturnFocus = (isOpen: boolean) => {
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return button
}

const PanelLimit = ({ limit, groupId }: { limit: Limit; groupId: string | undefined }) => {
  const { role } = useCurrentUser()
  const [isEditing, setEditing] = useState(false)
  const editButton = useReturnFocus(isEditing)
  const { id } = limit
  if (isEditing) {
    return (
      <LimitForm
        label={t("limits.save")}
        initial={toLimitValues(limit)}
        exists
        save={(values) =>
          api.post("/api/v1/limits/:id/update", { params: { id }, body: toLimitChange(values) })
        }
        onClose={() => setEditing(false)}
      />
    )
  }
  const text = describeLimit(limit)
  const mayChange = mayChangeLimit({ role, groupId }, limit)
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <h3 className="text-sm font-medium">{text}</h3>
          <LimitBadges {...limit} />
          {!(mayChange && role !== "admin") && <SetByBadge {...limit} />}
        </div>
        {mayChange && (
          <div className="flex gap-2">
            <Button
              ref={editButton}
              aria-label={t("limits.editOne", { limit: text })}
              onClick={() => setEditing(true)}
            >
              {t("limits.edit")}
            </Button>
            <DeleteLimitButton limit={limit} />
          </div>
        )}
      </div>
      <LimitState {...limit} />
    </Card>
  )
}

/** Deletes a limit after a confirmation. */
const DeleteLimitButton = ({ limit }: { limit: Limit }) => {
  const { id } = limit
  const title = t("limits.deleteOne", { limit: describeLimit(limit) })
  const remove = async (): Promise<void> => {
    await api.delete("/api/v1/limits/:id", { params: { id } })
    await invalidateQueries([["limits"]])
  }
  return (
    <ConfirmTrigger
      trigger={
        <Button variant="danger" aria-label={title}>
          {t("limits.deleteShort")}
        </Button>
      }
      title={title}
      action={t("limits.delete")}
      danger
      onConfirm={remove}
    >
      {t("limits.deleteLead")}
    </ConfirmTrigger>
  )
}

interface LimitFormProps {
  /** Of the button that saves. */
  label: string
  initial: LimitValues
  exists?: boolean
  hasModel?: boolean
  save: (values: LimitValues) => Promise<unknown>
  onClose: () => void
}

const LimitForm = ({ label, initial, save, onClose, ...fields }: LimitFormProps) => {
  const [values, setValues] = useState(initial)
  const mutation = useMutation({
    mutationFn: () => save(values),
    onSuccess: async () => {
      await invalidateQueries([["limits"]])
      onClose()
    },
  })
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => form.current?.querySelector("input")?.focus(), [])
  return (
    <div ref={form} className="rounded border border-line p-4">
      <SubmitForm
        mutation={mutation}
        action={label}
        hasFieldErrors={isShownInFields(mutation.error, limitErrorFields)}
        extraActions={<Button onClick={onClose}>{t("action.cancel")}</Button>}
      >
        <LimitFields
          {...fields}
          values={values}
          set={(changes) => setValues((before) => ({ ...before, ...changes }))}
          error={mutation.error}
        />
      </SubmitForm>
    </div>
  )
}
