// What the result of a query must be. Pure.
import type { AnalyticsResult, AnalyticTable } from '#ports/analytics';
import { Failure } from '#ports/failure';
import { KeptJson } from '#ports/kept-json';

export const projectTables: readonly AnalyticTable[] = ['traces', 'spans', 'feedback_scores'];
/** Those of which a project has some; all others are the whole workspace's. */
export const placedTables: readonly AnalyticTable[] = [
  ...projectTables,
  'authored_feedback_scores',
  'trace_threads',
];

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // what does not parse is no JSON
  }
};

/** The JSON values of a result. Rejects with `invalid` where it is not one column of JSON texts of that name. */
export const readResults = ({ columns, rows }: AnalyticsResult): readonly KeptJson[] => {
  if (columns.length !== 1 || columns[0] !== 'result')
    throw new Failure('invalid', 'a query must return exactly one column named result');
  return rows.map(([value]) => {
    if (value === undefined || value === null || !isJson(value))
      throw new Failure('invalid', 'every value of the column result must be JSON text');
    return new KeptJson(value);
  });
};
