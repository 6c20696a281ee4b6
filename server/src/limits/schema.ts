import { z } from "zod"
import { withMessage } from "../http/issue-messages.ts"
import { MessageReference } from "../http/message-reference.ts"
import { ListQuery } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"

/**
 * Whose requests count. A group's are those of all its members, whichever group pays; a model's
 * include those of the models that are based on it.
 */
export const LimitTargetType = z.enum(["everyone", "group", "user", "key", "model", "connection"])
export type LimitTargetType = z.output<typeof LimitTargetType>

const Id = z.string().min(1).max(300)

const LimitTarget = z
  .strictObject({
    type: LimitTargetType,
    /** A model's or connection's id, or that of a group, user or key; none for everyone. */
    id: Id.optional(),
  })
  .refine(
    ({ type, id }) => (type === "everyone") === (id === undefined),
    withMessage(translatable("limit_target_id")),
  )
export type LimitTarget = z.output<typeof LimitTarget>

/** `concurrency`: requests in flight. `cost`: nano-dollars. */
export const LimitMetric = z.enum(["requests", "tokens", "cost", "concurrency"])
export type LimitMetric = z.output<typeof LimitMetric>
export const LimitWindow = z.enum(["minute", "hour", "day", "week", "month", "total"])
/** `soft`: admits requests as long as less than the amount is spent, and reserves nothing. */
const LimitMode = z.enum(["hard", "soft"])

/**
 * Who set a limit: an administrator, a manager of its `group_id`, or the owner of the key that it is
 * for. Administrators change all; others only what their own role set.
 */
export const LimitSetter = z.enum(["administrator", "manager", "owner"])
export type LimitSetter = z.output<typeof LimitSetter>

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

const TimeZone = z
  .string()
  .max(100)
  .refine(isTimeZone, withMessage(translatable("limit_time_zone_unknown")))

const Amount = z.int().min(0)

const RaiseEnd = z.int(withMessage(translatable("limit_raise_end_missing"))).max(99_999_999_999)

/** A higher amount until `until`, in epoch seconds. */
const LimitRaise = z.strictObject({ amount: Amount, until: RaiseEnd })
export type LimitRaise = z.output<typeof LimitRaise>

const fixedFields = {
  target: LimitTarget,
  /** Only requests to this model count. */
  model: Id.optional(),
  metric: LimitMetric,
}

const changeableFields = {
  amount: Amount,
  window: LimitWindow,
  mode: LimitMode,
  /** Of calendar windows. */
  time_zone: TimeZone,
  /** Whether the window ends now, instead of following the calendar. */
  rolling: z.boolean(),
  raise: LimitRaise.nullable(),
}

export const NewLimit = z
  .strictObject({
    ...fixedFields,
    ...changeableFields,
    /** Makes it a limit of this group's managers, for a member or a service key. */
    group_id: Id.optional(),
    window: changeableFields.window.optional(),
    mode: changeableFields.mode.default("hard"),
    time_zone: changeableFields.time_zone.default("UTC"),
    rolling: changeableFields.rolling.default(false),
    raise: changeableFields.raise.default(null),
  })
  .meta({ id: "NewLimit" })
export type NewLimit = z.output<typeof NewLimit>

const stateFields = {
  /** Used in the current window; with `reserved`, at most the amount if the limit is hard. */
  spent: z.number().min(0),
  /** What requests in flight may use at most, and what the gateway's processes hold in advance. */
  reserved: z.number().min(0),
  /** When something that is spent stops counting, in epoch seconds; null if nothing does. */
  resets_at: z.int().nullable(),
}

const nameFields = {
  /** Null for everyone, and for a model that is known by its id only. */
  target_name: z.string().nullable(),
  /** What tells it apart from others with its name: a user's email address, or a key's owner. */
  target_detail: z.string().nullable(),
}

export const Limit = z
  .strictObject({
    id: z.string(),
    ...fixedFields,
    ...nameFields,
    ...changeableFields,
    ...stateFields,
    set_by: LimitSetter,
    /** If a manager set it; it applies to a user only while they are a member of this group. */
    group_id: z.string().nullable(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "Limit" })
export type Limit = z.output<typeof Limit>

/** What changes; members that cannot are accepted if they have their present value. */
export const LimitChange = z
  .strictObject({ ...fixedFields, ...changeableFields })
  .partial()
  .meta({ id: "LimitChange" })
export type LimitChange = z.output<typeof LimitChange>

/** A limit on the caller's requests; without amounts if the caller shares it with others. */
export const OwnLimit = z
  .strictObject({
    /** Without a raise, as an amount, if others share it. */
    ...z.strictObject(Limit.shape).omit({ created_at: true, updated_at: true }).shape,
    amount: Amount.nullable(),
    spent: stateFields.spent.nullable(),
    reserved: stateFields.reserved.nullable(),
    /** Part of the amount that is spent, from 0 to 1. */
    used: z.number().min(0).max(1),
  })
  .meta({ id: "OwnLimit" })
export type OwnLimit = z.output<typeof OwnLimit>

export const OwnLimitQuery = ListQuery.pick({ page: true, page_size: true })
export type OwnLimitQuery = z.output<typeof OwnLimitQuery>

export const LimitListQuery = ListQuery.omit({ order_by: true }).extend({
  query: ListQuery.shape.query.describe(
    "Part of the name of what is limited, or of its id if it is a model; or of a key's owner",
  ),
  id: z.string().max(200).optional(),
  target_type: LimitTargetType.optional(),
  target_id: z.string().max(300).optional(),
  model: z.string().max(300).optional(),
  metric: LimitMetric.optional(),
})
export type LimitListQuery = z.output<typeof LimitListQuery>

/** A limit that is nearly used up, or reached, as those see it who share it. */
export const LimitNotice = z
  .object({
    /** Another one in each period, and at each level. */
    id: z.string(),
    /** `warning`: at least 80 % are used. */
    level: z.enum(["warning", "reached"]),
    /** The part that is used: 0 to 1. */
    share: z.number(),
    resets_at: z.int().nullable(),
    message: z.string(),
    message_reference: MessageReference,
  })
  .meta({ id: "LimitNotice" })
export type LimitNotice = z.output<typeof LimitNotice>

export const LimitNotices = z.object({ items: z.array(LimitNotice) }).meta({ id: "LimitNotices" })
