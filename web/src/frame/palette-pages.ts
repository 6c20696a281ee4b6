import {
  Activity,
  Boxes,
  Cable,
  CircleDollarSign,
  Files,
  Gauge,
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
import type { PagePath } from "../lib/use-go-to-page.ts"

export interface PalettePage {
  to: PagePath
  label: MessageKey
  icon: LucideIcon
  admin?: true
}

/** Every page that the command palette lists. */
export const palettePages: readonly PalettePage[] = [
  { to: "/", label: "chat.new", icon: MessageSquare },
  { to: "/models", label: "label.models", icon: Boxes },
  { to: "/models/new", label: "models.create", icon: Boxes },
  { to: "/knowledge", label: "label.knowledge", icon: Library },
  { to: "/knowledge/new", label: "knowledge.create", icon: Library },
  { to: "/knowledge/files", label: "label.files", icon: Files },
  { to: "/prompts", label: "label.prompts", icon: TextQuote },
  { to: "/prompts/new", label: "prompts.create", icon: TextQuote },
  { to: "/functions", label: "label.functions", icon: SquareFunction, admin: true },
  { to: "/functions/new", label: "functions.create", icon: SquareFunction, admin: true },
  { to: "/account", label: "account.profile", icon: UserRound },
  { to: "/account/instructions", label: "instructions.title", icon: NotebookPen },
  { to: "/account/keys", label: "label.apiKeys", icon: KeyRound },
  { to: "/account/programs", label: "programs.title", icon: SquareTerminal },
  { to: "/account/usage", label: "usage.ownTitle", icon: Activity },
  { to: "/account/sessions", label: "label.sessions", icon: MonitorSmartphone },
  { to: "/admin", label: "admin.title", icon: LayoutDashboard, admin: true },
  { to: "/admin/users", label: "label.users", icon: Users, admin: true },
  { to: "/admin/groups", label: "label.groups", icon: UsersRound, admin: true },
  { to: "/admin/invitations", label: "invitations.title", icon: MailPlus, admin: true },
  { to: "/admin/connections", label: "label.connections", icon: Cable, admin: true },
  { to: "/admin/prices", label: "label.prices", icon: CircleDollarSign, admin: true },
  { to: "/admin/limits", label: "label.limits", icon: Gauge, admin: true },
  { to: "/admin/provisioning", label: "label.provisioning", icon: IdCard, admin: true },
  { to: "/admin/sign-on", label: "signOn.title", icon: LogIn, admin: true },
  { to: "/admin/keys", label: "allKeys.title", icon: KeyRound, admin: true },
  { to: "/admin/usage", label: "usage.title", icon: Activity, admin: true },
  { to: "/admin/ratings", label: "ratings.title", icon: ThumbsUp, admin: true },
  { to: "/admin/audit", label: "label.auditLog", icon: ScrollText, admin: true },
  { to: "/admin/settings", label: "label.settings", icon: SlidersHorizontal, admin: true },
]
