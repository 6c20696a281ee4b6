import type { Command } from "../../frame/palette.tsx"

/** Chats that the palette finds. */
export const usePaletteChats = (_query: string): Command[] => []
