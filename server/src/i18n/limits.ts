import type { Values } from "./values.ts"

/** Limits on what is used of models. */
export const limits = {
  limit_target_id: "Name what the limit is for by its ID; everyone has none.",
  limit_target_unknown: "This group, user, key or connection does not exist.",
  limit_time_zone_unknown: "Enter a time zone of the IANA database, such as Europe/Berlin.",
  limit_window_missing: "Choose the window in which the limit counts.",
  limit_concurrency_window: 'A limit on requests in flight has no window but "total".',
  limit_concurrency_soft: "A limit on requests in flight cannot be soft.",
  limit_raise_end_missing: "Enter a date and a time.",
  limit_raise_ended: "Enter a time in the future.",
  limit_raise_too_small: "Enter more than the limit's own amount.",
  limit_total_rolling: "Only windows that end can be rolling.",
  limit_model_twice: "A limit of a model cannot be restricted to another model.",
  limit_field_fixed: "This cannot be changed. Delete the limit and create another one.",
  limit_not_yours:
    "You can set limits only for your own API keys, and for members and service keys of groups that you manage. Only administrators change what an administrator set.",
  limit_of_group_target: "A group's managers limit its members and its service keys.",
  limit_target_not_in_group: "This is not a member or a service key of the group.",
  limit_of_other_manager: "Only administrators limit managers of the group and administrators.",
  limit_above_group: ({ max }: Values<"max">) =>
    `The group's own limit is ${max}. Enter at most that.`,
  limit_above_group_cost: ({ dollars }: Values<"dollars">) =>
    `The group's own limit is ${dollars} dollars. Enter at most that.`,
  limit_count_reached: "There are too many limits. Delete some first.",
  limit_count_of_target_reached: ({ max }: Values<"max">) =>
    `There can be at most ${max} of these limits. Delete one first.`,
  limit_count_of_keys_reached: ({ max }: Values<"max">) =>
    `Your API keys can have at most ${max} limits together. Delete one first.`,
  limit_used_up_until: ({ name, date }: Values<"name" | "date">) =>
    `The limit on ${name} is used up until ${date}.`,
  limit_nearly_used_up: ({ name, percent }: Values<"name" | "percent">) =>
    `${percent}% of the limit on ${name} is used.`,
  limit_used_up: ({ name }: Values<"name">) => `The limit on ${name} is used up.`,
  limit_exceeded_by_request: ({ name }: Values<"name">) =>
    `This request may use more than the limit on ${name}. Shorten it, or ask for a shorter answer.`,
  limit_rate_reached: ({ name, seconds }: Values<"name" | "seconds">) =>
    `The limit on ${name} is reached. Try again in ${seconds} s.`,
  limit_in_use: ({ name }: Values<"name">) =>
    `Requests in progress take up what is left of the limit on ${name}. Try again in a moment.`,
  limit_without_price: ({ id }: Values<"id">) =>
    `The price of model "${id}" is unknown, and a limit on cost applies. An administrator has to set its price.`,
  // Parts of the above.
  limit_name: ({ metric, owner }: Values<"metric" | "owner">) => `${metric} ${owner}`,
  limit_name_with_window: ({ metric, window, owner }: Values<"metric" | "window" | "owner">) =>
    `${metric} ${window} ${owner}`,
  limit_name_with_model: ({ name, model }: Values<"name" | "model">) =>
    `${name} with model "${model}"`,
  limit_of_requests: "requests",
  limit_of_tokens: "tokens",
  limit_of_cost: "cost",
  limit_of_requests_in_flight: "concurrent requests",
  limit_per_minute: "per minute",
  limit_per_hour: "per hour",
  limit_per_day: "per day",
  limit_per_week: "per week",
  limit_per_month: "per month",
  limit_in_total: "in total",
  limit_for_everyone: "for all users together",
  limit_for_group: "for your group",
  limit_for_user: "for your account",
  limit_for_key: "for this API key",
  limit_for_model: ({ id }: Values<"id">) => `for model "${id}"`,
  limit_for_connection: "for the connections of this model",
}
