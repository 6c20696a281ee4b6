import { Link, linkOptions } from "@tanstack/react-router"
import type { Limit } from "../../../../server/src/limits/schema.ts"
import { describeTarget } from "../limits/limit-text.ts"

const pageOf = ({ type, id = "" }: Limit["target"]) => {
  switch (type) {
    case "group":
      return linkOptions({ to: "/admin/groups/$groupId", params: { groupId: id } })
    case "user":
      return linkOptions({ to: "/admin/users/$userId", params: { userId: id } })
    case "key":
      return linkOptions({ to: "/admin/keys/$keyId", params: { keyId: id } })
    case "model":
      return linkOptions({ to: "/models/view/$modelId", params: { modelId: id } })
    case "connection":
      return linkOptions({ to: "/admin/connections/$connectionId", params: { connectionId: id } })
    case "everyone":
      return null
  }
}

/** The name of what is limited, linked to its page, for administrators. */
export const TargetLink = (limit: Pick<Limit, "target" | "target_name">) => {
  const page = pageOf(limit.target)
  const name = describeTarget(limit)
  return page ? <Link {...page}>{name}</Link> : name
}
