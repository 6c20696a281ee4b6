import { useMutation, useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { WebhookTest, WebhookView } from "../../../../server/src/webhooks/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { formatNumber } from "../../lib/format.ts"
import { queryClient } from "../../lib/query-client.ts"
import { routeQuery } from "../../lib/route-query.ts"
import { Status } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmTrigger } from "../../ui/confirm-trigger.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextField } from "../../ui/field.tsx"
import { fieldError } from "../../ui/form.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SubmitForm } from "../../ui/submit-form.tsx"
import { Time } from "../../ui/time.tsx"
import { CreatedSecret } from "../account/created-secret.tsx"
import { SettingsGroup } from "./settings-fields.tsx"

const webhookQuery = routeQuery(["webhook"], "/api/v1/webhook")

const refreshWebhook = () => queryClient.invalidateQueries({ queryKey: webhookQuery.queryKey })

/** Where warnings of limits are sent. It is saved on its own, as its secret is shown once. */
export const WebhookSettings = () => {
  const webhook = useQuery(webhookQuery)
  return (
    <SettingsGroup title={t("webhook.title")}>
      <p className="text-sm text-muted">{t("webhook.lead")}</p>
      <QueryResult query={webhook} rows={3}>
        {(view) => <WebhookForm view={view} />}
      </QueryResult>
    </SettingsGroup>
  )
}

const WebhookForm = ({ view }: { view: WebhookView }) => {
  const [url, setUrl] = useState(view.url ?? "")
  const [secret, setSecret] = useState<string | null>(null)
  const save = useMutation({
    mutationFn: () => api.put("/api/v1/webhook", { body: { url: url.trim() } }),
    onSuccess: (saved) => {
      if (saved.secret !== null) setSecret(saved.secret)
      void refreshWebhook()
    },
  })
  return (
    <>
      <SubmitForm
        mutation={save}
        action={t("webhook.save")}
        hasFieldErrors
        extraActions={
          <WebhookActions
            exists={view.url !== null}
            onSecret={setSecret}
            onRemoved={() => {
              setUrl("")
              setSecret(null)
            }}
          />
        }
      >
        <TextField
          label={t("webhook.url")}
          help={t("webhook.urlHelp")}
          placeholder="https://example.com/hook"
          inputMode="url"
          value={url}
          onValue={setUrl}
          error={fieldError(save.error, "url")}
        />
      </SubmitForm>
      {secret !== null && (
        <div className="flex flex-col gap-2 text-sm">
          <p>{t("webhook.secretLead")}</p>
          <CreatedSecret secret={secret} copyLabel={t("webhook.copySecret")} />
        </div>
      )}
      {view.url !== null && <LastDelivery view={view} />}
    </>
  )
}

const attemptText = ({ status, error }: Pick<WebhookTest, "status" | "error">): string => {
  if (error === null) return t("webhook.accepted", { status: String(status) })
  return status === null
    ? t("webhook.unreachable", { error })
    : t("webhook.rejected", { status: String(status) })
}

const LastDelivery = ({ view: { last_delivery: last, waiting } }: { view: WebhookView }) => (
  <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 text-sm">
    <dt className="text-muted">{t("webhook.last")}</dt>
    <dd className="min-w-0 break-words">
      {last === null ? (
        t("webhook.nothingSent")
      ) : (
        <>
          <Status tone={last.error === null ? "ok" : "danger"}>
            <Time at={last.at} />
          </Status>{" "}
          <code className="text-xs">{last.type}</code>: {attemptText(last)}
        </>
      )}
    </dd>
    <dt className="text-muted">{t("webhook.waiting")}</dt>
    <dd className="tabular">{formatNumber(waiting)}</dd>
  </dl>
)

interface WebhookActionsProps {
  exists: boolean
  onSecret: (secret: string | null) => void
  onRemoved: () => void
}

const WebhookActions = ({ exists, onSecret, onRemoved }: WebhookActionsProps) => {
  const test = useMutation({
    mutationFn: () => api.post("/api/v1/webhook/test"),
    onSuccess: refreshWebhook,
  })
  const replaceSecret = async (): Promise<void> => {
    onSecret((await api.post("/api/v1/webhook/secret")).secret)
    await refreshWebhook()
  }
  const remove = async (): Promise<void> => {
    await api.delete("/api/v1/webhook")
    onRemoved()
    await refreshWebhook()
  }
  if (!exists) return null
  return (
    <>
      <Button busy={test.isPending} onClick={() => test.mutate()}>
        {t("webhook.test")}
      </Button>
      <ConfirmedAction
        label={t("webhook.replaceSecret")}
        lead={t("webhook.replaceSecretLead")}
        onConfirm={replaceSecret}
      />
      <ConfirmedAction
        label={t("webhook.delete")}
        lead={t("webhook.deleteLead")}
        onConfirm={remove}
      />
      <div role="status" className="min-w-0 basis-full text-sm">
        {test.data && (
          <Status tone={test.data.ok ? "ok" : "danger"}>
            <span className="min-w-0 break-words whitespace-normal">
              {t("webhook.tested", { result: attemptText(test.data), ms: test.data.duration_ms })}
            </span>
          </Status>
        )}
      </div>
      {test.error && <ErrorNote error={test.error} />}
    </>
  )
}

interface ConfirmedActionProps {
  label: string
  lead: ReactNode
  onConfirm: () => Promise<void>
}

const ConfirmedAction = ({ label, lead, onConfirm }: ConfirmedActionProps) => (
  <ConfirmTrigger
    danger
    trigger={<Button>{label}</Button>}
    title={label}
    action={label}
    onConfirm={onConfirm}
  >
    {lead}
  </ConfirmTrigger>
)
