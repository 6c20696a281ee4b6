import type { StorageWatch } from "../db/storage-monitor.ts"
import type { Objects, Received } from "./objects.ts"
import type { Partials } from "./partial-uploads.ts"

type Watch = StorageWatch["watch"]

/** The same objects, of whose writes `watch` hears. */
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

/** The same partial uploads, of whose writes `watch` hears. */
export const watchPartials = (partials: Partials, watch: Watch): Partials => ({
  ...partials,
  create: (id) => watch("files", () => partials.create(id)),
  append: (id, source, options) => watch("files", () => partials.append(id, source, options)),
})
