import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Gauge } from "lucide-react"
import type { Limit } from "../../../../server/src/limits/schema.ts"
import { t } from "../../i18n/translate.ts"
import { limitsQuery } from "../../lib/limit-queries.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { ListPage } from "../../ui/list-page.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { LimitBadges, LimitState, SetByBadge } from "../limits/limit-state.tsx"
import { describeLimit, describeTarget } from "../limits/limit-text.ts"
import { targetTypes } from "./limit-target-field.tsx"

/** Every limit, the latest first. */
export const LimitsPage = () => {
  const list = useListSearch<"target_type">()
  const limits = useQuery(limitsQuery({ ...list.params, direction: "desc" }))
  return (
    <ListPage
      title={t("label.limits")}
      lead={t("limits.lead")}
      list={list}
      result={limits}
      searchLabel={t("limits.search")}
      filters={[
        {
          name: "target_type",
          label: t("limits.target"),
          options: [
            { value: "", label: t("limits.anyTarget") },
            ...targetTypes.map((type) => ({ value: type, label: t(`limits.of.${type}`) })),
          ],
        },
      ]}
      create={{ to: "/admin/limits/new", label: t("limits.create") }}
      icon={Gauge}
      none={{ title: t("limits.none"), help: t("limits.noneHelp") }}
      columns={columns()}
    />
  )
}

const describeType = ({ target: { type }, target_detail }: Limit): string | undefined => {
  if (type === "everyone") return undefined
  return [t(`limits.type.${type}`), ...(target_detail ? [target_detail] : [])].join(" · ")
}

const columns = (): Column<Limit>[] => [
  {
    id: "target",
    header: t("limits.target"),
    grow: true,
    cell: (limit) => (
      <NameCell detail={describeType(limit)}>
        <Link to="/admin/limits/$limitId" params={{ limitId: limit.id }}>
          {describeTarget(limit)}
        </Link>
      </NameCell>
    ),
  },
  {
    id: "limit",
    header: t("limits.limit"),
    belowName: "plain",
    cell: (limit) => (
      // In narrow tables, wide enough for what is spent to begin on a line of its own.
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 @max-[46rem]:w-[min(30rem,70vw)]">
        <Link
          to="/admin/limits/$limitId"
          params={{ limitId: limit.id }}
          className="font-medium hover:underline"
        >
          {describeLimit(limit)}
        </Link>
        <LimitBadges {...limit} />
        <SetByBadge {...limit} />
      </div>
    ),
  },
  {
    id: "state",
    header: t("limits.used"),
    belowName: "plain",
    cell: (limit) => (
      <div className="w-68 max-w-full min-w-48">
        <LimitState {...limit} />
      </div>
    ),
  },
]
