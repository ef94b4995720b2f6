import { port } from './port.js';

export interface ToggleState {
  readonly name: string;
  readonly enabled: boolean;
  readonly default: boolean;
  /** Where the value comes from; one that the environment fixes cannot be changed. */
  readonly source: 'default' | 'file' | 'administrator' | 'environment';
  readonly says: string;
  readonly since: string;
  /** It loads a plugin: a change takes effect at the next start. */
  readonly restart: boolean;
}

export interface Toggles {
  /** Whether a toggle is on for this process; unknown names are off. */
  isOn(name: string): boolean;
  /** Every known toggle, in the order of their names. */
  list(): readonly ToggleState[];
  /** Switches a toggle for the installation; every process sees it within 5 s. Rejects with `conflict` when the environment fixes it. */
  change(name: string, enabled: boolean): Promise<void>;
}
export const Toggles = port<Toggles>('toggles');
