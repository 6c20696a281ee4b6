import { json, route } from "../http/route.ts"
import { StorageUsage } from "./schema.ts"

export const storageRoutes = {
  usage: route("get", "/api/v1/storage", {
    access: "user",
    summary: "Get your storage usage and limit, in bytes",
    responses: { 200: json(StorageUsage, "Your limit, and usage by category") },
  }),
}
