// A row of the operation table is data. Routes, validators, the gate, OpenAPI, the README's list and a battery of tests are read
// from it; the types here make a handler that strays from its row a compile error.
import type { ByteStream, Download, Upload } from '../bytes.js';
import type { FailureReason } from '../failure.js';
import type { Caller, Carrier, Permission } from '../model/identity.js';
import type { PageView } from '../pages.js';
import type { Kind, RecordOf } from './kind.js';
import type { Static, TSchema } from './schema.js';

/**
 * How much a caller must be: nobody in particular · nobody in particular, but told who it is where a credential came along · anybody
 * with a key · one who may read or write the thing · the owner of the thing · an administrator of its workspace · of the installation ·
 * the holder of an expiring link that the server made.
 */
export type Access =
  | 'public'
  | 'visitor'
  | 'caller'
  | 'read'
  | 'write'
  | 'owner'
  | 'workspace-admin'
  | 'organization-admin'
  | 'signed';
/** Rows that name nobody's thing. */
export type OpenAccess = 'public' | 'visitor' | 'signed';

/**
 * Which record a request names, and where it says so. A path is `query.x`, `body.x`, `params.x`, `header.x` or `part.<part>.x`; two paths joined by
 * `/` name a thing by workspace name and own name (`query.workspaceName/query.projectName`). The first path that is present wins.
 */
export interface One<K extends Kind = Kind, W extends Kind = Kind> {
  readonly one: K;
  readonly paths: readonly string[];
  /** The thing must belong to this one, which the row names before it. */
  readonly within?: W;
  /** Not naming it is no error: it is the caller's default one for kinds that have one, else nothing. */
  readonly optional?: boolean;
}
/** A list of keys in one member, or one in each item of a list (`body.*.x`); each must pass. */
export interface Each<K extends Kind = Kind> {
  readonly each: K;
  readonly path: string;
  /** Members by which an item that is an object names its thing; the first that is present wins. */
  readonly members?: readonly string[];
  /** Items may name none, and are about nothing then. */
  readonly optional?: boolean;
  /** Keys that do not pass are left out instead of refusing the request, where the reply is per item. */
  readonly skipInaccessible?: boolean;
}
/** The right to create one in a parent that the row names before it; a key that exists already must be the caller's to write. */
export interface Creates<K extends Kind = Kind, W extends Kind = Kind> {
  readonly creates: K;
  readonly in: W;
  readonly paths: readonly string[];
}
export type Subject = One | Each | Creates;

/** The thing that the request names in the first of these paths that is present. */
export const one = <const K extends Kind>(kind: K, ...paths: readonly string[]) =>
  ({ one: kind, paths }) as const;
/** Like `one`, for a request that may leave it out: the caller's default one for kinds that have one, else nothing. */
export const maybe = <const K extends Kind>(kind: K, ...paths: readonly string[]) =>
  ({ one: kind, paths, optional: true }) as const;
/** Like `one`, for a part of a thing that the row names before it; the kind says of which things it may be a part. */
export const within = <const W extends Kind, const K extends Kind>(
  parent: W,
  kind: K,
  ...paths: readonly string[]
) => ({ one: kind, paths, within: parent }) as const;
/** Every thing that the request names at this path. */
export const each = <const K extends Kind>(kind: K, path: string) =>
  ({ each: kind, path }) as const;
/** The thing of each item of a list (`body.traces.*`), which names it in one of these members. */
export const eachOf = <const K extends Kind>(
  kind: K,
  path: string,
  ...members: readonly string[]
) => ({ each: kind, path, members }) as const;
/** Like `each`, for items that may name none. */
export const eachNamed = <const K extends Kind>(kind: K, path: string) =>
  ({ each: kind, path, optional: true }) as const;
/** Like `each`, leaving out what the caller does not reach, where the reply is per item. */
export const eachAccessible = <const K extends Kind>(kind: K, path: string) =>
  ({ each: kind, path, skipInaccessible: true }) as const;
/** The right to create one under a key that the client chose; the handler gets the `existing` one, where there is one. */
export const creates = <const K extends Kind, const W extends Kind>(
  kind: K,
  parent: W,
  ...paths: readonly string[]
) => ({ creates: kind, in: parent, paths }) as const;

