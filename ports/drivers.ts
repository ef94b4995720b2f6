// The contract of a driver: a further name by which settings choose what implements a port. Each kind says what it is given, what it must
// offer, and how that is stopped. The product's own adapters are opened through the same door.
import type { Knex } from 'knex';
import type { Blob } from './blob.js';
import type { BlobLinks } from './blob-links.js';
import type { BlobMultipart } from './blob-multipart.js';
import type { BlobStore } from './blob-store.js';
import type { Clock } from './clock.js';
import type { Ids } from './ids.js';
import type { Log } from './log.js';
import type { Notifier } from './notify.js';
import type { Outgoing } from './outgoing.js';
import type { Secrets } from './secrets.js';
import type {
  HeadersWay,
  PasswordWay,
  ProviderSignOut,
  RedirectWay,
  SignInWay,
} from './sign-in.js';
import type { Dialect } from './sql-dialect.js';

/** What a driver opened, and how it is stopped: when the server ends, after everything that uses it. */
export interface Opened<T> {
  readonly made: T;
  /** Gives back what `made` holds. Called once; what it rejects with is logged. */
  stop(): Promise<void>;
}

/** What every driver is given. */
export interface DriverNeeds<S = unknown> {
  /** The settings of the plugin that brings the driver, as its schema read them. */
  readonly settings: S;
  /** The settings of the installation in force, by name: `ORRERY_DATA` is the data folder. */
  readonly installation: Readonly<Record<string, string | number | boolean>>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly secrets: Secrets;
  /** The only way to addresses that users give: it judges each one when it is called. */
  readonly outgoing: Outgoing;
}

/**
 * A database engine. Records are kept in SQL alone: a storage driver brings a dialect and connections, and the product's stores, migrations
 * and jobs run over them. A storage that is not SQL is not possible.
 */
export interface SqlEngine {
  readonly dialect: Dialect;
  /** A pool of at most `size` connections; called more than once, and whoever calls it closes it. */
  connect(size: number): Knex;
  /** Whether whoever opens it brings its schema up to date, as nobody else shares it; else an administrator does, by `orrery migrate up`. */
  readonly migratesItself: boolean;
  /** `running`, or what is wrong in a word or two: `restarting`, `disk full`. */
  state(): string;
}

export interface StorageDriverNeeds<S = unknown> extends DriverNeeds<S> {
  /** Whether this process may start a server of its own; commands connect to one that runs. */
  readonly owns: boolean;
}

export interface AuthDriverNeeds<S = unknown> extends DriverNeeds<S> {
  /** How the outside reaches the server: scheme, host and port, no slash at the end. */
  readonly baseUrl: string;
  /** Where a provider sends the browser back to. */
  readonly returnUrl: string;
}

export interface NotifierDriverNeeds<S = unknown> extends DriverNeeds<S> {
  /** How the outside reaches the server: scheme, host and port, no slash at the end. */
  readonly baseUrl: string;
  /** Of the server, for whoever receives a message. */
  readonly version: string;
}

/** Chosen by `ORRERY_STORAGE`. */
export interface StorageDriver<S = unknown> {
  readonly port: 'storage';
  readonly name: string;
  open(needs: StorageDriverNeeds<S>): Promise<Opened<SqlEngine>>;
}

/** Chosen by `ORRERY_BLOB`. Opens a `Blob` alone, or with what it can do beside it. */
export interface BlobDriver<S = unknown> {
  readonly port: 'blob';
  readonly name: string;
  open(needs: DriverNeeds<S>): Promise<Opened<Blob | BlobStore>>;
}

/**
 * A way of signing in. `ORRERY_AUTH` names those that are on, which may be several; the name of the way is the driver's name. Users, roles,
 * sessions and keys are the product's own, whoever signs in how.
 */
export interface AuthDriver<S = unknown> {
  readonly port: 'auth';
  readonly name: string;
  open(needs: AuthDriverNeeds<S>): Promise<Opened<SignInWay>>;
}

/** All of them are open at once; the kind of the notifier is the driver's name. `undefined` where the settings ask for none. */
export interface NotifierDriver<S = unknown> {
  readonly port: 'notifications';
  readonly name: string;
  open(needs: NotifierDriverNeeds<S>): Promise<Opened<Notifier> | undefined>;
}

export type Driver<S = unknown> =
  StorageDriver<S> | BlobDriver<S> | AuthDriver<S> | NotifierDriver<S>;
export type DriverPort = Driver['port'];

/** The names of the methods of a type, each of which has to be listed. */
type Methods<T> = {
  readonly [
    K in keyof T as NonNullable<T[K]> extends (...given: never) => unknown
      ? undefined extends T[K]
        ? never
        : K
      : never
  ]: true;
};

const blob: Methods<Blob> = { put: true, open: true, stat: true, remove: true, list: true };
const links: Methods<BlobLinks> = { signGet: true, signPut: true };
const multipart: Methods<BlobMultipart> = {
  start: true,
  signParts: true,
  complete: true,
  abort: true,
  listStarted: true,
};
const notifications: Methods<Notifier> = { check: true, send: true };
const engine: Methods<SqlEngine> = { connect: true, state: true };
const dialect: Methods<Dialect> = {
  id: true,
  exactText: true,
  longText: true,
  longBytes: true,
  lower: true,
  asciiLower: true,
  byteAt: true,
  real: true,
  finishTable: true,
  incoming: true,
  stored: true,
  byCodePoints: true,
  equalTexts: true,
  holdsText: true,
  jsonText: true,
  jsonNumbers: true,
  numberIn: true,
  jsonTexts: true,
  idAsText: true,
  idTime: true,
  hasIndex: true,
  inOrder: true,
  insertColumns: true,
  insertFresh: true,
  insertWhile: true,
  run: true,
  together: true,
  withLargeWorkMem: true,
  readAll: true,
  onConflict: true,
  onConflictIgnore: true,
  anyOf: true,
  among: true,
  fault: true,
};
const password: Methods<PasswordWay> = { check: true };
const redirect: Methods<RedirectWay> = { begin: true, complete: true };
const headers: Methods<HeadersWay> = { read: true };
const signOut: Methods<ProviderSignOut> = { address: true, readToken: true, sessionOf: true };

/** The methods that a driver of each kind must offer; a start is refused where one is missing. */
export const driverMethods = {
  blob,
  links,
  multipart,
  notifications,
  engine,
  dialect,
  /** Of a way of signing in, by its kind. */
  auth: { password, redirect, headers },
  signOut,
};
