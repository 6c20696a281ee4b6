export const signOn = {
  "session.with": "Sign in with {provider}",
  "session.or": "or",
  "session.byPassword": "Sign in with a password",
  "session.leadProvider": "Use your organization's account.",
  "problem.lead": "You're not signed in.",
  "problem.leadIn": "Nothing was changed in your account.",
  "problem.toSignIn": "Go to sign-in",
  "problem.toAccount": "Go to your account",
  "problem.admins": "For administrators: request {request}, {problem}",
  "problem.unknown_provider": "This sign-in provider is no longer available",
  "problem.unknown_provider.do": "Choose another way to sign in.",
  "problem.provider_unreachable": "{provider} isn't responding",
  "problem.provider_unreachable.do":
    "Try again in a minute. If the problem continues, contact an administrator.",
  "problem.provider_refused": "{provider} denied the sign-in",
  "problem.provider_refused.do":
    "You may have canceled, or your {provider} account may not have access to this service. Try again, or contact the administrator of {provider}.",
  "problem.client_refused": "{provider} doesn't recognize this server",
  "problem.client_refused.do":
    "Contact an administrator. The client ID, client secret, or redirect URI doesn't match the settings at {provider}. To test them, go to Administration → Single sign-on.",
  "problem.invalid_answer": "The response from {provider} couldn't be verified",
  "problem.invalid_answer.do":
    "Try again. If it happens again, contact an administrator: the response may have been tampered with.",
  "problem.expired": "This sign-in has expired",
  "problem.expired.do":
    "It took longer than 10 minutes, was started in another browser, or was already used. Start again.",
  "problem.deactivated": "This account is deactivated",
  "problem.deactivated.do":
    "Your chats and files are kept. If you should have access, contact an administrator.",
  "problem.no_account": "You don't have an account here",
  "problem.no_account.do": "Ask an administrator to create one, then sign in again.",
  "problem.no_administrator": "This server has no administrator yet",
  "problem.no_administrator.do":
    "Create the first account with a password on the welcome page. After that, everyone can sign in with {provider}.",
  "problem.email_missing": "{provider} didn't send your email address",
  "problem.email_missing.do":
    "Ask the administrator of {provider} to add your email address and share it with this service.",
  "problem.email_unverified": "Your email address isn't verified",
  "problem.email_unverified.do": "Verify it at {provider}, then sign in again.",
  "problem.domain_not_allowed": "Your email address doesn't belong to this organization",
  "problem.domain_not_allowed.do": "Sign in at {provider} with the account from your organization.",
  "problem.link_needed": "An account that matches yours already exists",
  "problem.link_needed.do":
    "Sign in to it as before, then link {provider} under Account. If you can't, contact an administrator.",
  "problem.already_linked": "This {provider} account is linked to someone else",
  "problem.already_linked.do":
    "Sign in with {provider} to see which account it's linked to and unlink it there, or choose another {provider} account.",
  "problem.ambiguous": "Several accounts could be yours",
  "problem.ambiguous.do": "Contact an administrator. Several accounts have the same external ID.",
  "problem.session_changed": "You signed out or switched accounts in the meantime",
  "problem.session_changed.do": "Sign in again, then link {provider} under Account.",
  "problem.unavailable": "Sign-in is temporarily unavailable",
  "problem.unavailable.do": "Try again in a minute.",
  "signOn.title": "Single sign-on",
  "links.lead": "Accounts at identity providers that you can sign in with.",
  "links.leadOther": "Accounts at identity providers that this user can sign in with.",
  "links.link": "Link {provider}",
  "links.unlink": "Unlink",
  "links.unlinkOne": "Unlink {provider}",
  "links.unlinkHelp":
    "It can no longer be used to sign in, and sessions started with it end. Everything in the account is kept.",
  "links.only": "This is the only way to sign in to your account.",
}
