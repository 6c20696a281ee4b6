/**
 * True for `npm run test:all`, which CI runs: every repetition, on every database. `npm test` is the
 * short form: every guarantee, with fewer repetitions.
 */
export const isLongForm = process.env.TEST_FORM === "long"

/** Chooses the number of repetitions: `short` in the short form, `long` in the long form. */
export const amount = <T>(short: T, long: T): T => (isLongForm ? long : short)
