import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { BookOpen, ScrollText } from "lucide-react"
import { useEffect, useRef } from "react"
import { t } from "../../i18n/translate.ts"
import {
  type FilePassage,
  type FileRecord,
  fileOutlineQuery,
  filePassagesQuery,
} from "../../lib/knowledge-api.ts"
import type { FileSearchParams } from "../../lib/knowledge-search-params.ts"
import { formatLocation } from "../../lib/passage-location.ts"
import { Button } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { Pager } from "../../ui/toolbar.tsx"
import { isPdf, PdfFile } from "../pdf/pdf-file.tsx"

const pageSize = 30

type OutlineEntry = Pick<FilePassage, "start" | "page" | "slide" | "sheet" | "heading">

interface PassageProps {
  passage: FilePassage
  isTarget: boolean
}

const PassageView = ({ passage, isTarget }: PassageProps) => {
  const box = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isTarget) box.current?.scrollIntoView({ block: "center" })
  }, [isTarget])
  const place = formatLocation(passage)
  return (
    <li
      ref={box}
      aria-current={isTarget || undefined}
      className={classes(
        "border-b border-line px-4 py-3 last:border-0",
        isTarget && "bg-warn-soft",
      )}
    >
      <p className="flex gap-2 text-xs text-muted">
        <span className="tabular">{passage.position + 1}</span>
        <span className="min-w-0 break-words">{place}</span>
      </p>
      <p className="mt-1 max-w-[80ch] text-sm break-words whitespace-pre-wrap">{passage.text}</p>
    </li>
  )
}

/** The depth of a heading is shown by indentation, so only its own text is repeated. */
const entryOf = ({ heading, ...place }: OutlineEntry): { label: string; depth: number } => {
  const own = heading?.at(-1)
  const rest = formatLocation(place)
  return { label: [rest, own].filter(Boolean).join(" · "), depth: (heading?.length ?? 1) - 1 }
}

/** Links to the pages or headings of a file. */
const Outline = ({ id, view }: { id: string; view: FileSearchParams["view"] }) => {
  const { data = [] } = useQuery(fileOutlineQuery(id))
  if (data.length < 2) return null
  return (
    <details className="rounded border border-line">
      <summary className="px-4 py-2 text-sm font-medium">
        {t("files.outline", { count: data.length })}
      </summary>
      <ol className="max-h-80 overflow-y-auto border-t border-line py-2">
        {data.map((place) => {
          const { label, depth } = entryOf(place)
          return (
            <li key={place.start} style={{ paddingLeft: `${Math.min(depth, 5)}rem` }}>
              <Link
                to="/knowledge/files/$fileId"
                params={{ fileId: id }}
                search={{ at: place.start, view }}
                className="block px-4 py-1 text-sm break-words -outline-offset-2 hover:bg-hover"
              >
                {label}
              </Link>
            </li>
          )
        })}
      </ol>
    </details>
  )
}

interface FilePreviewProps {
  file: FileRecord
  search: FileSearchParams
}

const passagesOf = (file: FileRecord, { at, page }: FileSearchParams) => ({
  ...filePassagesQuery(file.id, {
    ...(page === undefined && at !== undefined ? { at } : { page: page ?? 1 }),
    page_size: pageSize,
  }),
  enabled: file.data.progress.passages !== null,
})

const targetOf = (items: readonly FilePassage[], { at, page }: FileSearchParams) =>
  page === undefined ? items.findLast(({ start }) => at !== undefined && start <= at) : undefined

/** The text extracted from a file, passage by passage. */
const PassageList = ({ file, search }: FilePreviewProps) => {
  const navigate = useNavigate()
  const query = useQuery(passagesOf(file, search))
  if (file.data.progress.passages === null) return null
  return (
    <QueryResult query={query}>
      {({ items, total }) => {
        const target = targetOf(items, search)
        const first = items[0]?.position ?? 0
        return (
          <>
            <ol className="rounded border border-line">
              {items.map((passage) => (
                <PassageView
                  key={passage.position}
                  passage={passage}
                  isTarget={passage === target}
                />
              ))}
            </ol>
            <Pager
              page={Math.floor(first / pageSize) + 1}
              pageSize={pageSize}
              total={total}
              onPage={(page) =>
                void navigate({ to: ".", search: { page, view: search.view } as never })
              }
            />
          </>
        )
      }}
    </QueryResult>
  )
}

/** The pages of a PDF, at the passage that the address names. */
const Pages = ({ file, search }: FilePreviewProps) => {
  const { at } = search
  const isSought = at !== undefined && file.data.progress.passages !== null
  const { data, isLoading } = useQuery({ ...passagesOf(file, { at }), enabled: isSought })
  if (isLoading) return <Skeleton rows={8} />
  const target = isSought ? targetOf(data?.items ?? [], { at }) : undefined
  return (
    <PdfFile
      key={target?.start}
      id={file.id}
      name={file.filename}
      page={target?.page ?? 1}
      passage={target?.text ?? null}
      className="h-[85vh]"
      text={<PassageList file={file} search={search} />}
    />
  )
}

/** A file's pages or its text. */
export const FilePreview = ({ file, search }: FilePreviewProps) => {
  const navigate = useNavigate()
  const hasPassages = file.data.progress.passages !== null
  const hasPages = isPdf(file.filename)
  if (!hasPages && !hasPassages) return null
  const asPages = hasPages && search.view !== "text"
  const showOther = (): void => {
    const view = asPages ? "text" : undefined
    void navigate({ to: ".", search: { at: search.at, view } as never })
  }
  return (
    <Section
      title={t(asPages ? "pdf.title" : "label.text")}
      {...(!asPages && { lead: t("files.textLead") })}
      action={
        hasPages &&
        hasPassages && (
          <Button icon={asPages ? ScrollText : BookOpen} onClick={showOther}>
            {t(asPages ? "pdf.showText" : "pdf.showPages")}
          </Button>
        )
      }
    >
      {hasPassages && <Outline id={file.id} view={search.view} />}
      {asPages ? (
        <Pages file={file} search={search} />
      ) : (
        <PassageList file={file} search={search} />
      )}
    </Section>
  )
}
