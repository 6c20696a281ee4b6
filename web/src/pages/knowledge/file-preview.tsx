import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { t } from "../../i18n/translate.ts"
import {
  type FilePassage,
  type FileRecord,
  fileOutlineQuery,
  filePassagesQuery,
} from "../../lib/knowledge-api.ts"
import { classes } from "../../ui/classes.ts"
import { Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Pager } from "../../ui/toolbar.tsx"
import { formatLocation } from "../chat/citations.ts"

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
const Outline = ({ id }: { id: string }) => {
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
                search={{ at: place.start }}
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
  /** Offset of the passage to highlight, in UTF-16 code units. */
  at: number | undefined
  page: number | undefined
}

/** The text extracted from a file, passage by passage. */
export const FilePreview = ({ file, at, page }: FilePreviewProps) => {
  const navigate = useNavigate()
  const hasPassages = file.data.progress.passages !== null
  const pageParams = page === undefined && at !== undefined ? { at } : { page: page ?? 1 }
  const query = useQuery({
    ...filePassagesQuery(file.id, { ...pageParams, page_size: pageSize }),
    enabled: hasPassages,
  })
  if (!hasPassages) return null
  return (
    <Section title={t("files.text")} lead={t("files.textLead")}>
      <Outline id={file.id} />
      <QueryResult query={query}>
        {({ items, total }) => {
          const target = items.findLast(({ start }) => at !== undefined && start <= at)
          const first = items[0]?.position ?? 0
          return (
            <>
              <ol className="rounded border border-line">
                {items.map((passage) => (
                  <PassageView
                    key={passage.position}
                    passage={passage}
                    isTarget={page === undefined && passage === target}
                  />
                ))}
              </ol>
              <Pager
                page={Math.floor(first / pageSize) + 1}
                pageSize={pageSize}
                total={total}
                onPage={(next) => void navigate({ to: ".", search: { page: next } as never })}
              />
            </>
          )
        }}
      </QueryResult>
    </Section>
  )
}
