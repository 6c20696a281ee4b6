import { packIndexSegment } from "@portico/search"

/** Indexes a document's passages for lexical search; runs in the process that extracts its text. */
export const indexPassages = (texts: readonly string[]): Uint8Array => packIndexSegment(texts)
