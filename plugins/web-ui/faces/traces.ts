// The traces of a project, and one trace as tree and bars.
import { Failure } from '#ports/failure';
import { pathOf, withQuery } from '../pure/address.js';
import { formatCount, formatNumber } from '../pure/format.js';
import { leftOfSpans, spanOfLine } from '../pure/span-lines.js';
import {
  cellOf,
  cutOf,
  formatInstant,
  plainColumns,
  sheetOf,
  type Sheet,
  type SheetBar,
} from '../pure/sheet.js';
import { pageQuery, wantedTraces } from '../pure/trace-list.js';
import { barOf, isSlow, scaleOf, treeOf } from '../pure/trace-tree.js';
import { formatCost, formatDuration, previewOf, readLines } from '../pure/trace-values.js';
import { readBytes, type Faced } from './asking.js';
import { findProject, type Place } from './projects.js';

/** Traces of a face where nothing is said and at most; spans of one trace at most. */
const [usualRows, mostRows, mostSpans] = [100, 500, 2000];

interface Trace {
  readonly id: string;
  readonly project_id: string;
  readonly name?: string;
  readonly start_time?: string;
  readonly end_time?: string;
  readonly duration?: number;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly metadata?: unknown;
  readonly tags?: readonly string[];
  readonly thread_id?: string;
  readonly span_count?: number;
  readonly total_estimated_cost?: number;
  readonly usage?: Readonly<Record<string, number>>;
  readonly error_info?: { readonly exception_type: string; readonly message?: string | null };
  readonly feedback_scores?: readonly { readonly name: string; readonly value: number }[];
}
interface TracePage {
  readonly content: readonly Trace[];
  readonly total: number;
  readonly total_at_least?: boolean;
}

const errorOf = ({ error_info: error }: Trace): string | null =>
  error === undefined ? null : `${error.exception_type}: ${error.message ?? ''}`.trim();
const scoresOf = ({ feedback_scores: scores }: Trace): string | null =>
  scores === undefined || scores.length === 0
    ? null
    : scores.map(({ name, value }) => `${name} ${formatNumber(value)}`).join(' · ');
const instantOf = (text: string | undefined): number | null =>
  text === undefined ? null : Date.parse(text);

export const tracesSheet = async ({ ask, search, now }: Faced, at: Place): Promise<Sheet> => {
  const limit = Number(search.get('limit') ?? usualRows);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostRows)
    throw new Failure('invalid', `limit must be a whole number from 1 to ${mostRows}`);
  const wanted = wantedTraces(search, now);
  const project = await findProject(ask, at);
  const page = await ask<TracePage>('pageTraces', {
    query: { ...pageQuery(wanted, 1, limit), project_id: project },
    headers: { 'comet-workspace': at.workspace },
  });
  const most = page.total_at_least === true ? 'at least ' : '';
  return sheetOf({
    title: `Traces of ${at.project}`,
    path: pathOf('w', at.workspace, 'p', at.project, 'traces') + withQuery(search.toString(), {}),
    cut: cutOf(page.content.length, page.total),
    says: [
      `${formatCount(page.content.length)} of ${most}${formatCount(page.total)} traces${wanted.from === undefined ? '' : `, since ${formatInstant(wanted.from)}`}.`,
    ],
    tables: [
      {
        title: '',
        columns: [
          ...plainColumns('name'),
          { name: 'start', form: 'time' },
          { name: 'ms', form: 'plain' },
          ...plainColumns('tokens', 'cost', 'scores', 'error', 'input', 'output', 'thread', 'id'),
        ],
        rows: page.content.map((one) => [
          one.name ?? null,
          instantOf(one.start_time),
          one.duration ?? null,
          one.usage?.['total_tokens'] ?? null,
          one.total_estimated_cost ?? null,
          scoresOf(one),
          errorOf(one),
          previewOf(one.input),
          previewOf(one.output),
          one.thread_id ?? null,
          one.id,
        ]),
      },
    ],
    data: { workspace: at.workspace, project: at.project, total: page.total, traces: page.content },
  });
};

interface Spans {
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly cut: boolean;
}

const readSpans = async ({ ask }: Faced, at: Place, trace: Trace): Promise<Spans> => {
  const reply = await ask<{
    open(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
  }>('searchSpans', {
    body: {
      project_id: trace.project_id,
      trace_id: trace.id,
      exclude: leftOfSpans,
      limit: mostSpans,
    },
    headers: { 'comet-workspace': at.workspace },
  });
  const lines = readLines(await readBytes(await reply.open()));
  return { lines, cut: lines.length === mostSpans };
};

const inFull = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2);

export const traceSheet = async (faced: Faced, at: Place, id: string): Promise<Sheet> => {
  const headers = { 'comet-workspace': at.workspace };
  const project = await findProject(faced.ask, at);
  const trace = await faced.ask<Trace>('showTrace', { params: { id }, headers });
  if (trace.project_id !== project)
    throw new Failure('absent', `there is no trace ${id.slice(0, 100)} in this project`);
  const { lines, cut } = await readSpans(faced, at, trace);
  const rows = treeOf(lines.map(spanOfLine));
  const own = {
    start: instantOf(trace.start_time) ?? 0,
    end: instantOf(trace.end_time) ?? undefined,
  };
  const scale = scaleOf([own, ...rows.map(({ span }) => span)], faced.now);
  const lasting = (start: number, end: number | undefined) =>
    end === undefined ? null : Math.max(0, end - start);
  const bars = rows.map(({ span, depth, ...row }): SheetBar => {
    const ms = lasting(span.start, span.end);
    return {
      name: span.name,
      depth,
      ...barOf(scale, span),
      says: ms === null ? 'running' : formatDuration(ms),
      mark: span.error !== undefined ? 'error' : isSlow(row, scale) ? 'slow' : 'usual',
    };
  });
  const error = errorOf(trace);
  return sheetOf({
    title: trace.name ?? id,
    path: pathOf('w', at.workspace, 'p', at.project, 'trace', id),
    says: [`${rows.length} spans${cut ? `, of which there are more than these` : ''}.`],
    facts: [
      ['id', id],
      ...(own.start === 0 ? [] : [['start', formatInstant(own.start)] as const]),
      ['duration', trace.duration === undefined ? 'running' : formatDuration(trace.duration)],
      ['tokens', String(trace.usage?.['total_tokens'] ?? 0)],
      ['cost', formatCost(trace.total_estimated_cost ?? 0)],
      ...(trace.thread_id === undefined ? [] : [['thread', trace.thread_id] as const]),
      ...((trace.tags ?? []).length === 0
        ? []
        : [['tags', (trace.tags ?? []).join(', ')] as const]),
      ...(scoresOf(trace) === null ? [] : [['scores', scoresOf(trace) ?? ''] as const]),
      ...(error === null ? [] : [['error', error] as const]),
    ],
    tables: [
      {
        title: 'Spans',
        columns: plainColumns(
          'span',
          'type',
          'ms',
          'own ms',
          'tokens',
          'cost',
          'model',
          'error',
          'id',
        ),
        rows: rows.map(({ span, ownMs, tokens, cost }) => [
          span.name,
          span.type,
          lasting(span.start, span.end),
          span.end === undefined ? null : ownMs,
          tokens,
          cost,
          cellOf(span.model),
          cellOf(span.error),
          span.id,
        ]),
        depths: rows.map(({ depth }) => depth),
      },
    ],
    bars,
    texts: [
      { title: 'Input', text: inFull(trace.input) },
      { title: 'Output', text: inFull(trace.output) },
    ],
    data: { workspace: at.workspace, project: at.project, trace, spans: lines, cut },
  });
};
