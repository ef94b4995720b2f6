// What the pages for people show: plain data. The adapter of the wire has the markup and the headers.
import type { Caller } from './model/identity.js';
import type { ProgramAccess } from './model/oauth.js';
import type { StoredKey } from './storage/api-keys.js';
import type { StoredSession } from './storage/sessions.js';

/** Above a form: what went wrong with it, or what was done before it. */
export interface Notice {
  readonly fault?: string | undefined;
  readonly done?: string | undefined;
}

/** A way of signing in, as a page offers it: by the form for name and password, or by a link that leads to a provider. */
export interface OfferedWay {
  readonly name: string;
  readonly kind: 'password' | 'provider';
  /** What the button says. */
  readonly label: string;
}

/** The form by which somebody signs in. */
export interface LoginView extends Notice {
  readonly csrf: string;
  readonly name?: string | undefined;
  readonly returnTo?: string | undefined;
  readonly ways: readonly OfferedWay[];
  /** Whether accounts have passwords of their own, which can be forgotten. */
  readonly ownPasswords: boolean;
  readonly signUp: boolean;
}

/** The form that asks for a link to set a password. */
export interface ForgotView extends Notice {
  readonly csrf: string;
  readonly name?: string | undefined;
}

/** A form that a one-time link leads to. */
export interface TicketView extends Notice {
  readonly csrf: string;
  readonly ticket: string;
  /** The least length of a password. */
  readonly minLength: number;
}

/** A thing that is not there any more, and where to go instead. */
export interface GoneView {
  readonly title: string;
  readonly says: string;
  readonly action: { readonly href: string; readonly label: string };
}

/** An invitation to a workspace, for somebody who is signed in or not. */
export interface InvitationView extends TicketView {
  readonly workspaceName: string;
  readonly email: string;
  readonly caller: Caller | undefined;
  readonly member: boolean;
  /** Whether an account can be made here, or comes from a provider. */
  readonly byPassword: boolean;
  readonly name?: string | undefined;
}

/** The form by which somebody makes an account. */
export interface SignUpView extends Notice {
  readonly csrf: string;
  readonly minLength: number;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
}

/** The first page of a new account. */
export interface WelcomeView {
  readonly userName: string;
  readonly csrf: string;
  readonly workspaceName: string;
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** A program that acts for a user, with the workspaces in which it may. */
export interface ShownProgram {
  readonly client: ProgramAccess['client'];
  readonly workspaces: readonly Pick<ProgramAccess, 'workspaceName' | 'since' | 'usedAt'>[];
}

/** Where a user looks after keys, programs, sessions and the password. */
export interface AccountView extends Notice {
  readonly caller: Caller;
  readonly email: string | undefined;
  readonly workspaceName: string | undefined;
  readonly sessions: readonly StoredSession[];
  readonly keys: readonly StoredKey[];
  readonly programs: readonly ShownProgram[];
  /** A key that was just made. */
  readonly apiKey?: string | undefined;
  readonly hasPassword: boolean;
  readonly minLength: number;
  readonly now: number;
}

/** Asks a user whether a program may act for them. */
export interface ConsentView {
  readonly clientName: string;
  /** The day on which the program registered, as `2026-01-31`. */
  readonly registeredOn: string;
  /** The request of the program, repeated by the form. */
  readonly asked: readonly { readonly name: string; readonly value: string }[];
  readonly redirectUri: string;
  /** Origins that the answer to the form may lead to. */
  readonly answersAt: readonly string[];
  readonly caller: Caller;
  readonly workspaces: readonly { readonly id: string; readonly name: string }[];
  readonly csrf: string;
  readonly fault: string | undefined;
}

/** What one thing is, where it belongs, and how a program reads it. */
export interface ThingView {
  readonly caller: Caller;
  readonly kind: string;
  readonly name: string;
  readonly facts: Readonly<Record<string, string | undefined>>;
  /** The command that reads it. */
  readonly read: string;
}

/** What somebody logged without an account, to be taken into a workspace. */
export interface ClaimView {
  readonly token: string;
  readonly projects: number;
  readonly experiments: number;
  readonly daysLeft: number;
  /** Who is signed in, and the workspaces that they administer. */
  readonly who?: {
    readonly name: string;
    readonly csrf: string;
    readonly workspaces: readonly string[];
  };
}

/** The page at the root: what this is, how it is, and how to point a script at it. */
export interface HomeView {
  readonly version: string;
  readonly baseUrl: string;
  /** What keeps the server from its work; `undefined` when nothing does. */
  readonly fault: string | undefined;
}

/** Every page by its name, with what it shows. */
export interface PageViews {
  readonly home: HomeView;
  readonly login: LoginView;
  readonly logout: { readonly caller: Caller };
  readonly forgot: ForgotView;
  readonly asked: { readonly mails: boolean };
  readonly reset: TicketView & { readonly userName: string };
  readonly gone: GoneView;
  readonly invitation: InvitationView;
  readonly signUp: SignUpView;
  readonly welcome: WelcomeView;
  readonly account: AccountView;
  readonly consent: ConsentView;
  readonly thing: ThingView;
  readonly claim: ClaimView;
}
export type PageName = keyof PageViews;

/** A page as a handler returns it. */
export type PageView = {
  readonly [N in PageName]: { readonly page: N; readonly shows: PageViews[N] };
}[PageName];
