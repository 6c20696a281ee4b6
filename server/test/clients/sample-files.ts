/** A PNG image of one pixel. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
/** The beginning of a PDF document; no client or provider of these tests reads it. */
export const pdf = Buffer.from("%PDF-1.4\n").toString("base64")
