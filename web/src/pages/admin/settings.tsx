import { useQuery } from "@tanstack/react-query"
import type { Settings, SettingsView } from "../../../../server/src/settings/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { embeddingStatusQuery, settingsQuery } from "../../lib/queries.ts"
import { queryClient } from "../../lib/query-client.ts"
import { configQuery, sessionQuery } from "../../lib/session.ts"
import { TextAreaField } from "../../ui/field.tsx"
import { bindField, Form, fieldError } from "../../ui/form.tsx"
import { NumberField } from "../../ui/number-field.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SelectField } from "../../ui/select.tsx"
import { SwitchField } from "../../ui/switch.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { roleOptions } from "./role-field.tsx"
import { SemanticSearchSettings } from "./semantic-search-settings.tsx"
import {
  BannerFields,
  DaysField,
  DefaultModelField,
  LimitSettingFields,
  QueryRewritingModelField,
  SettingsGroup,
} from "./settings-fields.tsx"
import { WebhookSettings } from "./webhook-settings.tsx"

const titleSources = ["words", "local", "any"] as const

export const SettingsPage = () => {
  const settings = useQuery(settingsQuery)
  return (
    <Page title={t("label.settings")} lead={t("settings.lead")} narrow>
      <QueryResult query={settings} rows={8}>
        {(view) => (
          <>
            <SettingsForm view={view} />
            <WebhookSettings />
          </>
        )}
      </QueryResult>
    </Page>
  )
}

/** Only changed settings: the API rejects those that an environment variable locks. */
const changedSettings = (before: Settings, after: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => before[name as keyof Settings] !== value),
  )

const valuesOf = ({ values }: SettingsView): Settings => values

const refreshSettings = (saved: SettingsView): void => {
  queryClient.setQueryData(settingsQuery.queryKey, saved)
  for (const { queryKey } of [configQuery, sessionQuery, embeddingStatusQuery]) {
    void queryClient.invalidateQueries({ queryKey })
  }
}

const SettingsForm = ({ view }: { view: SettingsView }) => {
  const form = useEditForm({
    object: view,
    valuesOf,
    save: (changed, before) =>
      api.post("/api/v1/settings", { body: changedSettings(before, changed) }),
    onSaved: refreshSettings,
  })
  const { values, set, error } = form
  const { locked } = view
  const toggle = (
    name: "enable_signup" | "enable_openai_proxy" | "claude_aliases" | "show_cost",
  ) => ({
    checked: values[name],
    onValue: (checked: boolean) => set({ [name]: checked }),
    locked: locked[name],
  })
  const days = (name: "jwt_expires_in" | "usage_retention" | "audit_retention") => ({
    seconds: values[name],
    onSeconds: (seconds: number) => set({ [name]: seconds }),
    locked: locked[name],
    error: fieldError(error, name),
  })
  return (
    <Form form={form}>
      <SettingsGroup title={t("label.accounts")}>
        <SwitchField label={t("settings.signup")} {...toggle("enable_signup")} />
        <SelectField
          label={t("settings.role")}
          {...bindField(form, "default_user_role")}
          locked={locked.default_user_role}
          options={roleOptions("pending", "user")}
        />
        <DaysField label={t("settings.life")} {...days("jwt_expires_in")} />
      </SettingsGroup>
      <SettingsGroup title={t("settings.api")}>
        <SwitchField
          label={t("settings.proxy")}
          help={t("settings.proxyHelp")}
          {...toggle("enable_openai_proxy")}
        />
        <SwitchField
          label={t("settings.claudeAliases")}
          help={t("settings.claudeAliasesHelp")}
          {...toggle("claude_aliases")}
        />
      </SettingsGroup>
      <SettingsGroup title={t("label.notice")}>
        <BannerFields form={form} />
      </SettingsGroup>
      <SettingsGroup title={t("label.chats")}>
        <DefaultModelField {...bindField(form, "default_model")} />
        <SelectField
          label={t("settings.titles")}
          help={values.chat_titles === "any" && t("settings.titlesHelp")}
          {...bindField(form, "chat_titles")}
          options={titleSources.map((value) => ({ value, label: t(`settings.titles.${value}`) }))}
        />
        <SwitchField
          label={t("settings.showCost")}
          help={t("settings.showCostHelp")}
          {...toggle("show_cost")}
        />
      </SettingsGroup>
      <SettingsGroup title={t("label.semanticSearch")}>
        <SemanticSearchSettings
          {...bindField(form, "embedding_model")}
          locked={locked.embedding_model}
          onSaved={(saved) => {
            form.markFieldsSaved({ embedding_model: saved.values.embedding_model })
            refreshSettings(saved)
          }}
        />
      </SettingsGroup>
      <SettingsGroup title={t("settings.files")}>
        <NumberField
          label={t("settings.budget")}
          help={t("settings.budgetHelp")}
          unit={t("settings.tokens")}
          isWhole
          inputClass="w-32!"
          {...bindField(form, "rag_token_budget")}
          locked={locked.rag_token_budget}
        />
        <NumberField
          label={t("settings.contextLength")}
          help={t("settings.contextLengthHelp")}
          unit={t("settings.tokens")}
          isWhole
          inputClass="w-32!"
          {...bindField(form, "default_context_length")}
          locked={locked.default_context_length}
        />
        <QueryRewritingModelField {...bindField(form, "query_rewriting_model")} />
        <NumberField
          label={t("settings.rewritingTimeout")}
          help={t("settings.rewritingTimeoutHelp")}
          unit={t("settings.milliseconds")}
          isWhole
          inputClass="w-32!"
          {...bindField(form, "query_rewriting_timeout_ms")}
        />
        <TextAreaField
          label={t("settings.template")}
          help={t("settings.templateHelp", { mark: "{{sources}}" })}
          {...bindField(form, "rag_template")}
          placeholder={t("label.default")}
        />
      </SettingsGroup>
      <SettingsGroup title={t("label.limits")}>
        <LimitSettingFields form={form} />
      </SettingsGroup>
      <SettingsGroup title={t("settings.retention")}>
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
      </SettingsGroup>
    </Form>
  )
}
