// Rows that ask for no credential, each with the reason why.

/** Rows that anyone may ask without a credential, with the reason. */
export const open: Readonly<Record<string, string>> = {
  showPage: 'says what this is to who has no key yet',
  isLive: 'is asked by supervisors',
  isReady: 'is asked by supervisors',
  showMetrics: 'is scraped inside the network',
  describe: 'describes what is there, not what is stored',
  showSwagger: 'shows the description',
  showSwaggerFile: 'shows the description',
  probeVersion: 'is asked before a client has shown its key',
  ping: 'is asked to learn whether a connection stands',
  redirectToExperiment: 'repeats the address',
  redirectToProject: 'repeats the address',
  showSettings: 'leads to the own account',
  endByProvider: "the provider's signature proves it",
  signIn: 'is how a session begins',
  beginSignIn: 'is how a session begins',
  finishSignIn: 'is how a session begins',
  askForReset: 'is for who cannot sign in',
  setByReset: 'the ticket proves it',
  signUp: 'is switched off unless it is wished for',
  probeEmail: 'answers always alike unless sign-up is switched on',
  showStyle: 'is the look of the pages',
  showForgot: 'is for who cannot sign in',
  forgot: 'is for who cannot sign in',
  showReset: 'the ticket proves it',
  setByForm: 'the ticket proves it',
  showSignUp: 'is switched off unless it is wished for',
  signUpByForm: 'is switched off unless it is wished for',
  describeOAuth: 'is read by programs that know nothing yet',
  registerClient: 'makes a program known that may do nothing until a user consents',
  issueToken: 'takes a code or a refresh token',
  revokeToken: 'takes the token itself',
  introspectToken: 'takes the token itself, as its bearer',
  refuseAnonymous: 'refuses everybody',
  isAnonymousOff: 'says the same to everybody',
};
/** Rows that anyone may ask, and that are told who asks where a credential comes along, with the reason. */
export const visited: Readonly<Record<string, string>> = {
  showLogin: 'is how a session begins',
  login: 'is how a session begins',
  showLogout: 'leads to sign-in whoever has no session',
  showInvitation: 'the ticket proves it',
  enter: 'the ticket proves it',
  acceptInvitation: 'the ticket proves it',
  authorize: 'leads to sign-in whoever has no session',
  showConsent: 'leads to sign-in whoever has no session',
  answerConsent: 'leads to sign-in whoever has no session',
};
/** Rows whose address carries its own permission. */
export const signed: Readonly<Record<string, string>> = {
  putPart: 'links are handed out one for each part',
  getSigned: 'the client follows it without its key',
};
/** The same of plugins. */
export const openInPlugins: Readonly<Record<string, string>> = {
  startAnonymous: 'is how somebody without an account begins',
  isAnonymousActive: 'is told the key that it tells of',
  previewClaim: 'the ticket proves it',
  showClaim: 'the ticket proves it',
};
/** Rows that stand in for a plugin while that is off. */
export const insteadOfPlugins: readonly string[] = ['refuseAnonymous', 'isAnonymousOff'];
