import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, Outlet } from "@tanstack/react-router"
import { Library, MessageSquare, TriangleAlert } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import { attachToNewChat } from "../../lib/drafts.ts"
import { isShippedModel } from "../../lib/embedding-model.ts"
import { type CollectionWithFiles, collectionQuery } from "../../lib/knowledge-api.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { useGoToPage } from "../../lib/use-go-to-page.ts"
import { Button } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { LinkTabs } from "../../ui/link-tabs.tsx"
import { BackLink, DefinitionList, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { mayManage } from "../grants/access.ts"
import { ownerName } from "../ownership/owner-name.ts"
import { mayWrite } from "./may-write.ts"

const route = getRouteApi("/inside/knowledge/$collectionId")

/** The collection of the current page, and the user's rights on it. */
export const useCollection = () => {
  const { collectionId } = route.useParams()
  const me = useCurrentUser()
  const query = useQuery(collectionQuery(collectionId))
  const writable = query.data !== undefined && mayWrite(me, query.data)
  const owned = query.data !== undefined && mayManage(me, query.data)
  return { query, writable, owned }
}

const ChatButton = ({ collection: { id, name } }: { collection: CollectionWithFiles }) => {
  const me = useCurrentUser()
  const go = useGoToPage()
  const ask = (): void => {
    attachToNewChat(me.id, [{ type: "collection", id, name }])
    go("/")
  }
  return (
    <Button variant="primary" icon={MessageSquare} onClick={ask}>
      {t("knowledge.ask")}
    </Button>
  )
}

interface NoteProps {
  collection: CollectionWithFiles
}

/** The model that provides semantic search in the collection, or a note that there is none. */
const SearchNote = ({ collection }: NoteProps) => {
  const { search, embedding_model: model } = collection
  if (search === "lexical") return null
  if (model !== null) {
    return (
      <p className="text-sm text-muted">
        {isShippedModel(model)
          ? t("knowledge.semanticBuiltIn")
          : t("knowledge.semantic", { model })}
      </p>
    )
  }
  return (
    <p className="rounded border border-line bg-surface px-3 py-2 text-sm text-muted">
      {t("knowledge.keywordsOnly")}
    </p>
  )
}

/** Leads to the questions that got worse, if any did. */
const LostNote = ({ collection: { id, lost_questions: count } }: NoteProps) => {
  if (count === 0) return null
  return (
    <p className="text-sm">
      <Link
        to="/knowledge/$collectionId/questions"
        params={{ collectionId: id }}
        search={{ state: "lost" }}
        className="inline-flex items-center gap-1.5 rounded-sm text-danger hover:underline"
      >
        <TriangleAlert aria-hidden className="size-4 shrink-0" />
        {t("questions.gotWorse", { count })}
      </Link>
    </p>
  )
}

/** `/knowledge/$collectionId`: the frame around a collection's files, search, and settings. */
export const CollectionLayout = () => {
  const { query, writable } = useCollection()
  const { data, error } = query
  const above = <BackLink to="/knowledge">{t("label.knowledge")}</BackLink>
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title={t("objects.type.collection")} breadcrumb={above}>
        <EmptyState icon={Library} title={t("knowledge.gone")}>
          {t("error.goneHelp")}
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page
      title={data?.name ?? t("objects.type.collection")}
      lead={data?.description}
      breadcrumb={above}
      action={data && <ChatButton collection={data} />}
    >
      <LinkTabs
        label={t("objects.type.collection")}
        tabs={[
          { to: "/knowledge/$collectionId", label: t("label.files"), exact: true },
          { to: "/knowledge/$collectionId/search", label: t("playground.title") },
          { to: "/knowledge/$collectionId/questions", label: t("questions.title") },
          ...(writable
            ? [{ to: "/knowledge/$collectionId/settings", label: t("label.settings") } as const]
            : []),
        ]}
      />
      <QueryResult query={query} rows={8}>
        {(collection) => (
          <>
            <DefinitionList rows={[[t("label.owner"), ownerName(collection)]]} />
            <SearchNote collection={collection} />
            <LostNote collection={collection} />
            <Outlet />
          </>
        )}
      </QueryResult>
    </Page>
  )
}
