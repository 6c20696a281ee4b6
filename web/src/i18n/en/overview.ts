export const overview = {
  "overview.lead": "The state of this server, and what needs your attention.",
  "overview.attention": "Needs attention",
  "overview.allWell": "Nothing needs your attention.",
  "overview.status": "Status",
  "overview.week": "Last 7 days",
  "overview.noUsage": "No requests in the last 7 days.",
  "overview.connectionsHealthy": "{healthy} of {count} healthy",
  "overview.noConnection": "No provider or runtime is connected yet.",
  "overview.connectionFails": "{name} isn't responding.",
  "overview.openConnection": "Open connection",
  "overview.database": "Database",
  "overview.disk": "Disk",
  "overview.diskFree": "{free} of {total} free",
  "overview.diskUnknown": "Not reported by the system",
  "overview.diskLow":
    "Only {free} are left on the data folder's disk. Delete files, or enlarge the volume.",
  "overview.storageFails": "{problem}. Nothing can be saved until this is fixed.",
  "overview.reloadFails.settings":
    "The settings couldn't be reloaded. The previous ones stay in use, and the server keeps trying.",
  "overview.reloadFails.connections":
    "The connections couldn't be reloaded. The previous ones stay in use, and the server keeps trying.",
  "overview.reloadFails.functions":
    "The functions couldn't be reloaded. The previous ones stay in use, and the server keeps trying.",
  "overview.reloadFails.models":
    "The models couldn't be reloaded. The previous ones stay in use, and the server keeps trying.",
  "overview.queue": "Background jobs",
  "overview.jobs": { one: "{count} waiting", other: "{count} waiting" },
  "overview.retrying": "{count} failed and will be retried",
  "overview.rereading": "Files are being read again after an upgrade: {done} of {total}",
  "overview.backup": "Last backup",
  "overview.backupExternal": "Managed by PostgreSQL",
  "overview.backupMissing": "There is no backup yet. Run this command on the server:",
  "overview.backupOld": "The last backup is more than a week old. Run this command on the server:",
  "overview.copyCommand": "Copy command",
  "overview.version": "Version",
  "overview.running": "Started",
  "overview.pending": {
    one: "{count} person is waiting for approval.",
    other: "{count} people are waiting for approval.",
  },
  "overview.review": "Review",
  "overview.failedFiles": {
    one: "{count} file couldn't be read.",
    other: "{count} files couldn't be read.",
  },
  "overview.failedJobs": {
    one: "{count} background job failed and will be retried.",
    other: "{count} background jobs failed and will be retried.",
  },
  "overview.limitsReached": {
    one: "{count} limit is reached: requests are rejected.",
    other: "{count} limits are reached: requests are rejected.",
  },
  "overview.limitsNearly": {
    one: "{count} limit is at least 80% used.",
    other: "{count} limits are at least 80% used.",
  },
  "overview.showLimits": "Show limits",
  "overview.showFiles": "Show files",
  "overview.keyExpires": "The API key {name} of {owner} expires on {date}.",
  "overview.openKeys": "Show keys",
}
