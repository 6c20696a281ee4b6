import { z } from "zod"
import { withMessage } from "../http/issue-messages.ts"
import { translatable } from "../i18n/message.ts"
import { capabilities } from "./capabilities.ts"
import { TokenPrices, tokenPriceNames, UnitPrices } from "./price-schema.ts"

export const Capability = z.enum(capabilities)
export type Capability = z.output<typeof Capability>

/** Replaces the token prices of a request with more than `above` input tokens, output included. */
export const ContextTier = z.strictObject({ above: z.int().min(1), ...TokenPrices.shape })
export type ContextTier = z.output<typeof ContextTier>

const ContextTiers = z
  .array(ContextTier)
  .max(10)
  .refine(
    (tiers) => tiers.every(({ above }, at) => above > (tiers[at - 1]?.above ?? 0)),
    withMessage(translatable("price_tiers_unsorted")),
  )

/** What replaces the prices of requests with this service tier, such as `priority`. */
export const ServicePrices = z.strictObject({
  ...TokenPrices.shape,
  ...UnitPrices.shape,
  tiers: ContextTiers.optional(),
})
export type ServicePrices = z.output<typeof ServicePrices>

const ServiceTierName = z.string().regex(/^[a-z][a-z0-9_-]{0,49}$/)

const maxServiceTiers = 20

const ServiceTiers = z
  .record(ServiceTierName, ServicePrices)
  .refine(
    (tiers) => Object.keys(tiers).length <= maxServiceTiers,
    withMessage(translatable("field_too_many_entries", { max: maxServiceTiers })),
  )

/** What is known of a model besides its prices. */
export const ModelFacts = z.strictObject({
  /** Maximum number of input tokens; for most models, of input and output together. */
  context_length: z.int().min(1).optional(),
  /** Maximum number of output tokens. */
  max_output: z.int().min(1).optional(),
  capabilities: z.array(Capability).max(capabilities.length).optional(),
  /** The first day on which the provider may refuse the model. */
  end_of_life: z.iso.date().optional(),
  /** The model that the provider recommends instead. */
  successor: z.string().min(1).max(300).optional(),
  /** The page on which the provider publishes all this. */
  source: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
})
export type ModelFacts = z.output<typeof ModelFacts>

/** The ends of the paths of other routes. */
const reservedNames = ["export", "import", "models"]

/** The id in the gateway of a connection's model, or the connection's own name of it. */
export const ModelName = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .refine((name) => !reservedNames.includes(name), withMessage(translatable("price_of_reserved")))

const fields = {
  model: ModelName,
  /** Limits the entry to connections of this provider, such as `openai` or `mistral`. */
  provider: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/)
    .optional(),
  /** Limits the entry to one connection; excludes `provider`. */
  connection: z.string().min(1).max(200).optional(),
  ...TokenPrices.shape,
  ...UnitPrices.shape,
  /** By `above`, ascending. A request is priced by the last one that its input exceeds. */
  tiers: ContextTiers.optional(),
  service_tiers: ServiceTiers.optional(),
  ...ModelFacts.shape,
}

/** Epoch seconds. */
export const From = z.int().min(0).max(99_999_999_999)

type Fields = Omit<z.output<z.ZodObject<typeof fields>>, "model">

const hasOneScope = ({ provider, connection }: Fields): boolean =>
  provider === undefined || connection === undefined

/** Without this, an output price that somebody forgot would be 0. */
const hasBasePrices = ({ input, output, tiers, service_tiers, ...entry }: Fields): boolean => {
  if (input !== undefined || output !== undefined) {
    return input !== undefined && output !== undefined
  }
  const isPriced = tokenPriceNames.some((name) => Object.hasOwn(entry, name))
  return !isPriced && tiers === undefined && service_tiers === undefined
}

const keyNames = ["model", "provider", "connection", "from", "origin"]

const statesSomething = (entry: object): boolean =>
  Object.entries(entry).some(([name, value]) => value !== undefined && !keyNames.includes(name))

const something = { path: ["input"], ...withMessage(translatable("price_empty")) }
const oneScope = { path: ["connection"], ...withMessage(translatable("price_has_two_scopes")) }
const basePrices = { path: ["output"], ...withMessage(translatable("price_incomplete")) }

/**
 * Prices and facts of a model that hold from `from`, in epoch seconds, until the next entry of the
 * same model, provider and connection. An entry without any price only states facts: an earlier or
 * a more general one sets the price.
 */
export const PriceEntry = z
  .strictObject({ ...fields, from: From })
  .refine(hasOneScope, oneScope)
  .refine(hasBasePrices, basePrices)
  .refine(statesSomething, something)
  .meta({ id: "PriceEntry" })
export type PriceEntry = z.output<typeof PriceEntry>

/** An entry whose `from` defaults to the current time. */
export const NewPriceEntry = z
  .strictObject({ ...fields, from: From.optional() })
  .refine(hasOneScope, oneScope)
  .refine(hasBasePrices, basePrices)
  .refine(statesSomething, something)
  .meta({ id: "NewPriceEntry" })
export type NewPriceEntry = z.output<typeof NewPriceEntry>

/** `shipped`: part of the table that comes with the gateway; `custom`: an administrator's. */
export const PriceOrigin = z.enum(["shipped", "custom"])
export type PriceOrigin = z.output<typeof PriceOrigin>

export const PriceView = z
  .strictObject({ ...fields, from: From, origin: PriceOrigin })
  .meta({ id: "Price" })
export type PriceView = z.output<typeof PriceView>

/** What `PUT` takes: what `GET` returns, or less. The model is that of the path. */
export const PriceChange = z
  .strictObject({
    ...fields,
    model: fields.model.optional(),
    from: From.optional(),
    /** Ignored. */
    origin: PriceOrigin.optional(),
  })
  .refine(hasOneScope, oneScope)
  .refine(hasBasePrices, basePrices)
  .refine(statesSomething, something)
  .meta({ id: "PriceChange" })
export type PriceChange = z.output<typeof PriceChange>
