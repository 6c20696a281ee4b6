import type { StorageMonitor } from "../db/storage-monitor.ts"
import type { ObjectStore, ReceivedObject } from "./object-store.ts"
import type { PartialUploads } from "./partial-uploads.ts"

type Watch = StorageMonitor["watch"]

/** Wraps an object store so that the storage monitor observes its writes. */
export const monitorObjectStore = (objects: ObjectStore, watch: Watch): ObjectStore => {
  const monitorReceived = (received: ReceivedObject): ReceivedObject => ({
    ...received,
    prepare: () => watch("files", received.prepare),
    commit: () => watch("files", received.commit),
  })
  return {
    ...objects,
    receive: async (source, receiving) =>
      monitorReceived(await watch("files", () => objects.receive(source, receiving))),
    receiveFile: async (path) => monitorReceived(await objects.receiveFile(path)),
  }
}

/** Wraps partial uploads so that the storage monitor observes their writes. */
export const monitorPartialUploads = (partials: PartialUploads, watch: Watch): PartialUploads => ({
  ...partials,
  create: (id) => watch("files", () => partials.create(id)),
  append: (id, source, options) => watch("files", () => partials.append(id, source, options)),
})
