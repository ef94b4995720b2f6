import { port } from './port.js';

export interface ShownSetting {
  readonly name: string;
  /** Secrets are masked. */
  readonly value: string | number | boolean;
  readonly default: string | number | boolean;
  readonly source: string;
  readonly effect: string;
}

/** Every setting in force, for administrators. */
export interface ShownSettings {
  list(): readonly ShownSetting[];
}
export const ShownSettings = port<ShownSettings>('shown-settings');
