// By this other areas run statements of people over what was logged.
import type { Analytics, AnalyticsLimits, AnalyticsScope, AnalyticTable } from '#ports/analytics';
import { Failure, isFailure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Toggles } from '#ports/toggles';
import { roleOf } from '../permissions.js';
import { placedTables, readResults } from './rules.js';

const limits: AnalyticsLimits = { rows: 10_000, timeMs: 30_000, bytes: 16 * 1024 * 1024 };

/** What is answered where analytics are off. */
export const analyticsOff = { status: 501, body: undefined } as const;

/** Whether charts have queries of their own. */
export const chartsAreOn = (toggles: Toggles): boolean =>
  toggles.isOn('agent-insights') && toggles.isOn('custom-charts');

/** The tables that somebody sees; all of them where none are told. Who reaches only a project sees nothing of the workspace around it. */
export const tablesFor = (
  caller: Caller,
  workspaceId: string,
): readonly AnalyticTable[] | undefined =>
  caller.scope?.projectId === undefined && roleOf(caller, workspaceId) !== undefined
    ? undefined
    : placedTables;

/** Runs a statement within a scope and the limits of the wire; rejects as the port does, for the reason `notInstalled` where there is no engine, and with `invalid` where the result is not one of JSON texts. */
export const runStatement = async (
  analytics: Analytics,
  statement: string,
  scope: AnalyticsScope,
  signal: AbortSignal,
) => {
  try {
    const result = await analytics.query(statement, scope, limits, signal);
    return { status: 200, body: { results: readResults(result) } } as const;
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.kind !== 'unsupported') throw thrown;
    throw new Failure('unsupported', thrown.message, { reason: 'notInstalled', cause: thrown });
  }
};
