import { useMutation } from "@tanstack/react-query"
import { Pencil, ThumbsDown, ThumbsUp } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Input } from "../../ui/field.tsx"
import { useFocusAfterRemoval } from "./use-focus-after-removal.ts"

type Rating = NonNullable<Message["rating"]>

const values = [
  { value: "up", icon: ThumbsUp, label: "answer.good" },
  { value: "down", icon: ThumbsDown, label: "answer.bad" },
] as const

interface RatingButtonsProps {
  message: Message
  onRate: (rating: Rating | null) => void
}

/** Thumbs up and down; pressing the active one again removes the rating. */
export const RatingButtons = ({ message, onRate }: RatingButtonsProps) =>
  values.map(({ value, icon, label }) => {
    const isActive = message.rating?.value === value
    return (
      <IconButton
        key={value}
        icon={icon}
        label={t(label)}
        aria-pressed={isActive}
        className={isActive ? "text-accent [&_svg]:fill-current" : ""}
        onClick={() => onRate(isActive ? null : { value, reason: "" })}
      />
    )
  })

interface RatingReasonProps {
  rating: Rating
  editing: boolean
  onEditing: (editing: boolean) => void
  onSave: (reason: string) => Promise<void>
}

/** The reason for a rating, or the field to enter it. */
export const RatingReason = ({ rating, editing, onEditing, onSave }: RatingReasonProps) => {
  if (editing)
    return <ReasonForm rating={rating} onSave={onSave} onClose={() => onEditing(false)} />
  if (rating.reason === "") return null
  return (
    <p className="flex items-center gap-1 text-xs text-muted">
      <span className="min-w-0 break-words">
        {t("answer.yourReason", { reason: rating.reason })}
      </span>
      <IconButton icon={Pencil} label={t("answer.editReason")} onClick={() => onEditing(true)} />
    </p>
  )
}

const ReasonForm = ({
  rating,
  onSave,
  onClose,
}: Pick<RatingReasonProps, "rating" | "onSave"> & { onClose: () => void }) => {
  const form = useFocusAfterRemoval<HTMLFormElement>((removed) =>
    removed.previousElementSibling?.querySelector('[aria-pressed="true"]'),
  )
  const [reason, setReason] = useState(rating.reason)
  const save = useMutation({ mutationFn: () => onSave(reason), onSuccess: onClose })
  const label = t(rating.value === "up" ? "answer.goodReason" : "answer.badReason")
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
      className="mt-1 flex flex-wrap items-center gap-2"
    >
      <Input
        autoFocus
        aria-label={label}
        placeholder={label}
        maxLength={1000}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        className="min-w-0 flex-1 basis-60"
      />
      <Button type="submit" busy={save.isPending}>
        {t("answer.saveReason")}
      </Button>
      <Button variant="quiet" onClick={onClose}>
        {t("action.cancel")}
      </Button>
      {save.error && <ErrorNote error={save.error} />}
    </form>
  )
}
