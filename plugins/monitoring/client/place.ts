// What is looked at, in the address of the page: whoever opens it sees the same.

export const tabs = [
  'features',
  'performance',
  'metrics',
  'segments',
  'baselines',
  'alerts',
  'errors',
  'lineage',
  'upload',
] as const;
export type Tab = (typeof tabs)[number];
export const spans = ['7', '30', '90'] as const;
export type Span = (typeof spans)[number];

export interface Place {
  readonly model?: string | undefined;
  readonly tab: Tab;
  readonly field?: string | undefined;
  readonly days: Span;
  readonly version?: string | undefined;
  readonly search?: string | undefined;
  /** The metric that is shown. */
  readonly sql?: string | undefined;
}

const oneOf = <T extends string>(options: readonly T[], given: string | null): T | undefined =>
  options.find((option) => option === given);

export const readPlace = (search: string): Place => {
  const given = new URLSearchParams(search);
  const textOf = (name: string) => given.get(name) ?? undefined;
  return {
    model: textOf('model'),
    tab: oneOf(tabs, given.get('tab')) ?? 'features',
    field: textOf('field'),
    days: oneOf(spans, given.get('days')) ?? '30',
    version: textOf('version'),
    search: textOf('search'),
    sql: textOf('sql'),
  };
};

export const writePlace = ({ model, tab, field, days, version, search, sql }: Place): string => {
  const query = new URLSearchParams();
  const said = {
    model,
    tab: tab === 'features' ? undefined : tab,
    field,
    days: days === '30' ? undefined : days,
    version,
    search,
    sql,
  };
  for (const [name, value] of Object.entries(said))
    if (value !== undefined && value !== '') query.set(name, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
};

const dayMs = 86_400_000;

/** The span as rows take it: whole days up to now. */
export const spanOf = (
  { days }: Place,
  now: number,
): { readonly from: string; readonly to: string; readonly intervalType: 'DAILY' } => ({
  from: new Date(Math.floor(now / dayMs) * dayMs - (Number(days) - 1) * dayMs).toISOString(),
  to: new Date(now).toISOString(),
  intervalType: 'DAILY',
});
