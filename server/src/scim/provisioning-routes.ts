import { json, route } from "../http/route.ts"
import { Provisioning } from "./provisioning-schema.ts"

export const provisioningRoutes = {
  status: route("get", "/api/v1/provisioning", {
    access: "admin",
    summary: "Get the SCIM configuration and provisioning status",
    responses: { 200: json(Provisioning, "The current status") },
  }),
}
