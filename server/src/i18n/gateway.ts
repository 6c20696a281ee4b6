import type { Values } from "./values.ts"

/** Limits and faults of the gateway itself. */
export const gateway = {
  storage_limit_reached: ({ limit }: Values<"limit">) =>
    `This would exceed your storage limit of ${limit} (MAX_STORAGE).`,
  storage_limit_reached_by: ({ limit, used }: Values<"limit" | "used">) =>
    `This would exceed your storage limit of ${limit} (MAX_STORAGE): ${used}. Delete what you no longer need.`,
  owner_storage_limit_reached:
    "This would exceed the owner's storage limit (MAX_STORAGE). Ask the owner to delete what they no longer need.",
  total_storage_limit_reached: ({ limit }: Values<"limit">) =>
    `This would exceed the gateway's storage limit of ${limit} for all users together (MAX_STORAGE). Ask your administrator to raise it or free up space.`,
  disk_full:
    "The gateway is out of disk space, so this was not saved. Ask your administrator to delete data or to enlarge the disk; signing in and deleting still work.",
  database_disk_full: "The database's disk is full",
  file_disk_full: "The disk for uploaded files is full",
  database_disk_broken: "Cannot write to the database's disk",
  file_disk_broken: "Cannot write to the storage for uploaded files",
  shutting_down: "The gateway is shutting down. Retry the request.",
  database_unreachable: "The gateway cannot reach its database. Try again shortly.",
  changed_by_someone_else: "This was changed by someone else. Try again.",
  internal_error: "Internal error. See the gateway's log for details.",
}
