import { reads, sets, type Methods } from './methods.js';

/** What administrators switched at run time. */
export interface ToggleStore {
  list(): Promise<readonly { readonly name: string; readonly enabled: boolean }[]>;
  /** Sets it, whether or not there was one. */
  write(name: string, enabled: boolean): Promise<void>;
}

export const toggleMethods: Methods<ToggleStore> = {
  list: reads,
  write: sets,
};
