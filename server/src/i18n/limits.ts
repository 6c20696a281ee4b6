/** Limits on what is used of models. */
export const limits = {
  limit_target_id: "Name what the limit is for by its ID; everyone has none.",
  limit_target_unknown: "This group, user, key or connection does not exist.",
  limit_time_zone_unknown: "Enter a time zone of the IANA database, such as Europe/Berlin.",
  limit_window_missing: "Choose the window in which the limit counts.",
  limit_concurrency_window: 'A limit on requests in flight has no window but "total".',
  limit_concurrency_soft: "A limit on requests in flight cannot be soft.",
  limit_total_rolling: "Only windows that end can be rolling.",
  limit_model_twice: "A limit of a model cannot be restricted to another model.",
  limit_field_fixed: "This cannot be changed. Delete the limit and create another one.",
}
