/**
 * True for `npm run test:all` and if `CI` is set: every repetition, on every database. Otherwise,
 * `npm test` is the short form: every guarantee, with fewer repetitions.
 */
export const isLongForm = process.env.TEST_FORM === "long"

/** Chooses the number of repetitions: `short` in the short form, `long` in the long form. */
export const amount = <T>(short: T, long: T): T => (isLongForm ? long : short)