/** A reply of bytes; `type` is what OpenAPI shows, the handler says the type of each reply. */
export interface BytesReply {
  readonly bytes: string;
}
export const bytes = (type = 'application/octet-stream'): BytesReply => ({ bytes: type });
/** A reply that sends the client elsewhere; the handler's body is the address. */
export interface RedirectReply {
  readonly redirect: true;
}
export const redirect: RedirectReply = { redirect: true };
/** A reply that is a page for a person; the handler returns what it shows. */
export interface PageReply {
  readonly page: true;
}
export const page: PageReply = { page: true };
/** A JSON list or object that is written out as it is read from storage, so that its length costs no memory. */
export interface StreamedReply<T extends TSchema = TSchema> {
  readonly streamed: T;
}
/** The handler returns `{ text }`: pieces of JSON text, or of its UTF-8, that together are one document of this shape. */
export const streamed = <const T extends TSchema>(schema: T): StreamedReply<T> => ({
  streamed: schema,
});
export interface JsonText {
  readonly text: AsyncIterable<string | Uint8Array>;
}

/** A stream of events that goes on until the client leaves, access ends or the handler is done (`text/event-stream`); `events` is what each holds, as JSON, by its name. */
export interface EventsReply<
  T extends Readonly<Record<string, TSchema>> = Readonly<Record<string, TSchema>>,
> {
  readonly events: T;
}
/** The handler returns `{ stream }`. Access is checked again every 15 s while it lasts; a client that takes nothing for as long is dropped. */
export const events = <const T extends Readonly<Record<string, TSchema>>>(
  named: T,
): EventsReply<T> => ({
  events: named,
});
/** One event of a stream. */
export type StreamedEvent<T extends Readonly<Record<string, TSchema>>> = {
  readonly [N in keyof T]: {
    readonly event: N;
    /** What a client sends as `Last-Event-ID` to go on behind this event. */
    readonly id: string;
    readonly data: Static<T[N]>;
  };
}[keyof T];
export interface EventStream<T extends Readonly<Record<string, TSchema>>> {
  /** Those that are there at once come together, and go out as one. Data that several streams share is written out once. */
  readonly stream: AsyncIterable<readonly StreamedEvent<T>[]>;
}

/**
 * One JSON object, or pieces of it as they come, whichever the request asks for: server-sent events that have only data (`data: {…}`), behind whose
 * last one comes `data: [DONE]`.
 */
export interface PiecewiseReply<T extends TSchema = TSchema, P extends TSchema = TSchema> {
  readonly whole: T;
  readonly piece: P;
}
/** The handler returns the object, or `{ pieces }`. Access is checked again every 15 s while they come; a client that takes nothing for as long is dropped. */
export const piecewise = <const T extends TSchema, const P extends TSchema>(
  whole: T,
  piece: P,
): PiecewiseReply<T, P> => ({ whole, piece });
export interface Pieces<P = unknown> {
  readonly pieces: AsyncIterable<P>;
}

/** An empty reply whose `ETag` header says what was stored; the handler's body is its value, without quotes. */
export interface TagReply {
  readonly tag: true;
}
export const tag: TagReply = { tag: true };

/** Any other reply that comes with more than its body; the handler returns the body as `body` and `ReplyDetails` beside it. */
export interface DetailedReply<R = unknown> {
  readonly detailed: R;
}
export const detailed = <const R extends BareShape>(shape: R): DetailedReply<R> => ({
  detailed: shape,
});

/**
 * What a browser keeps for this server: the token of its session; what it must bring back from a provider of single sign-on; the half of a form's
 * token for somebody who has no session; the same for the page of a program's consent.
 */
export const cookieNames = ['session', 'signInReturn', 'form', 'consent'] as const;
export type CookieName = (typeof cookieNames)[number];
export type Cookies = { readonly [N in CookieName]?: string };
/** A cookie to be kept, or, without a value, to be forgotten. Scripts can never read it. */
export interface CookieChange {
  readonly cookie: CookieName;
  readonly value: string | undefined;
  /** How long it is kept; as long as the browser runs, if left out. */
  readonly seconds?: number;
}

/** What a reply says besides its body, in no protocol's words. */
export interface ReplyDetails {
  readonly cookies?: readonly CookieChange[];
  /** Nobody on the way may keep the reply, nor may the next site learn where the browser came from. */
  readonly secret?: boolean;
  /** For how long anybody may keep the reply. */
  readonly cacheSeconds?: number;
  /** Of a reply that may be kept: nothing else will ever stand at its address. */
  readonly neverChanges?: true;
  /** What changes whenever the body does. The caller alone may keep the reply, and asks whether it still stands by this. */
  readonly version?: string;
  /** The type of credential that is missing. */
  readonly challenge?: 'Bearer';
  /** Seconds after which the same request may succeed. */
  readonly retryAfter?: number;
  /** What a client should ask for in another way, in a sentence of ASCII. */
  readonly deprecation?: string | undefined;
  /** The path of what was made. */
  readonly madeAt?: string;
  /** Where the browser goes on to by itself once it shows the page. */
  readonly continueAt?: string;
  /** The provider that was asked, and the name by which it knows the model; what is no printable ASCII is left out. */
  readonly answeredBy?: { readonly provider: string; readonly model: string };
}

