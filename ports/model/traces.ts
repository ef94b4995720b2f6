/**
 * What a trace and a span have in common. Times are microseconds since 1970 (UTC), `ttft` is milliseconds; `input`, `output`, `metadata` and
 * `errorInfo` hold JSON text.
 */
export interface TraceEntry {
  /** Made by the client, a UUID of version 7. Unique in its project; another project may have the same one. */
  readonly id: string;
  readonly projectId: string;
  readonly name: string | undefined;
  readonly startTime: number;
  readonly endTime: number | undefined;
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly metadata: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly errorInfo: string | undefined;
  readonly ttft: number | undefined;
  readonly source: string | undefined;
  readonly environment: string | undefined;
  readonly createdAt: number;
  /** Names of users. */
  readonly createdBy: string;
  readonly lastUpdatedAt: number;
  readonly lastUpdatedBy: string;
  /** An update came before the entry itself, which will fill the gaps. */
  readonly partial: boolean;
}

export interface Trace extends TraceEntry {
  readonly threadId: string | undefined;
}

export interface Span extends TraceEntry {
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
  readonly type: string | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  /** JSON text: names and whole numbers. */
  readonly usage: string | undefined;
  readonly cost: number | undefined;
}
