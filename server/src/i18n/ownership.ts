import type { Values } from "./values.ts"

/** Handing objects over, and deleting accounts. */
export const ownership = {
  person_required: "Choose a person.",
  account_not_found: "There is no account with this ID or email address.",
  person_not_active: ({ name }: Values<"name">) =>
    `${name} has no active account. Choose another person.`,
  person_is_owner: ({ name }: Values<"name">) => `${name} already owns this.`,
  remaining_account_required: "Choose an account that remains.",
  group_deleted: "This group was deleted. Choose another one.",
  transfer_not_allowed: "Only the owner and administrators can hand this over.",
  transfer_conflict: "Someone else just handed this over. Try again.",
  new_owner_limit_exceeded: ({ max, objects }: Values<"max" | "objects">) =>
    `The new owner would exceed the limit of ${max} ${objects}. Choose another person, or delete some.`,
  new_owner_model_limit_exceeded: ({ max }: Values<"max">) =>
    `The new owner would have more than ${max} models (MAX_MODELS).`,
  new_owner_cannot_use_base_model: ({ base, id }: Values<"base" | "id">) =>
    `The new owner cannot use ${base}, on which the model ${id} is based.`,
  model_not_for_administrators: ({ id }: Values<"id">) =>
    `The model ${id} cannot be handed over to an administrator: another model has its ID.`,
  model_only_for_administrators: ({ id }: Values<"id">) =>
    `The model ${id} can only be handed over to an administrator: another model has its ID.`,
  account_still_adding_data:
    "This account is still adding data. Deactivate it first, or try again.",
}
