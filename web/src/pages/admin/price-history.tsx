import { Pencil, Trash2 } from "lucide-react"
import type { PriceView } from "../../../../server/src/prices/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { formatDate } from "../../lib/format.ts"
import { modelPricePath } from "../../lib/price-queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { IconButton, IconLink } from "../../ui/button.tsx"
import { ConfirmTrigger } from "../../ui/confirm-trigger.tsx"
import { Section } from "../../ui/page.tsx"
import { type Column, NameCell, Table } from "../../ui/table.tsx"
import { OriginBadge, priceColumns } from "./price-cells.tsx"
import { type ConnectionNames, describeScope, scopeOf } from "./price-scope.ts"

interface PriceHistoryProps {
  /** Of each scope, the latest first. */
  entries: readonly PriceView[]
  names: ConnectionNames
}

/** Every price of a model, also earlier and future ones; those of administrators can be changed. */
export const PriceHistory = ({ entries, names }: PriceHistoryProps) => (
  <Section title={t("prices.history")} lead={t("prices.historyLead")}>
    <Table
      label={t("prices.history")}
      items={entries.toSorted((a, b) => b.from - a.from)}
      idOf={({ model, origin, from, ...scope }) =>
        JSON.stringify([model, origin, from, scopeOf(scope)])
      }
      columns={columns(names, new Set(entries.map(({ model }) => model)).size > 1)}
    />
  </Section>
)

const describeTarget = (entry: PriceView, names: ConnectionNames, hasModels: boolean): string =>
  [
    entry.from > Date.now() / 1000 && t("prices.upcoming"),
    hasModels && entry.model,
    describeScope(entry, names),
  ]
    .filter(Boolean)
    .join(" · ")

const columns = (names: ConnectionNames, hasModels: boolean): Column<PriceView>[] => [
  {
    id: "from",
    header: t("prices.from"),
    grow: true,
    cell: (entry) => (
      <NameCell detail={describeTarget(entry, names, hasModels)}>
        {entry.from === 0 ? t("prices.always") : formatDate(entry.from)}
      </NameCell>
    ),
  },
  ...priceColumns<PriceView>((entry) => entry),
  {
    id: "origin",
    header: t("prices.origin"),
    belowName: "plain",
    cell: ({ origin }) => <OriginBadge origin={origin} />,
  },
  { id: "change", header: "", align: "right", cell: (entry) => <Change entry={entry} /> },
]

const Change = ({ entry }: { entry: PriceView }) => {
  const { model, provider, connection, from, origin } = entry
  if (origin === "shipped") return null
  const general = provider === undefined && connection === undefined
  const remove = async (): Promise<void> => {
    await api.delete(modelPricePath, {
      params: { model },
      query: { from, provider, connection, general },
    })
    await invalidateQueries([["prices"], ["models"]])
  }
  return (
    <span className="inline-flex">
      <IconLink
        to="/admin/prices/set"
        search={{ model, scope: scopeOf(entry), from: String(from) }}
        icon={Pencil}
        label={t("prices.edit")}
      />
      <ConfirmTrigger
        trigger={<IconButton icon={Trash2} label={t("prices.delete")} />}
        title={t("prices.deleteTitle")}
        action={t("prices.delete")}
        danger
        onConfirm={remove}
      >
        {t("prices.deleteLead")}
      </ConfirmTrigger>
    </span>
  )
}
