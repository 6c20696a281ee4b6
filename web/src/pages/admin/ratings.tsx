import { useQuery } from "@tanstack/react-query"
import { ThumbsDown, ThumbsUp } from "lucide-react"
import type {
  ModelRatings,
  RatedAnswer,
} from "../../../../server/src/conversations/ratings/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import { ratingSummaryQuery, ratingsQuery } from "../../lib/rating-queries.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { Section } from "../../ui/page.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { UserLink } from "./user-link.tsx"

const Thumb = ({ value }: Pick<RatedAnswer, "value">) => {
  const Icon = value === "up" ? ThumbsUp : ThumbsDown
  return (
    <span className="flex items-center gap-1.5">
      <Icon aria-hidden className={value === "up" ? "size-4 text-ok" : "size-4 text-danger"} />
      {t(`ratings.${value}`)}
    </span>
  )
}

/** Models without ratings in the summary can still be in the URL. */
const modelOptions = (rated: readonly ModelRatings[], chosen: string | undefined) => {
  const models = new Set([...rated.map(({ model }) => model), ...(chosen ? [chosen] : [])])
  const options = [...models].map((model) => ({ value: model, label: model }))
  return [{ value: "", label: t("label.allModels") }, ...options]
}

/** The ratings of answers, by all users. */
export const RatingsPage = () => {
  const list = useListSearch<"model" | "value">()
  const ratings = useQuery(ratingsQuery(list.params))
  const summary = useQuery(ratingSummaryQuery)
  const models = summary.data?.items ?? []
  return (
    <ListPage
      title={t("ratings.title")}
      lead={t("ratings.lead")}
      list={list}
      result={ratings}
      searchLabel={t("ratings.search")}
      filters={[
        {
          name: "value",
          label: t("ratings.value"),
          options: [
            { value: "", label: t("ratings.all") },
            { value: "up", label: t("ratings.up") },
            { value: "down", label: t("ratings.down") },
          ],
        },
        {
          name: "model",
          label: t("label.model"),
          options: modelOptions(models, list.search.model),
        },
      ]}
      icon={ThumbsUp}
      none={{
        title: t("ratings.none"),
        help: t("ratings.noneHelp"),
        action: <ButtonLink to="/">{t("chat.new")}</ButtonLink>,
      }}
      columns={columns()}
    >
      {models.length > 0 && (
        <Section title={t("label.byModel")}>
          <ModelTable items={models} />
        </Section>
      )}
    </ListPage>
  )
}

const columns = (): Column<RatedAnswer>[] => [
  { id: "value", header: t("ratings.value"), cell: ({ value }) => <Thumb value={value} /> },
  {
    id: "reason",
    header: t("ratings.reason"),
    grow: "text",
    cell: ({ reason }) =>
      reason === "" ? (
        <span className="text-muted">{t("ratings.noReason")}</span>
      ) : (
        <span className="break-words whitespace-pre-wrap">{reason}</span>
      ),
  },
  { id: "model", header: t("label.model"), belowName: "plain", cell: ({ model }) => model },
  {
    id: "user",
    header: t("label.user"),
    belowName: "plain",
    cell: ({ user_id, user_name }) => (
      <UserLink id={user_id} className="hover:underline">
        {user_name}
      </UserLink>
    ),
  },
  { id: "when", header: t("ratings.when"), cell: ({ rated_at }) => <Time at={rated_at} /> },
]

const ModelTable = ({ items }: { items: readonly ModelRatings[] }) => (
  <Table
    label={t("label.byModel")}
    items={items}
    idOf={({ model }) => model}
    columns={[
      {
        id: "model",
        header: t("label.model"),
        grow: true,
        cell: ({ model }) => <span className="block truncate">{model}</span>,
      },
      ...(["up", "down"] as const).map((value) => ({
        id: value,
        header: t(`ratings.${value}`),
        align: "right" as const,
        cell: (ratings: ModelRatings) => formatNumber(ratings[value]),
      })),
    ]}
  />
)
