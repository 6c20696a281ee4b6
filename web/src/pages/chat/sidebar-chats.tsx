/** The list of chats in the sidebar. */
export const SidebarChats = () => null
