/** The webhook that events are sent to. */
export const webhooks = {
  webhook_has_credentials:
    "Remove the user name and password from the address: the receiver checks the signature instead.",
  webhook_has_fragment: "Remove the # and everything after it from the address.",
}
