import type { AreaSettings, SettingRows, ToggleRows } from '../area-settings.js';
import type { Resolved, Needs } from '../port.js';
import type { KindDefinition } from './kind-definition.js';
import type { Family } from './families/family.js';
import type { Handler, Handlers, Operation, Table } from './operation.js';

/** An area of the product: its rows, the kinds, settings and toggles that it brings, what its use-cases need, and how they are made. */
export interface Area {
  readonly name: string;
  /** What it is for, in a sentence; the description of the API says it beside the area's operations. */
  readonly summary?: string;
  readonly family: Family;
  readonly table: Table;
  /** The kinds of things that are its own; rows of any area may be about them. */
  readonly kinds?: readonly KindDefinition[];
  /** Its own settings; use-cases get them by naming their port among their needs. */
  readonly settings?: { readonly rows: SettingRows; readonly port: symbol };
  /** Its own toggles, by name; rows of any area may be behind them. */
  readonly toggles?: ToggleRows;
  readonly needs: Needs;
  readonly handlers: (
    resolved: never,
  ) => Readonly<Record<string, (call: never) => Promise<unknown>>>;
}

/** Holds an area's parts against each other: a missing handler, a wrong reply or an unmet need does not compile. */
export const area = <T extends Table, N extends Needs>(parts: {
  readonly name: string;
  readonly summary?: string;
  readonly family: Family;
  readonly table: T;
  readonly kinds?: readonly KindDefinition[];
  readonly settings?: AreaSettings;
  readonly toggles?: ToggleRows;
  readonly needs: N;
  readonly handlers: (resolved: Resolved<N>) => Handlers<T>;
}): Area => parts as unknown as Area; // the generic signature above has checked what the erased type cannot say

export type { Handler, Operation };
