import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { CircleDollarSign, TriangleAlert } from "lucide-react"
import type { PricedModel } from "../../../../server/src/prices/request-schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatDay } from "../../lib/format.ts"
import { pricedModelsQuery } from "../../lib/price-queries.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Button } from "../../ui/button.tsx"
import { EndOfLifeNote } from "../../ui/end-of-life-note.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { OriginBadge, priceColumns, Since } from "./price-cells.tsx"
import { PriceTransferMenu } from "./price-transfer-menu.tsx"

const views = ["offered", "unpriced", "custom", "all"] as const

/** A row of the table, which needs an id: a model may cost something else on each connection. */
type Row = PricedModel & { id: string }

const toRow = (item: PricedModel): Row => ({
  ...item,
  id: JSON.stringify([item.model, item.provider, item.connections, item.price?.origin]),
})

export const PricesPage = () => {
  const list = useListSearch<"view">()
  const { view, ...params } = list.params
  const shown = views.find((one) => one === view) ?? "offered"
  const { data, error, refetch } = useQuery(pricedModelsQuery({ ...params, view: shown }))
  return (
    <ListPage
      title={t("label.prices")}
      lead={t("prices.lead")}
      list={list}
      result={{ data: data && { ...data, items: data.items.map(toRow) }, error, refetch }}
      searchLabel={t("action.searchModels")}
      filters={[
        {
          name: "view",
          label: t("prices.view"),
          options: views.map((one) => ({
            value: one === "offered" ? "" : one,
            label: t(`prices.view.${one}`),
          })),
        },
      ]}
      create={{ to: "/admin/prices/set", label: t("prices.set") }}
      actions={<PriceTransferMenu />}
      notice={
        shown === "offered" && <UnpricedNotice onShow={() => list.change({ view: "unpriced" })} />
      }
      icon={CircleDollarSign}
      none={
        shown === "unpriced"
          ? { title: t("prices.allPriced"), help: t("prices.allPricedHelp") }
          : { title: t("prices.none"), help: t("prices.noneHelp") }
      }
      columns={columns()}
    >
      {data && (
        <p className="text-sm text-muted">
          {t("prices.shippedDate", { date: formatDay(data.shipped_date) })}
        </p>
      )}
    </ListPage>
  )
}

/** How many models are offered whose requests count without a cost. */
const UnpricedNotice = ({ onShow }: { onShow: () => void }) => {
  const unpriced = useQuery(pricedModelsQuery({ view: "unpriced", page_size: 1 }))
  const count = unpriced.data?.total ?? 0
  if (count === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded border border-line bg-warn-soft px-3 py-2 text-sm">
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-warn" />
      <p className="min-w-48 flex-1">{t("prices.unpricedCount", { count })}</p>
      <Button onClick={onShow}>{t("prices.showUnpriced")}</Button>
    </div>
  )
}

const describeWhere = ({ connections, provider }: PricedModel): string =>
  connections.length > 0
    ? connections.map(({ name }) => name).join(", ")
    : (provider ?? t("prices.ofAll"))

const SetPriceLink = ({ model }: { model: string }) => (
  <Link
    to="/admin/prices/set"
    search={{ model }}
    aria-label={t("prices.setOf", { model })}
    className="rounded-sm text-accent hover:underline"
  >
    {t("prices.set")}
  </Link>
)

const columns = (): Column<Row>[] => [
  {
    id: "model",
    header: t("label.model"),
    grow: true,
    cell: (row) => (
      <>
        <NameCell detail={describeWhere(row)}>
          <Link to="/admin/prices/view/$modelId" params={{ modelId: row.model }}>
            {row.model}
          </Link>
        </NameCell>
        <EndOfLifeNote facts={row.facts} />
      </>
    ),
  },
  ...priceColumns<Row>(({ price }) => price),
  {
    id: "origin",
    header: t("prices.origin"),
    belowName: "plain",
    cell: ({ price }) => <OriginBadge origin={price?.origin} />,
  },
  {
    id: "from",
    header: t("prices.from"),
    align: "right",
    wideOnly: true,
    cell: ({ model, price }) =>
      price ? <Since from={price.from} /> : <SetPriceLink model={model} />,
  },
]
