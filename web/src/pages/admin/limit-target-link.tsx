import { Link } from "@tanstack/react-router"
import type { Limit } from "../../../../server/src/limits/schema.ts"
import { describeTarget } from "../limits/limit-text.ts"

/** The name of what is limited, linked to its page, for administrators. */
export const TargetLink = (limit: Pick<Limit, "target" | "target_name">) => {
  const { type, id = "" } = limit.target
  const name = describeTarget(limit)
  switch (type) {
    case "group":
      return (
        <Link to="/admin/groups/$groupId" params={{ groupId: id }}>
          {name}
        </Link>
      )
    case "user":
      return (
        <Link to="/admin/users/$userId" params={{ userId: id }}>
          {name}
        </Link>
      )
    case "key":
      return (
        <Link to="/admin/keys/$keyId" params={{ keyId: id }}>
          {name}
        </Link>
      )
    case "model":
      return (
        <Link to="/models/view/$modelId" params={{ modelId: id }}>
          {name}
        </Link>
      )
    case "connection":
      return (
        <Link to="/admin/connections/$connectionId" params={{ connectionId: id }}>
          {name}
        </Link>
      )
    case "everyone":
      return name
  }
}
