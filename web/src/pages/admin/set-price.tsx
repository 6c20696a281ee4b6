import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import type { PriceView } from "../../../../server/src/prices/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { formatDate } from "../../lib/format.ts"
import { modelPricePath, pricedModelsQuery, priceEntriesQuery } from "../../lib/price-queries.ts"
import { connectionsQuery } from "../../lib/queries.ts"
import { CreatePage } from "../../ui/create-page.tsx"
import { Field } from "../../ui/field.tsx"
import { bindField } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SelectField } from "../../ui/select.tsx"
import { SuggestionInput } from "../../ui/suggestion-input.tsx"
import { type FormState, useCreateForm } from "../../ui/use-form.ts"
import { DayField, FactFields, PriceFields } from "./price-fields.tsx"
import { describeScope, parseScope, scopeOf } from "./price-scope.ts"
import { PriceTiers } from "./price-tiers.tsx"
import { type PriceValues, toPriceChange, toPriceValues } from "./price-values.ts"

const route = getRouteApi("/inside/admin/prices/set")

const above = () => <BackLink to="/admin/prices">{t("label.prices")}</BackLink>

/** Sets a price from now or a day on, or changes an entry of administrators. */
export const SetPricePage = () => {
  const { model = "", scope = "", from } = route.useSearch()
  const entries = useQuery({ ...priceEntriesQuery([model]), enabled: model !== "" })
  const connections = useQuery(connectionsQuery)
  const found = model === "" ? [] : entries.data
  if (!found || !connections.data) {
    const query = { ...entries, data: undefined, error: entries.error ?? connections.error }
    return (
      <Page title={t("prices.set")} breadcrumb={above()} narrow>
        <QueryResult query={query}>{() => null}</QueryResult>
      </Page>
    )
  }
  const edited = found.find(
    (entry) => entry.origin === "custom" && scopeOf(entry) === scope && String(entry.from) === from,
  )
  return (
    <SetPrice
      key={`${model} ${scope} ${from}`}
      base={edited ?? findBase(found, scope) ?? { model, ...parseScope(scope) }}
      edited={edited}
      names={new Map(connections.data.map(({ id, name }) => [id, name]))}
    />
  )
}

/** What holds now; entries of administrators come first. */
const findBase = (entries: readonly PriceView[], scope: string): PriceView | undefined =>
  entries.find((entry) => scopeOf(entry) === scope && entry.from <= Date.now() / 1000)

interface SetPriceProps {
  /** What the form begins with. */
  base: Partial<PriceView>
  /** The entry that is changed; undefined if one is added. */
  edited: PriceView | undefined
  names: ReadonlyMap<string, string>
}

const SetPrice = ({ base, edited, names }: SetPriceProps) => {
  const form = useCreateForm({
    initial: toPriceValues(base),
    create: (values) =>
      api.put(modelPricePath, {
        params: { model: values.model.trim() },
        body: toPriceChange(values, { base, from: edited?.from }),
      }),
    invalidates: [["prices"], ["models"]],
    onCreated: ({ model }, router) =>
      router.navigate({
        to: "/admin/prices/view/$modelId",
        params: { modelId: model },
        ignoreBlocker: true,
      }),
  })
  const { values } = form
  const hasFacts = values.context_length !== null || values.end_of_life !== ""
  return (
    <CreatePage
      title={t(edited ? "prices.edit" : "prices.set")}
      lead={t(edited ? "prices.editLead" : "prices.setLead")}
      breadcrumb={above()}
      form={form}
      fields={[...Object.keys(values), "connection", "provider", "from"]}
    >
      {edited ? (
        <p className="text-sm text-muted">
          {t("prices.edited", {
            model: edited.model,
            scope: describeScope(edited, names),
            day: formatDate(edited.from),
          })}
        </p>
      ) : (
        <Target form={form} names={names} isFixed={base.model !== undefined && base.model !== ""} />
      )}
      <PriceFields form={form} />
      <PriceTiers price={base} isKept />
      <FactFields form={form} isOpen={hasFacts} />
    </CreatePage>
  )
}

interface TargetProps {
  form: FormState<PriceValues>
  names: ReadonlyMap<string, string>
  isFixed: boolean
}

/** The model, the connections and the time that a new entry applies to. */
const Target = ({ form, names, isFixed }: TargetProps) => {
  const offered = useQuery(pricedModelsQuery({ view: "offered", page_size: 200 }))
  const rows = offered.data?.items ?? []
  const { scope } = form.values
  const providers = new Set(rows.flatMap(({ provider }) => provider ?? []))
  const scopes = [
    {},
    ...[...providers].map((provider) => ({ provider })),
    ...[...names.keys()].map((connection) => ({ connection })),
  ]
  const known = scopes.some((one) => scopeOf(one) === scope)
    ? scopes
    : [...scopes, parseScope(scope)]
  const model = bindField(form, "model")
  return (
    <>
      <Field
        label={t("label.model")}
        help={t("prices.modelHelp")}
        error={model.error}
        disabled={isFixed}
      >
        {(control) => (
          <SuggestionInput
            {...control}
            text={model.value}
            onText={model.onValue}
            onChoose={model.onValue}
            suggestions={[...new Set(rows.map((row) => row.model))]}
          />
        )}
      </Field>
      <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
        <SelectField
          label={t("prices.scope")}
          {...bindField(form, "scope")}
          options={known.map((one) => ({
            value: scopeOf(one),
            label: describeScope(one, names),
          }))}
        />
        <DayField form={form} name="day" help={t("prices.dayHelp")} />
      </div>
    </>
  )
}
