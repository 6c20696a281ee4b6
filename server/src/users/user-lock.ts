/** Held while an account, or what depends on its state, is changed. */
export const userLock = (id: string): string => `user ${id}`
