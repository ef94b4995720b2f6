// What answers analytic queries, with what its settings say.
import { join, resolve } from 'node:path';
import { duckAnalytics, type DuckAnalytics } from '#adapters/analytics/duckdb/duckdb';
import type { Log } from '#ports/log';
import type { AnalyticRowStore } from '#ports/storage/analytic-rows';
import type { SettingValues } from './settings.js';

/** Rows of a workspace up to which they are read for each statement: a file is brought up to date in about that time. */
const fromRows = 50_000;

export const openAnalytics = (
  { ORRERY_DATA: data, ORRERY_ANALYTICS_CACHE_MB: mebibytes }: SettingValues,
  rows: AnalyticRowStore,
  log?: Log,
): DuckAnalytics =>
  duckAnalytics({
    rows,
    ...(log === undefined ? {} : { log }),
    ...(mebibytes === 0
      ? {}
      : {
          cache: {
            folder: join(resolve(data), 'analytics'),
            mostBytes: mebibytes * 1024 * 1024,
            fromRows,
          },
        }),
  });
