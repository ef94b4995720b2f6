import { port } from './port.js';

export interface Toggles {
  /** Whether a toggle is on for this process; unknown names are off. */
  isOn(name: string): boolean;
  /** Every known toggle, in the order of their names. */
  list(): readonly { readonly name: string; readonly enabled: boolean }[];
}
export const Toggles = port<Toggles>('toggles');
