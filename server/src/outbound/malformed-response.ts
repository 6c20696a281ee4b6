/** What came is no HTTP/1.1 reply, or one whose length could be read in two ways. */
export class MalformedHttpError extends Error {
  override readonly name = "MalformedReply"
}
