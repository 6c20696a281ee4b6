import { useNavigate, useRouterState } from "@tanstack/react-router"

/** Returns a function that opens the start page if one of these chats is open. */
export const useLeaveChats = (): ((ids: readonly string[]) => void) => {
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (ids) => {
    if (ids.some((id) => path === `/c/${id}`)) void navigate({ to: "/" })
  }
}
