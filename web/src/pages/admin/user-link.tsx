import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"

interface UserLinkProps {
  id: string
  className?: string
  children: ReactNode
}

/** A name that links to the page of its user. */
export const UserLink = ({ id, ...link }: UserLinkProps) => (
  <Link to="/admin/users/$userId" params={{ userId: id }} {...link} />
)
