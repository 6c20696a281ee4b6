import type { Limit, OwnLimit } from "../../../../server/src/limits/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatDate } from "../../lib/format.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { Badge } from "../../ui/badge.tsx"
import { classes } from "../../ui/classes.ts"
import { Time } from "../../ui/time.tsx"
import {
  currentAmount,
  currentRaise,
  describeState,
  formatAmount,
  spentShare,
} from "./limit-text.ts"

/** Shares from which a warning is shown. */
const warnShare = 0.8
const reachedShare = 1

type StateProps = Pick<
  Limit,
  "metric" | "window" | "rolling" | "amount" | "raise" | "spent" | "reserved" | "resets_at"
>

const toneOf = (share: number): string => {
  if (share >= reachedShare) return "bg-danger"
  return share >= warnShare ? "bg-warn" : "bg-accent"
}

const partsOf = (limit: StateProps): BarProps => {
  const amount = currentAmount(limit)
  const share = Math.min(1, spentShare(limit))
  return { share, reserved: amount === 0 ? 0 : Math.min(1 - share, limit.reserved / amount) }
}

interface BarProps {
  share: number
  reserved: number
}

/** What is spent and, lighter, reserved; repeats the text beside it graphically. */
const LimitBar = ({ share, reserved }: BarProps) => {
  return (
    <div
      aria-hidden
      className="flex h-2 overflow-hidden rounded-full border border-line-strong bg-surface"
    >
      <div className={toneOf(share)} style={{ width: `${share * 100}%` }} />
      <div
        className={classes("opacity-45", toneOf(share))}
        style={{ width: `${reserved * 100}%` }}
      />
    </div>
  )
}

/** How much of a limit is spent, as a bar and in words, and when it is reset. */
export const LimitState = (limit: StateProps) => (
  <div className="flex min-w-0 flex-col gap-1 text-xs tabular">
    <LimitBar {...partsOf(limit)} />
    <div className="flex flex-wrap justify-between gap-x-4 text-muted">
      <span>{describeState(limit)}</span>
      <NextReset {...limit} />
    </div>
  </div>
)

type ShareProps = Pick<OwnLimit, "used" | "window" | "rolling" | "resets_at"> & { text: string }

/** The part of a limit that is spent, without amounts. */
export const LimitShare = ({ used, text, ...reset }: ShareProps) => (
  <div className="flex min-w-0 flex-col gap-1 text-xs tabular">
    <LimitBar share={used} reserved={0} />
    <div className="flex flex-wrap justify-between gap-x-4 text-muted">
      <span>{text}</span>
      <NextReset {...reset} />
    </div>
  </div>
)

/** One per minute is reset all the time. */
const NextReset = ({
  window,
  rolling,
  resets_at: at,
}: Pick<StateProps, "window" | "rolling" | "resets_at">) =>
  at !== null &&
  window !== "minute" && (
    <span>
      {t(rolling ? "limits.frees" : "limits.resets")} <Time at={at} inSentence />
    </span>
  )

/** Whether a limit is nearly or entirely spent; one per minute fills and empties all the time. */
const LimitWarning = (limit: StateProps) => {
  const share = spentShare(limit)
  if (limit.metric === "concurrency" || limit.window === "minute" || share < warnShare) return null
  return share >= reachedShare ? (
    <Badge tone="danger">{t("limits.reached")}</Badge>
  ) : (
    <Badge tone="warn">{t("limits.nearlyReached")}</Badge>
  )
}

/** Who set a limit, which administrators usually do themselves. */
export const SetByBadge = ({ set_by }: Pick<Limit, "set_by">) => {
  const { role } = useCurrentUser()
  const isUsual = role === "admin" && set_by === "administrator"
  return isUsual ? null : <Badge>{t(`limits.setBy.${set_by}`)}</Badge>
}

/** What differs from other limits. */
export const LimitBadges = (limit: StateProps & Pick<Limit, "mode" | "model">) => {
  const raise = currentRaise(limit)
  return (
    <>
      <LimitWarning {...limit} />
      {limit.mode === "soft" && <Badge>{t("limits.softMark")}</Badge>}
      {limit.model !== undefined && (
        <Badge>
          <span className="truncate">{t("limits.onlyModel", { model: limit.model })}</span>
        </Badge>
      )}
      {raise && (
        <Badge tone="accent">
          {t("limits.raised", {
            amount: formatAmount(limit.metric, raise.amount),
            day: formatDate(raise.until),
          })}
        </Badge>
      )}
    </>
  )
}
