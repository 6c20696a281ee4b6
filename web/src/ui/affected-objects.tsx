import type { Ref } from "react"
import type { ObjectsInUse } from "../../../server/src/http/in-use.ts"
import { isMessageKey, t } from "../i18n/translate.ts"
import { formatList } from "../lib/format.ts"

type AffectedObject = ObjectsInUse["items"][number]
type NamedObject = AffectedObject["used_by"][number]

const typeLabel = (type: string): string => {
  const key = `objects.type.${type}`
  return isMessageKey(key) ? t(key) : type
}

/** "3 models", for one of the types that the gateway counts. */
export const countLabel = (type: string, count: number): string => {
  const key = `objects.count.${type}`
  return isMessageKey(key) ? t(key, { count }) : `${count} ${type}`
}

const nameOf = ({ type, id, name }: NamedObject): string => {
  if (type === "everyone") return t("objects.everyone")
  if (type === "setting") return t("objects.newChats")
  return name || id
}

/** The names of the first objects, and how many more there are. */
const summarize = (objects: readonly NamedObject[], count: number): string => {
  const rest = count - objects.length
  const names = objects.map(nameOf)
  return formatList(rest > 0 ? [...names, t("objects.more", { count: rest })] : names)
}

const detailsOf = (object: AffectedObject): string => {
  const { type, shared_with, shared_count, used_by, used_count } = object
  // Every account with the link can read a shared chat.
  if (type === "chat") return t("objects.sharedChat")
  const details = [
    shared_count > 0 && t("objects.sharedWith", { names: summarize(shared_with, shared_count) }),
    used_count > 0 && t("objects.usedBy", { names: summarize(used_by, used_count) }),
  ]
  return details.filter(Boolean).join(" · ")
}

const Item = ({ object }: { object: AffectedObject }) => {
  const { type, name } = object
  const details = detailsOf(object)
  return (
    <li className="border-b border-line px-3 py-1.5 last:border-0">
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 font-medium break-words text-text">{name}</span>
        <span className="shrink-0 text-xs">{typeLabel(type)}</span>
      </span>
      {details && <span className="block text-xs break-words">{details}</span>}
    </li>
  )
}

interface AffectedObjectsProps {
  inUse: ObjectsInUse
  label: string
  /** The list, which can be scrolled. */
  ref?: Ref<HTMLElement>
}

/** The objects that a deletion takes from others or breaks, and who uses them. */
export const AffectedObjects = ({ inUse, label, ref }: AffectedObjectsProps) => {
  const rest = inUse.total - inUse.items.length
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      <section
        ref={ref}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className="max-h-56 overflow-y-auto rounded border border-line"
      >
        <ul>
          {inUse.items.map((object) => (
            <Item key={`${object.type} ${object.id}`} object={object} />
          ))}
        </ul>
      </section>
      {rest > 0 && <p>{t("objects.more", { count: rest })}</p>}
    </div>
  )
}
