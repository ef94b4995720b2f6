// Settings and toggles that belong to one area: each row says its name, its kind, its default and one line of prose.
import { port, type Port } from './port.js';
import type { Settings } from './settings.js';

export type SettingKind =
  | { readonly is: 'text' }
  | { readonly is: 'secret' }
  | { readonly is: 'url'; readonly path?: true }
  | { readonly is: 'whole'; readonly min: number; readonly max: number }
  | { readonly is: 'flag' }
  | { readonly is: 'word'; readonly words: readonly string[] };

export type SettingValue = string | number | boolean;
export interface SettingRow<D extends SettingValue = SettingValue> {
  readonly kind: SettingKind;
  readonly default: D;
  readonly says: string;
}

export const text = (fallback: string, says: string): SettingRow<string> => ({
  kind: { is: 'text' },
  default: fallback,
  says,
});
/** A text that is shown to nobody. */
export const secret = (says: string): SettingRow<string> => ({
  kind: { is: 'secret' },
  default: '',
  says,
});
/** `http://` or `https://` with a host and, unless it says so, no path; without a slash at its end. Empty when not set. */
export const url = (says: string, { path }: { readonly path?: true } = {}): SettingRow<string> => ({
  kind: { is: 'url', ...(path === undefined ? {} : { path }) },
  default: '',
  says,
});
export const whole = (
  fallback: number,
  says: string,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): SettingRow<number> => ({ kind: { is: 'whole', min, max }, default: fallback, says });
export const flag = (fallback: boolean, says: string): SettingRow<boolean> => ({
  kind: { is: 'flag' },
  default: fallback,
  says,
});
/** One of a closed set of texts. */
export const word = <const W extends string>(
  fallback: W,
  words: readonly W[],
  says: string,
): SettingRow<W> => ({ kind: { is: 'word', words }, default: fallback, says });

/** Settings by their names, which are those in the environment and in the file of settings. */
export type SettingRows = Readonly<Record<string, SettingRow>>;
/** What is in force of them: texts, numbers and booleans by name. */
export type ValuesOf<R extends SettingRows> = {
  readonly [N in keyof R]: R[N] extends SettingRow<infer D>
    ? D extends string
      ? string
      : D extends number
        ? number
        : boolean
    : never;
};

/** The settings of an area, and the port by which its use-cases, or another area's, are given what is in force: those of everybody and its own. */
export interface AreaSettings<R extends SettingRows = SettingRows> {
  readonly rows: R;
  readonly port: Port<Settings & ValuesOf<R>>;
}
/** What an area's port of settings gives. */
export type InForce<A extends AreaSettings> = Settings & ValuesOf<A['rows']>;
/** Declares the settings of an area; its name makes the port's, so no two areas share one. */
export const areaSettings = <const R extends SettingRows>(
  area: string,
  rows: R,
): AreaSettings<R> => ({ rows, port: port<Settings & ValuesOf<R>>(`settings of ${area}`) });

/** A toggle: whether something of an area exists. */
export interface ToggleRow {
  readonly default: boolean;
  readonly says: string;
  /** Since when it has this default. */
  readonly since?: string;
  /** A plugin behind it is loaded at boot only. */
  readonly restart?: boolean;
}
export type ToggleRows = Readonly<Record<string, ToggleRow>>;
