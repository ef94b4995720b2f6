/** What a workspace has settled for traces and their pages; what is left out is as it always is. */
export interface WorkspaceConfiguration {
  /** How long a thread is active after its last trace, in seconds. */
  readonly threadInactivitySeconds: number | undefined;
  readonly truncatesTables: boolean | undefined;
  /** Colours by what they are of. */
  readonly colors: Readonly<Record<string, string>> | undefined;
}
