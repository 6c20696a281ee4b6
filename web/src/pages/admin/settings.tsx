import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { Settings, SettingsView } from "../../../../server/src/settings/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { settingsQuery } from "../../lib/queries.ts"
import { configQuery } from "../../lib/session.ts"
import { Field, Input, Select, TextArea } from "../../ui/field.tsx"
import { Form, fieldError, useDraft } from "../../ui/form.tsx"
import { Loaded } from "../../ui/loaded.tsx"
import { Page } from "../../ui/page.tsx"
import { SwitchField } from "../../ui/switch.tsx"

const daySeconds = 86_400
const titleMakers = ["words", "local", "any"] as const

export const SettingsPage = () => {
  const settings = useQuery(settingsQuery)
  return (
    <Page title={t("settings.title")} lead={t("settings.lead")} narrow>
      <Loaded query={settings} rows={8}>
        {(view) => <SettingsForm view={view} />}
      </Loaded>
    </Page>
  )
}

/** Only what was changed: what the environment fixes must not be sent. */
const differences = (before: Settings, after: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => before[name as keyof Settings] !== value),
  )

const SettingsForm = ({ view }: { view: SettingsView }) => {
  const client = useQueryClient()
  const { base, values, set, settle, dirty } = useDraft(view.values)
  const save = useMutation({
    mutationFn: () => api.post<SettingsView>("/api/v1/settings", differences(base, values)),
    onSuccess: (saved) => {
      settle(saved.values)
      client.setQueryData(settingsQuery.queryKey, saved)
      void client.invalidateQueries({ queryKey: configQuery.queryKey })
    },
  })
  const { error } = save
  const { locked } = view
  const days = (name: "jwt_expires_in" | "usage_retention" | "audit_retention") => ({
    seconds: values[name],
    onSeconds: (seconds: number) => set({ [name]: seconds }),
    locked: locked[name],
    error: fieldError(error, name),
  })
  return (
    <Form
      dirty={dirty}
      saving={save.isPending}
      saved={save.isSuccess}
      error={error}
      fields={Object.keys(values)}
      onSave={save.mutate}
    >
      <Group title={t("settings.accounts")}>
        <SwitchField
          label={t("settings.signup")}
          help={t("settings.signupHelp")}
          checked={values.enable_signup}
          onValue={(enable_signup) => set({ enable_signup })}
          locked={locked.enable_signup}
        />
        <Field
          label={t("settings.role")}
          help={t("settings.roleHelp")}
          {...(locked.default_user_role && { locked: locked.default_user_role })}
        >
          {(wired) => (
            <Select
              {...wired}
              value={values.default_user_role}
              onValue={(role) => set({ default_user_role: role === "user" ? "user" : "pending" })}
              options={(["pending", "user"] as const).map((value) => ({
                value,
                label: t(`role.${value}`),
              }))}
            />
          )}
        </Field>
        <DaysField
          label={t("settings.life")}
          help={t("settings.lifeHelp")}
          {...days("jwt_expires_in")}
        />
      </Group>
      <Group title={t("settings.api")}>
        <SwitchField
          label={t("settings.proxy")}
          help={t("settings.proxyHelp")}
          checked={values.enable_openai_proxy}
          onValue={(enable_openai_proxy) => set({ enable_openai_proxy })}
          locked={locked.enable_openai_proxy}
        />
      </Group>
      <Group title={t("settings.chats")}>
        <Field label={t("settings.titles")} help={t("settings.titlesHelp")}>
          {(wired) => (
            <Select
              {...wired}
              value={values.chat_titles}
              onValue={(chosen) =>
                set({ chat_titles: titleMakers.find((maker) => maker === chosen) ?? "local" })
              }
              options={titleMakers.map((value) => ({
                value,
                label: t(`settings.titles.${value}`),
              }))}
            />
          )}
        </Field>
      </Group>
      <Group title={t("settings.files")}>
        <Field
          label={t("settings.template")}
          help={t("settings.templateHelp", { mark: "{{sources}}" })}
          error={fieldError(error, "rag_template")}
        >
          {(wired) => (
            <TextArea
              {...wired}
              value={values.rag_template}
              placeholder={t("param.default")}
              onChange={({ target }) => set({ rag_template: target.value })}
            />
          )}
        </Field>
      </Group>
      <Group title={t("settings.retention")}>
        <DaysField
          label={t("settings.usage")}
          help={t("settings.keepAll")}
          {...days("usage_retention")}
        />
        <DaysField
          label={t("settings.audit")}
          help={t("settings.keepAll")}
          {...days("audit_retention")}
        />
      </Group>
    </Form>
  )
}

const Group = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="flex flex-col gap-5 rounded border border-line p-4">
    <h2 className="text-base font-semibold">{title}</h2>
    {children}
  </section>
)

interface DaysFieldProps {
  label: string
  help: string
  seconds: number
  onSeconds: (seconds: number) => void
  locked?: string | undefined
  error?: string | undefined
}

/** A span of time, written in days. */
const DaysField = ({ label, help, seconds, onSeconds, locked, error }: DaysFieldProps) => (
  <Field label={label} help={help} {...(locked && { locked })} {...(error && { error })}>
    {(wired) => (
      <div className="flex items-center gap-2">
        <Input
          {...wired}
          type="number"
          min={0}
          step="any"
          inputMode="decimal"
          value={Number((seconds / daySeconds).toFixed(3))}
          onChange={({ target }) => onSeconds(Math.round(Number(target.value) * daySeconds))}
          className="w-32! tabular"
        />
        <span className="text-sm text-muted">{t("settings.days")}</span>
      </div>
    )}
  </Field>
)
