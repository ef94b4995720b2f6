/** Work that is done now and then, by one process at a time among all that share a database. */
export interface Job {
  /** Names its lease. */
  readonly name: string;
  /** Pause between two runs, in ms; also after a run that failed. */
  readonly everyMs: number;
  /** Does some of what waits. Ends soon after `signal` aborts; what it leaves is taken up by the next run, here or elsewhere. */
  run(signal: AbortSignal): Promise<void>;
}
