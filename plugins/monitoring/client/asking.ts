// What the page asks of the server, with the types of the rows.
import type { Operation } from '#ports/api/operation';
import type { Static, TSchema } from '#ports/api/schema';
import type { alertRows } from '../alert-rows.js';
import type { clientRows, lineageRows } from '../client-rows.js';
import type { intakeRows, queryRows } from '../rows.js';
import type { settingRows } from '../setting-rows.js';

type Rows = typeof alertRows &
  typeof clientRows &
  typeof lineageRows &
  typeof queryRows &
  typeof settingRows &
  typeof intakeRows;
type Reply<O extends Operation> = O['replies'] extends { readonly 200: infer S extends TSchema }
  ? Static<S>
  : unknown;
export type ReplyTo<N extends keyof Rows> = Reply<Rows[N]>;

/** What the web UI hands to the element; see `ports/plugin-ui.ts`. */
export interface Context {
  readonly workspace: string;
  readonly theme: 'light' | 'dark';
  readonly base?: string;
  readonly viewOnly?: boolean;
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
}

type Query = Readonly<Record<string, string | number | undefined>>;
const withQuery = (path: string, query: Query = {}): string => {
  const said = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  );
  return said.length === 0 ? path : `${path}?${said.join('&')}`;
};

/** Asks a row by its address, and gives what it replies. */
export const asker = ({ ask }: Context) => {
  const get =
    <N extends keyof Rows>(path: string) =>
    async (query?: Query): Promise<ReplyTo<N>> =>
      (await ask('GET', withQuery(path, query))) as ReplyTo<N>; // the row's own reply
  const post =
    <N extends keyof Rows>(path: string) =>
    async (body: object): Promise<ReplyTo<N>> =>
      (await ask('POST', path, body)) as ReplyTo<N>; // likewise
  const to = '/api/mpm/v2';
  return {
    models: post<'searchMonitoredModels'>(`${to}/model/search`),
    model: (id: string) =>
      get<'getMonitoredModelById'>(`/api/mpm/model/${encodeURIComponent(id)}`)(),
    volume: post<'countPredictions'>(`${to}/model/numberOfPredictions`),
    metric: post<'queryMonitoredMetric'>(`${to}/custom-metrics/query`),
    drift: post<'readDrift'>(`${to}/features/drift`),
    glance: get<'glanceAtDrift'>(`${to}/drift`),
    comparison: post<'compareField'>(`${to}/features/comparison`),
    quality: get<'readDataQuality'>(`${to}/quality`),
    performance: get<'readPerformance'>(`${to}/performance`),
    segments: get<'listSegments'>(`${to}/segments`),
    createSegment: post<'createSegment'>(`${to}/segments`),
    deleteSegment: (id: string) => ask('DELETE', `${to}/segments/${encodeURIComponent(id)}`),
    baselines: get<'listBaselines'>(`${to}/baselines`),
    createBaseline: post<'createBaseline'>(`${to}/baselines`),
    changeBaseline: (id: string, body: object) =>
      ask('PATCH', `${to}/baselines/${encodeURIComponent(id)}`, body),
    deleteBaseline: (id: string, modelId: string) =>
      ask('DELETE', withQuery(`${to}/baselines/${encodeURIComponent(id)}`, { modelId })),
    alerts: get<'listMonitoringAlerts'>(`${to}/alerts`),
    mute: (id: string, until: number | undefined) =>
      post<'muteMonitoringAlert'>(`${to}/alerts/${encodeURIComponent(id)}/mute`)(
        until === undefined ? {} : { until },
      ),
    preview: (id: string) =>
      post<'previewMonitoringAlert'>(`${to}/alerts/${encodeURIComponent(id)}/preview`)({}),
    createAlert: post<'createMonitoringAlert'>(`${to}/alerts`),
    firings: get<'listMonitorNotifications'>(`${to}/monitor-notification`),
    errors: get<'listIngestionErrors'>(`${to}/ingestion-errors`),
    lineage: get<'readMonitoredLineage'>(`${to}/lineage`),
    upload: async (path: string, form: FormData) => {
      await ask('POST', path, form);
    },
  };
};
export type Asker = ReturnType<typeof asker>;
