/** What administrators switched at run time. */
export interface ToggleStore {
  list(): Promise<readonly { readonly name: string; readonly enabled: boolean }[]>;
  /** Sets it, whether or not there was one. */
  write(name: string, enabled: boolean): Promise<void>;
}