export type BareShape =
  | TSchema
  | BytesReply
  | RedirectReply
  | PageReply
  | StreamedReply
  | PiecewiseReply
  | EventsReply
  | TagReply
  | null;
export type ReplyShape = BareShape | DetailedReply<BareShape>;
/** A reply's shape without what is said besides its body. */
export const bareShape = (shape: ReplyShape): BareShape =>
  shape !== null && 'detailed' in shape ? shape.detailed : shape;

/** A multipart body; the fields are documentation, since parts come one by one. */
export interface MultipartBody {
  readonly multipart: Readonly<Record<string, string>>;
}
export const multipart = (parts: Readonly<Record<string, string>>): MultipartBody => ({
  multipart: parts,
});
/** A body of raw bytes. */
export interface RawBody {
  readonly raw: string;
  /** It is read whole and unpacked before the handler, within the bounds of JSON bodies. */
  readonly whole?: boolean;
}
export const raw = (type = 'application/octet-stream'): RawBody => ({ raw: type });
/** A body of bytes that the handler gets at once, with the type that the client says. */
export const wholeBody = (type: string) => ({ raw: type, whole: true }) as const;
export interface WholeBody {
  /** In lower case, without parameters. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A body of a web form, `application/x-www-form-urlencoded`; with `json`, the same members as JSON too. */
export interface FormBody<T extends TSchema = TSchema> {
  readonly form: T;
  readonly json: boolean;
}
export const form = <const T extends TSchema>(schema: T): FormBody<T> => ({
  form: schema,
  json: false,
});
export const formOrJson = <const T extends TSchema>(schema: T): FormBody<T> => ({
  form: schema,
  json: true,
});

export type FailureName =
  | 'invalid'
  | 'unauthenticated'
  | 'absent'
  | 'forbidden'
  | 'conflict'
  | 'throttled'
  | 'tooLarge'
  | 'unsupported'
  | 'unprocessable';

/** The kinds of things that are counted against a rate. */
export type ThrottleKind = 'metrics' | 'systemMetrics' | 'parameters' | 'output' | 'assets';

/** What calls of the private wire can be counted as, each with a limit of its own: what is written, by user and by workspace, and what asks much of the storage. */
export type RateKind =
  | 'userEvents'
  | 'workspaceEvents'
  | 'singleWrites'
  | 'spanReads'
  | 'traceLists'
  | 'traceStreams'
  | 'traceStatistics';

/** What a call counts for where the installation limits rates. */
export interface Metered {
  /** It writes: one event, as many as a list of the body has items, by the member's name, or as many as a request of an OpenTelemetry exporter has spans. */
  readonly events?: 'one' | { readonly listed: string } | 'otlpSpans';
  /** Counted once for the user besides. */
  readonly as?: Exclude<RateKind, 'userEvents' | 'workspaceEvents'>;
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** One path or several that are the same operation; `{name}` stands for a path parameter. */
  readonly path: string | readonly string[];
  readonly summary: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema | MultipartBody | RawBody | FormBody;
  readonly replies: Readonly<Record<number, ReplyShape>>;
  readonly fails?: readonly FailureName[];
  /** Name of the toggle without which the row does not exist. */
  readonly toggle?: string;
  readonly deprecated?: boolean;
  readonly access: AccessRule;
  readonly wire?: Wire;
  readonly metered?: Metered;
  /** It only adds to what it is about: that may be known as it was up to five seconds ago, where another process changed it. */
  readonly adds?: boolean;
  /** Ids of projects in its body must be of version 7: others are refused with `invalid`, before anything is looked for. */
  readonly projectsOfVersion7?: boolean;
  /** Is written to the audit log: changes of rights, keys and settings, and deletions. Never a row that asks for no credential: its handler writes what was proved, so that strangers cannot fill the log. */
  readonly audit?: boolean;
}

/** How a row looks outside, beyond what its family says of all its rows. */
export interface Wire {
  /** Where a credential stands in the JSON body, for clients that may send it there; read only when no header came. */
  readonly credential?: 'body.apiKey' | 'body.api_key' | 'part.requestParams.apiKey';
  /** The parameter of the path that holds the share code of a project, which is the credential then: no other counts. */
  readonly shareCode?: string;
  /** The client holds the request back and sends it again on 429, so every temporary refusal of it is 429. */
  readonly retryableWith429?: boolean;
  /** NUL in a text of the body is replaced instead of refused, because a refusal would lose the client's whole batch. */
  readonly keepsNul?: boolean;
  /** Most bytes of a JSON body, packed and unpacked. Where a row says nothing, 64 KiB for what needs no credential, else what the settings allow. */
  readonly mostBytes?: number;
  /** Refuses a query that names something twice, of which two readers would take different ones. */
  readonly once?: boolean;
  /** A request without a body is refused, and not read as one that leaves everything out. */
  readonly needsBody?: boolean;
  /** The body must say that it is JSON: a form of another site, which could sign a visitor in as somebody else, can say anything but that. */
  readonly jsonOnly?: boolean;
  /** Where the wire answers a missing credential or thing, or a conflict, with another status or code than its family does. */
  readonly refusals?: {
    readonly unauthenticated?: Refusal;
    readonly absent?: Refusal;
    readonly conflict?: Refusal;
    /** A value of the right type that breaks a rule. */
    readonly unprocessable?: Refusal;
    /** While its toggle is off. */
    readonly off?: Refusal;
    /** Input that cannot be read. */
    readonly invalid?: Refusal;
    /** What it takes is not installed here. */
    readonly notInstalled?: Refusal;
    /** Whatever it is; without a body, and logged. */
    readonly every?: Refusal;
  };
  /** It is a resource of OAuth: a refusal for lack of a credential says that the metadata is at this path (RFC 9728), where programs are given tokens. */
  readonly resourceMetadata?: string;
  /** Browsers may call it from any origin. */
  readonly cors?: 'open';
  /** Serves clients of any version, in a family that refuses those that are too old: opening a run tells them so in its own words. */
  readonly anyClient?: boolean;
}

/** What access asks for beyond its level. */
interface AccessFlags {
  /** The credentials that are taken here; all, when left out. What makes credentials takes no token of a program. */
  readonly by?: readonly Carrier[];
  /** A member of the workspace may do this too when given the permission. Where `when` names a member of the request, only a request that sets it, or changes it on the project that it is about, needs anything. */
  readonly permission?: {
    readonly of: Permission;
    readonly when?: string;
    /** A member of the request that only an administrator may set, whatever is permitted. */
    readonly butNot?: string;
  };
  /**
   * Takes no credential that is narrowed and no guest's: what it makes or changes would reach further than the credential, or outlive it. An audited
   * row is unbounded unless it says `false`, because it only touches data within what the credential reaches.
   */
  readonly unbounded?: boolean;
  /** Where a row about a workspace names the one project that it is about, for keys that reach only that. */
  readonly inProject?: readonly string[];
  /** Makes or changes what is the whole workspace's: not for keys that reach only a project. */
  readonly beyondProject?: boolean;
  /** Whether a request changes anything, where access and method do not tell: a POST that only reads, for anybody with a key. */
  readonly changes?: boolean;
  /** Touches only what is the caller's own, so that a view-only member may do it too. */
  readonly personal?: boolean;
  /** What an open row asks for in the place of a credential, before anything of the body is read: the token of those who run the installation. */
  readonly token?: 'internal';
  /** Reads the copy that a registered version keeps, where the run or its asset is gone or out of the caller's reach. */
  readonly fallBackToRegistryCopy?: boolean;
}
/** Who may ask, and about what. Open rows name nobody's thing; every other row says what it is about. */
export type AccessRule = AccessFlags &
  (
    | { readonly needs: OpenAccess }
    | {
        readonly needs: Exclude<Access, OpenAccess>;
        readonly about: 'caller' | Subject | readonly Subject[];
      }
  );

export interface Refusal {
  readonly status: number;
  /** Why, where it is another reason than the failure's own. */
  readonly reason?: FailureReason;
  /** The word of OAuth's errors. */
  readonly word?: string;
}

const changing: readonly Access[] = ['write', 'owner', 'workspace-admin'];
/** Whether a row changes something, as its access says, or its method where that says nothing. */
export const changes = ({ access, method }: Operation): boolean =>
  access.changes ??
  (changing.includes(access.needs) || (access.needs !== 'read' && method !== 'GET'));
/** Whether a row may be asked for with a credential that is narrowed. */
export const takesNarrowed = ({ access, audit }: Operation): boolean =>
  !(access.unbounded ?? audit === true);
export type Table = { readonly [id: string]: Operation };

/** The subjects of a row, in its order; none for what is about nobody's thing or the caller's own. */
export const subjectsOf = ({ access }: Operation): readonly Subject[] => {
  if (!('about' in access) || access.about === 'caller') return [];
  return 'length' in access.about ? access.about : [access.about];
};
/** The kind that a subject is of. */
export const kindOf = (subject: Subject): Kind =>
  'each' in subject ? subject.each : 'creates' in subject ? subject.creates : subject.one;

/** Keeps the literal types of a table. */
export const operations = <const T extends Table>(table: T): T => table;

type Gives<S> = S extends { one: infer K extends Kind; optional: true }
  ? {
      readonly [N in K['name']]: K['hasDefault'] extends true
        ? RecordOf<K>
        : RecordOf<K> | undefined;
    }
  : S extends { one: infer K extends Kind }
    ? { readonly [N in K['name']]: RecordOf<K> }
    : S extends { each: infer K extends Kind }
      ? { readonly [N in `${K['name']}s`]: readonly RecordOf<K>[] }
      : S extends { creates: infer K extends Kind }
        ? { readonly existing: RecordOf<K> | undefined }
        : object;
type Both<U> = (U extends unknown ? (u: U) => void : never) extends (i: infer I) => void
  ? I
  : never;
type Given<A> = A extends 'caller'
  ? object
  : A extends readonly unknown[]
    ? Both<Gives<A[number]>>
    : Gives<A>;
type Known<O> = O extends { access: { about: infer A } }
  ? Given<A> & { readonly caller: Caller }
  : O extends { access: { needs: 'visitor' } }
    ? { readonly caller: Caller | undefined }
    : object;

type Input<O, Where extends 'query' | 'params' | 'body'> = O extends {
  readonly [W in Where]: infer S;
}
  ? S extends MultipartBody
    ? Upload
    : S extends { readonly whole: true }
      ? WholeBody
      : S extends RawBody
        ? ByteStream
        : S extends FormBody<infer T>
          ? Static<T>
          : S extends TSchema
            ? Static<S>
            : undefined
  : undefined;

/** What a handler is given. */
export type Call<O extends Operation> = {
  readonly query: Input<O, 'query'>;
  readonly params: Input<O, 'params'>;
  readonly body: Input<O, 'body'>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Where the request came from: the socket's address, or what a trusted proxy says; empty in process. */
  readonly address: string;
  /** Whether the request came by way of a proxy that is trusted; never in process. */
  readonly fromTrustedProxy: boolean;
  /** What the browser kept for this server; empty in process. */
  readonly cookies: Cookies;
  /** Versions of the reply that the caller has already. */
  readonly heldVersions: readonly string[];
  /** The program that sent the request, as it names itself; empty where it does not. */
  readonly agent: string;
  /** The path that was asked for, as it was sent: a row may have several; empty in process. */
  readonly path: string;
  /** The token that the request bears (RFC 6750), whether or not it is anybody's. */
  readonly bearer: string | undefined;
  /** Bytes of the body as it was announced; `undefined` where it was not. */
  readonly declaredBytes: number | undefined;
  /** For ways of signing in by headers, and for what sets one client apart from another; lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** SHA-256 of the inflated body in hex, for rows with a JSON body: the same request sent again has the same digest. */
  readonly digest: () => string;
  /** What stands for everybody behind the address: the address, of IPv6 its /64. What strangers do is counted by it. */
  readonly source: string;
} & Known<O>;

type BodyOf<R> = R extends BytesReply
  ? Download
  : R extends RedirectReply
    ? string
    : R extends PageReply
      ? PageView
      : R extends TagReply
        ? string
        : R extends EventsReply<infer T>
          ? EventStream<T>
          : R extends StreamedReply
            ? JsonText
            : R extends PiecewiseReply<infer T, infer P>
              ? Static<T> | Pieces<Static<P>>
              : R extends TSchema
                ? Static<R>
                : undefined;
/** The body, and what is said besides it. */
type WholeOf<R> =
  R extends DetailedReply<infer B>
    ? { readonly body: BodyOf<B> } & ReplyDetails
    : { readonly body: BodyOf<R> };
type IsUnion<T, U = T> = [T] extends [never]
  ? false
  : T extends unknown
    ? [U] extends [T]
      ? false
      : true
    : never;

/** What a handler returns: the body where the row has one reply, else which reply it is, and its body. Details stand beside the body. */
export type Reply<O extends Operation, R = O['replies']> =
  IsUnion<keyof R> extends false
    ? R[keyof R] extends DetailedReply
      ? WholeOf<R[keyof R]>
      : BodyOf<R[keyof R]>
    : { readonly [S in keyof R]: { readonly status: S } & WholeOf<R[S]> }[keyof R];

export type Handler<O extends Operation> = (call: Call<O>) => Promise<Reply<O>>;
export type Handlers<T extends Table> = { readonly [Id in keyof T]: Handler<T[Id]> };
