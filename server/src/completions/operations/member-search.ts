/**
 * Finds a member with any space around its colon, without parsing the body.
 * @param text that must occur, and seldom does: it is found faster than a pattern
 */
export const createMemberSearch =
  (text: string, pattern: RegExp): ((bytes: Buffer) => boolean) =>
  (bytes) =>
    bytes.includes(text) && pattern.test(bytes.toString("latin1"))
