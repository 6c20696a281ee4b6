import {
  Activity,
  Boxes,
  Cable,
  Files,
  IdCard,
  KeyRound,
  LayoutDashboard,
  Library,
  LogIn,
  type LucideIcon,
  MailPlus,
  MessageSquare,
  MonitorSmartphone,
  NotebookPen,
  ScrollText,
  SlidersHorizontal,
  SquareFunction,
  SquareTerminal,
  TextQuote,
  ThumbsUp,
  UserRound,
  Users,
  UsersRound,
} from "lucide-react"
import type { MessageKey } from "../i18n/translate.ts"
import type { PagePath } from "../lib/use-page-navigation.ts"

export interface Destination {
  to: PagePath
  label: MessageKey
  icon: LucideIcon
  admin?: true
}

/** Every page that the command palette lists. */
export const destinations: readonly Destination[] = [
  { to: "/", label: "chat.new", icon: MessageSquare },
  { to: "/models", label: "models.title", icon: Boxes },
  { to: "/models/new", label: "models.create", icon: Boxes },
  { to: "/knowledge", label: "knowledge.title", icon: Library },
  { to: "/knowledge/new", label: "knowledge.create", icon: Library },
  { to: "/knowledge/files", label: "files.title", icon: Files },
  { to: "/prompts", label: "prompts.title", icon: TextQuote },
  { to: "/prompts/new", label: "prompts.create", icon: TextQuote },
  { to: "/functions", label: "functions.title", icon: SquareFunction, admin: true },
  { to: "/functions/new", label: "functions.create", icon: SquareFunction, admin: true },
  { to: "/account", label: "account.profile", icon: UserRound },
  { to: "/account/instructions", label: "instructions.title", icon: NotebookPen },
  { to: "/account/keys", label: "keys.title", icon: KeyRound },
  { to: "/account/programs", label: "programs.title", icon: SquareTerminal },
  { to: "/account/usage", label: "usage.ownTitle", icon: Activity },
  { to: "/account/sessions", label: "sessions.title", icon: MonitorSmartphone },
  { to: "/admin", label: "admin.title", icon: LayoutDashboard, admin: true },
  { to: "/admin/users", label: "users.title", icon: Users, admin: true },
  { to: "/admin/groups", label: "groups.title", icon: UsersRound, admin: true },
  { to: "/admin/invitations", label: "invitations.title", icon: MailPlus, admin: true },
  { to: "/admin/connections", label: "connections.title", icon: Cable, admin: true },
  { to: "/admin/provisioning", label: "provisioning.title", icon: IdCard, admin: true },
  { to: "/admin/sign-on", label: "signOn.title", icon: LogIn, admin: true },
  { to: "/admin/usage", label: "usage.title", icon: Activity, admin: true },
  { to: "/admin/ratings", label: "ratings.title", icon: ThumbsUp, admin: true },
  { to: "/admin/audit", label: "audit.title", icon: ScrollText, admin: true },
  { to: "/admin/settings", label: "settings.title", icon: SlidersHorizontal, admin: true },
]
