// What a plugin is. It is a value, default-exported by its entry; importing it does nothing.
import type { Area } from './api/area.js';
import { object, type Static, type TSchema } from './api/schema.js';
import type { Driver } from './drivers.js';
import type { Subscribers } from './events.js';
import type { Job } from './jobs.js';
import type { UiAdditions } from './plugin-ui.js';
import type { Resolved, Needs } from './port.js';
import type { WebhookForm } from './webhook-forms.js';

/** Kinds of columns that every engine has: `key` is a text of at most 190 characters that is compared exactly. */
export type ColumnKind = 'key' | 'text' | 'whole' | 'real' | 'flag' | 'bytes';

/** One change of a plugin's tables. The list of them only grows; the host prefixes names and keeps a ledger. */
export type TableChange =
  | {
      readonly create: string;
      readonly columns: Readonly<Record<string, ColumnKind>>;
      /** Columns that together name a row; all of kind `key` or `whole`. */
      readonly key: readonly string[];
      /** Column lists by which rows may be listed, by name. */
      readonly indexes?: Readonly<Record<string, readonly string[]>>;
    }
  | { readonly add: string; readonly columns: Readonly<Record<string, ColumnKind>> };

export interface Contribution {
  readonly areas?: readonly Area[];
  readonly on?: Subscribers;
  readonly jobs?: readonly Job[];
  /** Pages and panels that it adds to the web UI. */
  readonly ui?: UiAdditions;
  /** Forms in which webhooks that ask for them are sent. */
  readonly webhookForms?: readonly WebhookForm[];
  /** Ends what `contribute` began, when the server stops. */
  stop?(): Promise<void>;
}

export interface Plugin<S = unknown, N extends Needs = Needs> {
  /** Lower-case words with dashes; names its ledger, its tables and its jobs. */
  readonly name: string;
  readonly api: 1;
  /** The toggle without which it is not loaded. */
  readonly toggle?: { readonly name: string; readonly default: boolean; readonly says: string };
  /** JSON Schema of its settings: validated at start. */
  readonly settings: TSchema;
  /** Only these ports are handed over. `Storage`, or a part of it by `storageOf`, is granted only where the configuration says that it is trusted. */
  readonly needs: N;
  readonly tables?: readonly TableChange[];
  /** Further names by which settings choose an adapter; each `open` is given the plugin's settings. */
  readonly drivers?: readonly Driver<S>[];
  contribute(resolved: Resolved<N>, settings: S): Contribution | Promise<Contribution>;
}

type Given<S extends TSchema, N extends Needs> = Omit<
  Plugin<Static<S>, N>,
  'settings' | 'needs' | 'contribute'
> & {
  readonly settings?: S;
  readonly needs?: N;
  readonly contribute?: Plugin<Static<S>, N>['contribute'];
};

/**
 * A plugin with the types of its needs and of the settings that its schema reads. One that says nothing of settings takes none, and one
 * that only brings drivers or tables needs no ports and contributes nothing.
 */
export const plugin = <const S extends TSchema, N extends Needs>(
  given: Given<S, N>,
): Plugin<Static<S>, N> => {
  const empty = { settings: object({}), needs: {}, contribute: () => ({}) };
  return { ...empty, ...given } as Plugin<Static<S>, N>; // what is left out is of no settings and no needs, whose types are the widest
};
