import { useMutation, useQuery } from "@tanstack/react-query"
import { CircleCheck, CircleX, Lock, PlugZap } from "lucide-react"
import type { SettingsView } from "../../../../server/src/settings/schema.ts"
import type { SignOnProvider } from "../../../../server/src/sso/schema.ts"
import { t, translateServerText } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { settingsQuery, signOnProvidersQuery } from "../../lib/queries.ts"
import { queryClient } from "../../lib/query-client.ts"
import { configQuery } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { bindField, Form } from "../../ui/form.tsx"
import { Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SelectField } from "../../ui/select.tsx"
import { Time } from "../../ui/time.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { CopyableValue } from "./copyable-value.tsx"
import { SignOnInstructions } from "./sign-on-instructions.tsx"

const policies = ["on", "administrators", "off"] as const

export const SignOnPage = () => {
  const providers = useQuery(signOnProvidersQuery)
  const settings = useQuery(settingsQuery)
  return (
    <Page title={t("signOn.title")} lead={t("signOn.lead")} narrow>
      <QueryResult query={providers}>
        {(items) =>
          items.length === 0 ? (
            <SignOnInstructions />
          ) : (
            <>
              {items.map((provider) => (
                <Provider key={provider.name} provider={provider} />
              ))}
              <QueryResult query={settings} rows={2}>
                {(view) => <Passwords view={view} />}
              </QueryResult>
            </>
          )
        }
      </QueryResult>
    </Page>
  )
}

const Provider = ({ provider }: { provider: SignOnProvider }) => (
  <section className="flex flex-col gap-4 rounded border border-line p-4">
    <div>
      <h2 className="text-base font-semibold">{provider.label}</h2>
      <p className="text-sm text-muted">
        {t("signOn.accounts", { count: provider.accounts })} · {t("signOn.lastUsed")}:{" "}
        <Time at={provider.last_used_at} inSentence />
      </p>
    </div>
    <Addresses provider={provider} />
    <Switches provider={provider} />
    <Test name={provider.name} />
  </section>
)

/** The URLs to enter at the provider. */
const Addresses = ({ provider }: { provider: SignOnProvider }) => {
  const rows = [
    [t("signOn.redirect"), provider.redirect_uri],
    [t("signOn.backchannel"), provider.backchannel_logout_uri],
    [t("signOn.postLogout"), provider.post_logout_redirect_uri],
  ] as const
  return (
    <div className="flex flex-col gap-3">
      <h3 className="text-sm text-muted">{t("signOn.enter")}</h3>
      {rows.map(([name, address]) => (
        <CopyableValue
          key={name}
          label={name}
          text={address}
          copy={t("signOn.copyOne", { name })}
        />
      ))}
    </div>
  )
}

/** The provider's options, each with the environment variable that sets it. */
const Switches = ({ provider }: { provider: SignOnProvider }) => {
  const onOff = (on: boolean): string => (on ? t("state.on") : t("state.off"))
  const rows = [
    ["ISSUER", t("signOn.issuer"), provider.issuer],
    ["CLIENT_ID", t("signOn.client"), provider.client_id],
    ["CLIENT_SECRET", t("signOn.secret"), t(provider.has_secret ? "signOn.set" : "signOn.notSet")],
    ["SCOPES", t("signOn.scopes"), provider.scopes.join(" ")],
    ["LINK_CLAIM", t("signOn.linkClaim"), provider.link_claim ?? t("signOn.no")],
    ["LINK_EMAIL", t("signOn.linkEmail"), onOff(provider.link_email)],
    ["EMAIL_CLAIM", t("signOn.emailClaim"), provider.email_claim ?? "email"],
    ["TRUST_EMAIL", t("signOn.trustEmail"), onOff(provider.trust_email)],
    [
      "ALLOWED_DOMAINS",
      t("signOn.domains"),
      provider.allowed_domains.join(", ") || t("signOn.anyDomain"),
    ],
    ["PROVISION", t("signOn.provision"), onOff(provider.provision)],
    ["GROUPS_CLAIM", t("signOn.groups"), provider.groups_claim ?? t("signOn.no")],
    [
      "GROUPS_SEPARATOR",
      t("signOn.groupsSeparator"),
      provider.groups_separator ?? t("signOn.defaultSeparators"),
    ],
  ] as const
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-1.5 text-xs text-muted">
        <Lock aria-hidden className="size-3.5 shrink-0" />
        {t("signOn.fixed")}
      </p>
      <dl className="grid gap-x-6 gap-y-3 text-sm wide:grid-cols-2">
        {rows.map(([ending, label, value]) => (
          <div key={ending} className="min-w-0">
            <dt className="text-muted">{label}</dt>
            <dd className="break-words">
              {value}
              <code className="block text-xs break-all text-muted">
                {provider.variables + ending}
              </code>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const Test = ({ name }: { name: string }) => {
  const test = useMutation({
    mutationFn: () => api.post("/api/v1/sso/providers/:id/test", { params: { id: name } }),
  })
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Button icon={PlugZap} busy={test.isPending} onClick={() => test.mutate()}>
          {t("signOn.test")}
        </Button>
      </div>
      {test.error && <ErrorNote error={test.error} />}
      {test.data && (
        <ul role="status" className="flex flex-col gap-1.5 text-sm">
          {test.data.checks.map(({ id, ok, message, message_reference }) => {
            const Icon = ok ? CircleCheck : CircleX
            return (
              <li key={id} className="flex items-start gap-2">
                <Icon
                  aria-hidden
                  className={`mt-0.5 size-4 shrink-0 ${ok ? "text-ok" : "text-danger"}`}
                />
                <span className="min-w-0 break-words">
                  {translateServerText(message, message_reference)}
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}

const Passwords = ({ view }: { view: SettingsView }) => {
  const form = useEditForm({
    object: view,
    valuesOf: ({ values: { password_sign_in } }: SettingsView) => ({ password_sign_in }),
    save: (body) => api.post("/api/v1/settings", { body }),
    invalidates: [configQuery.queryKey],
    onSaved: (saved) => queryClient.setQueryData(settingsQuery.queryKey, saved),
  })
  return (
    <Section title={t("signOn.passwords")}>
      <Form form={form}>
        <SelectField
          label={t("signOn.passwordSignIn")}
          help={t("signOn.passwordHelp", { variable: "PASSWORD_SIGN_IN=on" })}
          locked={view.locked.password_sign_in}
          {...bindField(form, "password_sign_in")}
          options={policies.map((value) => ({ value, label: t(`signOn.password.${value}`) }))}
        />
      </Form>
    </Section>
  )
}
