/** A request as received by the provider. */
export interface Received {
  method: string
  path: string
  body: string
}
