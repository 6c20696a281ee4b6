import type { Values } from "./values.ts"

/** Signing in, accounts, groups and API keys. */
export const accounts = {
  email_invalid: "Enter an email address such as ada@example.com.",
  email_required: "Enter your email address.",
  email_in_use: ({ email }: Values<"email">) => `${email} is already in use.`,
  credentials_wrong: "The email address or password is incorrect.",
  password_wrong: "This is not your current password.",
  password_sign_in_off: "Password sign-in is turned off. Sign in with your identity provider.",
  sign_up_off: "Sign-up is turned off. Ask an administrator for an account.",
  sign_up_limit_reached:
    "This gateway has reached its limit for sign-ups. Ask an administrator for an account.",
  sign_in_busy: "Too many people are signing in right now. Try again in a few seconds.",
  sign_in_attempts_exceeded: ({ seconds }: Values<"seconds">) =>
    `Too many failed attempts. Try again in ${seconds} seconds.`,
  setup_code_required: "Enter the setup code, which the gateway printed to its log on startup.",
  setup_code_wrong: "The setup code is incorrect. Copy it from the gateway's log.",
  invitation_invalid: "This invitation link is incomplete or was deleted. Ask for a new one.",
  invitation_deleted: "The invitation was deleted.",
  invitation_needs_password_sign_in:
    "Password sign-in is turned off, so invitations cannot be used.",
  account_pending: "This account is waiting for an administrator's approval.",
  account_deactivated: "This account has been deactivated.",
  account_not_active: "This account is no longer active.",
  account_is_active: ({ email }: Values<"email">) =>
    `${email} is active. Deactivate the account first.`,
  account_being_deleted: ({ email }: Values<"email">) =>
    `The account ${email} is being deleted and cannot be activated. Create a new account when that is done.`,
  address_already_released: ({ email }: Values<"email">) =>
    `The address ${email} was already released.`,
  last_administrator: ({ email }: Values<"email">) =>
    `${email} is the last active administrator. Make another user an administrator first.`,
  administrator_required: "This requires an administrator account.",
  administrators_only: "Only administrators can do this.",
  credential_revoked: "The credential used for this request was revoked.",
  api_key_limit_reached: ({ max }: Values<"max">) =>
    `You have reached the limit of ${max} API keys. Revoke one to create another.`,
  service_key_limit_reached: ({ max }: Values<"max">) =>
    `The group has reached the limit of ${max} service keys. Revoke one to create another.`,
  api_key_path_invalid: "Enter a path such as /v1/chat/completions, or a prefix such as /ollama/*.",
  group_exists: ({ name }: Values<"name">) =>
    `A group named ${name} already exists. Choose another name.`,
  group_manager_required: "Only administrators and managers of the group can do this.",
  group_manager_adds_by_email:
    "Only administrators can add users by ID. Add them by email address.",
  group_manager_not_removable: "Only administrators can remove managers of a group.",
  no_account_with_email: ({ email }: Values<"email">) => `There is no account with ${email}.`,
  rewriting_timeout_out_of_range: "Enter at least 100 and at most 30,000 milliseconds.",
  session_length_out_of_range: "Enter at least one minute and at most 365 days.",
  retention_negative: "Enter 0 or more days.",
}
