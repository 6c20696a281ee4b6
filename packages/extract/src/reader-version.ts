/**
 * The version of all readers together. Raise it when documents that were read before should be read
 * again: a reader finds more text or another property, orders text differently, or splits it into
 * other passages.
 */
export const readerVersion = 3
