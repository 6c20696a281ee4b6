import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { ThumbsDown, ThumbsUp } from "lucide-react"
import type {
  ModelRatings,
  RatedAnswer,
} from "../../../../server/src/conversations/rating-schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import { ratingSummaryQuery, ratingsQuery } from "../../lib/rating-queries.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { NoResults } from "../../ui/no-results.tsx"
import { Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { Filter, Pager, SearchField, Toolbar } from "../../ui/toolbar.tsx"

const pageSize = 30

const Thumb = ({ value }: Pick<RatedAnswer, "value">) => {
  const Icon = value === "up" ? ThumbsUp : ThumbsDown
  return (
    <span className="flex items-center gap-1.5">
      <Icon aria-hidden className={value === "up" ? "size-4 text-ok" : "size-4 text-danger"} />
      {t(value === "up" ? "ratings.up" : "ratings.down")}
    </span>
  )
}

/** Models without ratings in the summary can still be in the URL. */
const modelOptions = (models: readonly string[], chosen: string | undefined) => {
  const all = chosen && !models.includes(chosen) ? [...models, chosen] : models
  return [
    { value: "", label: t("ratings.allModels") },
    ...all.map((model) => ({ value: model, label: model })),
  ]
}

/** The ratings of answers, by all users. */
export const RatingsPage = () => {
  const { search, change, toPage, setQuery, clear } = useListSearch<"model" | "value">()
  const { query, model, value, page = 1 } = search
  const ratings = useQuery(ratingsQuery({ query, model, value, page, page_size: pageSize }))
  const summary = useQuery(ratingSummaryQuery)
  const models = summary.data?.items ?? []
  return (
    <Page title={t("ratings.title")} lead={t("ratings.lead")}>
      <Toolbar>
        <SearchField label={t("ratings.search")} value={query ?? ""} onValue={setQuery} />
        <Filter
          label={t("ratings.value")}
          value={value ?? ""}
          onValue={(next) => change({ value: next })}
          options={[
            { value: "", label: t("ratings.all") },
            { value: "up", label: t("ratings.up") },
            { value: "down", label: t("ratings.down") },
          ]}
        />
        <Filter
          label={t("ratings.model")}
          value={model ?? ""}
          onValue={(next) => change({ model: next })}
          options={modelOptions(
            models.map((one) => one.model),
            model,
          )}
        />
      </Toolbar>
      <QueryResult query={ratings}>
        {({ items, total }) =>
          items.length === 0 ? (
            <NoRatings filtered={Boolean(query || model || value)} clear={clear} />
          ) : (
            <>
              <RatingTable items={items} />
              <Pager page={page} pageSize={pageSize} total={total} onPage={toPage} />
            </>
          )
        }
      </QueryResult>
      {models.length > 0 && (
        <Section title={t("ratings.byModel")}>
          <ModelTable items={models} />
        </Section>
      )}
    </Page>
  )
}

const RatingTable = ({ items }: { items: readonly RatedAnswer[] }) => (
  <Table
    label={t("ratings.title")}
    items={items}
    idOf={({ id }) => id}
    columns={[
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
      { id: "model", header: t("ratings.model"), belowName: "plain", cell: ({ model }) => model },
      {
        id: "user",
        header: t("ratings.user"),
        belowName: "plain",
        cell: ({ user_id, user_name }) => (
          <Link to="/admin/users/$userId" params={{ userId: user_id }} className="hover:underline">
            {user_name}
          </Link>
        ),
      },
      { id: "when", header: t("ratings.when"), cell: ({ rated_at }) => <Time at={rated_at} /> },
    ]}
  />
)

const ModelTable = ({ items }: { items: readonly ModelRatings[] }) => (
  <Table
    label={t("ratings.byModel")}
    items={items}
    idOf={({ model }) => model}
    columns={[
      {
        id: "model",
        header: t("ratings.model"),
        grow: true,
        cell: ({ model }) => <span className="block truncate">{model}</span>,
      },
      {
        id: "up",
        header: t("ratings.up"),
        align: "right",
        cell: ({ up }) => formatNumber(up),
      },
      {
        id: "down",
        header: t("ratings.down"),
        align: "right",
        cell: ({ down }) => formatNumber(down),
      },
    ]}
  />
)

const NoRatings = ({ filtered, clear }: { filtered: boolean; clear: () => void }) =>
  filtered ? (
    <NoResults icon={ThumbsUp} clear={clear} />
  ) : (
    <EmptyState
      icon={ThumbsUp}
      title={t("ratings.none")}
      action={<ButtonLink to="/">{t("chat.new")}</ButtonLink>}
    >
      {t("ratings.noneHelp")}
    </EmptyState>
  )
