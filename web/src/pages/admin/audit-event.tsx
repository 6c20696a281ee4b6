import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { AuditEvent } from "../../../../server/src/audit/schema.ts"
import { t } from "../../i18n/translate.ts"
import { auditEventQuery } from "../../lib/audit-queries.ts"
import { formatExactTime } from "../../lib/format.ts"
import { Badge } from "../../ui/badge.tsx"
import { ButtonLink } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { BackLink, DefinitionList, Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { actorName, auditSentence, targetName } from "./audit-sentence.tsx"
import { OutcomeBadge } from "./audit-table.tsx"
import { UserLink } from "./user-link.tsx"

const route = getRouteApi("/inside/admin/audit/$eventId")

export const AuditEventPage = () => {
  const { eventId } = route.useParams()
  const event = useQuery(auditEventQuery(eventId))
  return (
    <Page
      title={event.data ? auditSentence({ event: event.data }) : t("label.event")}
      lead={event.data && formatExactTime(event.data.at)}
      breadcrumb={<BackLink to="/admin/audit">{t("label.auditLog")}</BackLink>}
      narrow
    >
      <QueryResult query={event} rows={8}>
        {(data) => (
          <>
            <DefinitionList rows={factsOf(data)} />
            <Values event={data} />
            <Related event={data} />
          </>
        )}
      </QueryResult>
    </Page>
  )
}

const Related = ({ event: { actor_id, target_id } }: { event: AuditEvent }) => (
  <div className="flex flex-wrap gap-2">
    {actor_id && (
      <ButtonLink to="/admin/audit" search={{ actor: actor_id }}>
        {t("audit.byActor")}
      </ButtonLink>
    )}
    {target_id && (
      <ButtonLink to="/admin/audit" search={{ target: target_id }}>
        {t("audit.byTarget")}
      </ButtonLink>
    )}
  </div>
)

const link = "underline decoration-line-strong underline-offset-2 hover:decoration-accent"

const Actor = ({ event }: { event: AuditEvent }) => {
  const name = actorName(event)
  if (event.actor_name === null || event.actor_id === null) return name
  return (
    <UserLink id={event.actor_id} className={link}>
      {name}
    </UserLink>
  )
}

const Target = ({ event }: { event: AuditEvent }) => {
  const { target_type, target_id, target_name } = event
  const name = targetName(event)
  if (target_id !== null && target_type === "limit") {
    return (
      <Link to="/admin/limits/$limitId" params={{ limitId: target_id }} className={link}>
        {name}
      </Link>
    )
  }
  if (target_id === null || target_name === null) return <Coded>{name}</Coded>
  if (target_type === "user") {
    return (
      <UserLink id={target_id} className={link}>
        {name}
      </UserLink>
    )
  }
  if (target_type !== "group") return name
  return (
    <Link to="/admin/groups/$groupId" params={{ groupId: target_id }} className={link}>
      {name}
    </Link>
  )
}

const Coded = ({ children }: { children: ReactNode }) => (
  <code className="text-xs break-all">{children}</code>
)

const Names = ({ names }: { names: readonly string[] }) => (
  <span className="flex flex-wrap gap-1">
    {names.map((name) => (
      <Badge key={name}>{name}</Badge>
    ))}
  </span>
)

const factsOf = (event: AuditEvent): [string, ReactNode][] => {
  const { key_id, key_name, address, target_type, changed, ignored, count, request_id, block } =
    event
  const facts: [string, ReactNode | false | null][] = [
    [t("label.action"), <Coded key="action">{event.action}</Coded>],
    [t("audit.actor"), <Actor key="actor" event={event} />],
    [t("label.apiKey"), key_name ?? (key_id && <Coded>{key_id}</Coded>)],
    [t("audit.address"), address],
    [
      t("audit.target"),
      target_type && (
        <span className="flex flex-wrap items-baseline gap-2">
          <Target event={event} />
          <span className="text-muted">{target_type}</span>
        </span>
      ),
    ],
    [t("audit.outcome"), <OutcomeBadge key="outcome" event={event} />],
    [t("audit.count"), count > 1 && t("audit.countHelp", { count })],
    [t("audit.changed"), changed.length > 0 && <Names names={changed} />],
    [t("audit.ignored"), ignored.length > 0 && <Names names={ignored} />],
    [
      t("audit.request"),
      request_id && (
        <span className="flex items-center gap-1">
          <Coded>{request_id}</Coded>
          <CopyButton text={request_id} label={t("audit.copyRequest")} />
        </span>
      ),
    ],
    [t("audit.seal"), block === null ? t("audit.unsealed") : t("audit.sealed", { block })],
  ]
  return facts.filter(([, value]) => value !== false && value !== null && value !== "")
}

const shown = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value)

const Change = ({ before, after }: { before: unknown; after: unknown }) => (
  <span className="flex flex-wrap items-baseline gap-x-2">
    {before !== undefined && <Coded>{shown(before)}</Coded>}
    {before !== undefined && after !== undefined && <span aria-hidden>→</span>}
    {after !== undefined && <Coded>{shown(after)}</Coded>}
  </span>
)

const Values = ({ event: { before, after } }: { event: AuditEvent }) => {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (names.length === 0) return null
  const rows = names.map(
    (name) => [name, <Change key={name} before={before?.[name]} after={after?.[name]} />] as const,
  )
  return (
    <Section title={t(before && after ? "audit.values" : "audit.fields")}>
      <DefinitionList rows={rows} />
    </Section>
  )
}
