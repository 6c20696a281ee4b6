import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { CircleDollarSign, Plus } from "lucide-react"
import type { PricedModel } from "../../../../server/src/prices/request-schema.ts"
import type { ModelFacts } from "../../../../server/src/prices/schema.ts"
import { t } from "../../i18n/translate.ts"
import { describeEndOfLife } from "../../lib/end-of-life.ts"
import { formatDate, formatNumber } from "../../lib/format.ts"
import { describeUnitPrices, formatTokenPrice } from "../../lib/format-price.ts"
import { pricedModelsQuery, priceEntriesQuery } from "../../lib/price-queries.ts"
import { connectionsQuery } from "../../lib/queries.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { BackLink, Card, DefinitionList, Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { OriginBadge } from "./price-cells.tsx"
import { PriceHistory } from "./price-history.tsx"
import { type ConnectionNames, describeScope, scopeOf } from "./price-scope.ts"
import { PriceTiers } from "./price-tiers.tsx"
import { commonTokenPrices, otherTokenPrices } from "./price-values.ts"

const route = getRouteApi("/inside/admin/prices/view/$modelId")

/** What a model costs now, what is known of it, and every price that it had or will have. */
export const PricePage = () => {
  const { modelId } = route.useParams()
  const offers = useQuery(pricedModelsQuery({ view: "offered", model: modelId, page_size: 200 }))
  const items = offers.data?.items ?? []
  const names = [...new Set([modelId, ...items.flatMap((one) => one.upstream_model ?? [])])]
  const entries = useQuery({ ...priceEntriesQuery(names), enabled: offers.data !== undefined })
  const connections = useQuery(connectionsQuery)
  const nameById: ConnectionNames = new Map(connections.data?.map(({ id, name }) => [id, name]))
  const [first] = items
  const facts = first?.facts ?? entries.data?.[0] ?? {}
  return (
    <Page
      title={modelId}
      lead={describeEndOfLife(facts)}
      breadcrumb={<BackLink to="/admin/prices">{t("label.prices")}</BackLink>}
      action={<SetPriceLink model={modelId} offer={first} />}
    >
      <QueryResult query={offers} rows={6}>
        {() => <CurrentPrices items={items} names={nameById} />}
      </QueryResult>
      <Facts facts={facts} />
      <QueryResult query={entries} rows={3}>
        {(list) => list.length > 0 && <PriceHistory entries={list} names={nameById} />}
      </QueryResult>
    </Page>
  )
}

/** Begins with the price that holds now. */
const SetPriceLink = ({ model, offer }: { model: string; offer: PricedModel | undefined }) => {
  const price = offer?.price
  const scope = price ? scopeOf(price) : ""
  return (
    <ButtonLink
      to="/admin/prices/set"
      search={{ model: price?.model ?? model, ...(scope !== "" && { scope }) }}
      variant="primary"
      icon={Plus}
    >
      {t("prices.set")}
    </ButtonLink>
  )
}

interface CurrentPricesProps {
  items: readonly PricedModel[]
  names: ConnectionNames
}

const CurrentPrices = ({ items, names }: CurrentPricesProps) => {
  if (items.length === 0) {
    return (
      <EmptyState icon={CircleDollarSign} title={t("prices.notOffered")}>
        {t("prices.notOfferedHelp")}
      </EmptyState>
    )
  }
  return (
    <Section title={t("prices.now")} lead={t("prices.tokensLead")}>
      <div className="grid gap-3 wide:grid-cols-2">
        {items.map((item) => (
          <CurrentPrice key={JSON.stringify(item.connections)} item={item} names={names} />
        ))}
      </div>
    </Section>
  )
}

const CurrentPrice = ({ item, names }: { item: PricedModel; names: ConnectionNames }) => {
  const { price, connections } = item
  return (
    <Card className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="min-w-0 text-sm font-medium break-words">
          {connections.map(({ name }) => name).join(", ")}
        </h3>
        <OriginBadge origin={price?.origin} />
      </div>
      {price === null ? (
        <p className="text-sm text-muted">{t("prices.noPriceHelp")}</p>
      ) : (
        <>
          <PriceList price={price} />
          <PriceTiers price={price} />
          <p className="text-xs text-muted">
            {describeScope(price, names)}
            {price.from > 0 && ` · ${t("prices.since", { day: formatDate(price.from) })}`}
          </p>
        </>
      )}
    </Card>
  )
}

/** The kinds of tokens that have a price of their own. */
const PriceList = ({ price }: { price: NonNullable<PricedModel["price"]> }) => {
  const tokens = [...commonTokenPrices, ...otherTokenPrices].flatMap((name) => {
    const amount = price[name]
    return amount === undefined ? [] : [[name, amount] as const]
  })
  const units = describeUnitPrices(price)
  return (
    <>
      {tokens.length > 0 && (
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4">
          {tokens.map(([name, amount]) => (
            <div key={name}>
              <dt className="text-xs text-muted">{t(`prices.${name}`)}</dt>
              <dd className="text-base font-medium tabular">{formatTokenPrice(amount)}</dd>
            </div>
          ))}
        </dl>
      )}
      {units.length > 0 && <p className="text-base font-medium tabular">{units.join(" + ")}</p>}
    </>
  )
}

const Facts = ({ facts }: { facts: ModelFacts }) => {
  const { context_length, max_output, capabilities, source } = facts
  const end = describeEndOfLife(facts)
  const rows: (readonly [string, React.ReactNode])[] = [
    ...(context_length
      ? [[t("prices.context_length"), formatNumber(context_length)] as const]
      : []),
    ...(max_output ? [[t("prices.max_output"), formatNumber(max_output)] as const] : []),
    ...(capabilities
      ? [[t("models.can"), capabilities.map((name) => t(`prices.can.${name}`)).join(", ")] as const]
      : []),
    ...(end === undefined ? [] : [[t("prices.end_of_life"), end] as const]),
    ...(source === undefined
      ? []
      : [[t("prices.source"), <SourceLink key="source" url={source} />] as const]),
  ]
  if (rows.length === 0) return null
  return (
    <Section title={t("prices.facts")}>
      <DefinitionList rows={rows} />
    </Section>
  )
}

const SourceLink = ({ url }: { url: string }) => (
  <a href={url} target="_blank" rel="noreferrer" className="break-all text-accent hover:underline">
    {url.replace(/^https?:\/\//, "")}
  </a>
)
