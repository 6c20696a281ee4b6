import type { StorageMonitor } from "../db/storage-monitor.ts"
import type { Objects, Received } from "./objects.ts"
import type { Partials } from "./partial-uploads.ts"

type Watch = StorageMonitor["watch"]

/** Wraps an object store so that the storage monitor observes its writes. */
export const watchObjects = (objects: Objects, watch: Watch): Objects => {
  const watched = (received: Received): Received => ({
    ...received,
    prepare: () => watch("files", received.prepare),
    keep: () => watch("files", received.keep),
  })
  return {
    ...objects,
    receive: async (source, receiving) =>
      watched(await watch("files", () => objects.receive(source, receiving))),
    adopt: async (path) => watched(await objects.adopt(path)),
  }
}

/** Wraps partial uploads so that the storage monitor observes their writes. */
export const watchPartials = (partials: Partials, watch: Watch): Partials => ({
  ...partials,
  create: (id) => watch("files", () => partials.create(id)),
  append: (id, source, options) => watch("files", () => partials.append(id, source, options)),
})
