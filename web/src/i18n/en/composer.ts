export const composer = {
  "composer.drop": "Drop files to attach",
  "composer.queue": "Send after this answer",
  "composer.queued": "Queued message",
  "composer.queuedLead": "Sends when the answer is finished",
  "composer.queuedImages": { one: "{count} image", other: "{count} images" },
  "composer.queuedEdit": "Edit queued message",
  "composer.queuedRemove": "Remove queued message",
  "composer.notSent": "The answer didn't finish, so your message wasn't sent.",
}
