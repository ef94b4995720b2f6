// The runs that are compared: their names and numbers, in the order of the address.
import { namedRuns } from '../../pure/compared.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runsServer } from '../server.js';

const mostMetrics = 30;
const mostParameters = 100;

export interface Compared {
  readonly keys: readonly string[];
  readonly nameOf: (key: string) => string;
  readonly metrics: readonly string[];
  /** Of each metric its last, smallest and largest value of each run. */
  readonly numbers: readonly {
    readonly metric: string;
    readonly value: 'last' | 'min' | 'max';
    readonly values: readonly unknown[];
  }[];
  /** How many metrics and parameters of the project were not looked at; where there may be others still, so many at least. */
  readonly left: { readonly metrics: number; readonly parameters: number; readonly more: boolean };
  /** Every parameter of each run, also those that are the same. */
  readonly parameters: readonly { readonly name: string; readonly values: readonly unknown[] }[];
}

export const useCompared = (project: string, keys: readonly string[]) =>
  useLoaded(
    async (signal): Promise<Compared> => {
      const { columns: known, more } = await runsServer.columns({ query: { project } }, signal);
      const metrics = known.filter(({ kind }) => kind === 'metric').map(({ name }) => name);
      const named = known.filter(({ kind }) => kind === 'parameter').map(({ name }) => name);
      const parameters = named.slice(0, mostParameters);
      const own = metrics.filter((name) => !name.startsWith('sys.'));
      const asked = own
        .slice(0, mostMetrics)
        .flatMap((metric) => (['last', 'min', 'max'] as const).map((value) => ({ metric, value })));
      const columns = [
        { kind: 'metadata' as const, name: 'name' },
        ...asked.map(({ metric, value }) => ({ kind: 'metric' as const, name: metric, value })),
        ...parameters.map((name) => ({ kind: 'parameter' as const, name })),
      ];
      const body = { project, query: namedRuns(keys), columns, limit: Math.max(1, keys.length) };
      const [open, archived] = await Promise.all([
        runsServer.query({ body }, signal),
        runsServer.query({ body: { ...body, archived: true } }, signal),
      ]);
      const places = keys.map((key) => ({ from: open.keys.includes(key) ? open : archived, key }));
      const valuesOf = (column: number) =>
        places.map(({ from, key }) => from.columns[column]?.values[from.keys.indexOf(key)] ?? null);
      const names = new Map(keys.map((key, at) => [key, String(valuesOf(0)[at] ?? key)]));
      const numbers = asked
        .map((one, at) => ({ ...one, values: valuesOf(1 + at) }))
        .filter(({ values }) => values.some((one) => one !== null));
      return {
        keys,
        nameOf: (key) => names.get(key) ?? key,
        metrics,
        numbers,
        left: {
          metrics: Math.max(0, own.length - mostMetrics),
          parameters: named.length - parameters.length,
          more,
        },
        parameters: parameters
          .map((name, at) => ({ name, values: valuesOf(1 + asked.length + at) }))
          .filter(({ values }) => values.some((one) => one !== null)),
      };
    },
    [project, keys.join(), runsChanged.value],
  );
