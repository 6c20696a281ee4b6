/**
 * True for `npm run test:all`, which CI runs: every repetition, on every database. `npm test` is the
 * short form: every promise, with a sample of the repetitions.
 */
export const isLongForm = process.env.TEST_FORM === "long"

/** The number of repetitions in the short form and in the long one. */
export const amount = <T>(short: T, long: T): T => (isLongForm ? long : short)
